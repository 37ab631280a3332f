use bytemuck::{Pod, Zeroable};

/// Where rays that lie together enter the trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Front {
    /// How many places there are.
    pub count: u32,
    /// Nothing.
    pub unused: u32,
    /// In the order in which rays come to them. A child: four times where its node is, and its slot; which instance it is of, or
    /// `u32::MAX` if it is of the top level.
    pub places: [[u32; 2]; 8],
}

impl Front {
    /// Instead of a child: all of the world, since there is no way that all rays go.
    pub const ROOT: u32 = u32::MAX;
}
