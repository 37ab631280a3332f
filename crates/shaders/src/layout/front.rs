use bytemuck::{Pod, Zeroable};

use super::Child;

/// Where the rays of a group enter the trees.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Front {
    /// How many places there are.
    pub count: u32,
    /// Nothing.
    pub unused: [u32; 3],
    /// In the order in which rays come to them. The last word says which instance's tree it is in, if any.
    pub children: [Child; 16],
}

impl Front {
    /// The last word of the middle of a place that is all there is: there is no way that all rays go.
    pub const ROOT: u32 = 0xffff_fffd;
}
