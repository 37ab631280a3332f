//! Cameras.

/// Kind of a projection: all rays leave from a point.
pub const PERSPECTIVE: u32 = 0;
/// They leave from a lens.
pub const THIN_LENS: u32 = 1;
/// They are parallel.
pub const ORTHOGRAPHIC: u32 = 2;
