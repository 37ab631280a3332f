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
