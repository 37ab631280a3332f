use bytemuck::{Pod, Zeroable};

/// Where the cells of a uniform grid are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Grid {
    /// Lower corner.
    pub low: [f32; 3],
    /// Cells along x.
    pub nx: u32,
    /// Size of a cell.
    pub size: [f32; 3],
    /// Cells along y.
    pub ny: u32,
}
