use bytemuck::{Pod, Zeroable};

/// Eight children and their boxes, whose planes are bytes [Ylitie17, compressed wide nodes].
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct WideNode {
    /// Where the planes are counted from.
    pub corner: [f32; 3],
    /// Of each axis the biased exponent of the distance between planes, a byte each.
    pub exponents: u32,
    /// The lower planes along each axis, a byte for each child.
    pub low: [[u32; 2]; 3],
    /// The upper ones.
    pub high: [[u32; 2]; 3],
    /// Nodes, [leaves](Self::leaf), or [`EMPTY`](Self::EMPTY).
    pub children: [u32; 8],
}

impl WideNode {
    /// No child.
    pub const EMPTY: u32 = u32::MAX;
    /// Marks leaves.
    pub const LEAF_BIT: u32 = 1 << 31;

    /// What a leaf refers to.
    ///
    /// * `index` — below 2³¹.
    pub const fn leaf(index: u32) -> u32 {
        Self::LEAF_BIT | index
    }
}
