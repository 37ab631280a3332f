//! Kinds of camera projections.

/// Kind of projection: all rays start at one point.
pub const PERSPECTIVE: u32 = 0;
/// Kind of projection: rays start on a lens.
pub const THIN_LENS: u32 = 1;
/// Kind of projection: all rays are parallel.
pub const ORTHOGRAPHIC: u32 = 2;
