use bytemuck::{Pod, Zeroable};

/// Rays of a bucket and triangles of a cell: what a group of threads tests all pairs of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Crossing {
    /// Of the stream.
    pub first_ray: u32,
    /// At most [`GROUP`](crate::GROUP).
    pub rays: u32,
    /// Of all cells' triangles.
    pub first_plane: u32,
    /// How many.
    pub planes: u32,
}
