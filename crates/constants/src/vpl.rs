//! Kinds of virtual point lights.

/// There is none.
pub const NO_VPL: u32 = 0;
/// One side of a surface.
pub const AREA: u32 = 1;
/// Both sides.
pub const DOUBLE_SIDED_AREA: u32 = 2;
/// The same in all directions.
pub const POINT: u32 = 3;
/// In a cone.
pub const SPOT: u32 = 4;
/// Infinitely far away.
pub const DISTANT: u32 = 5;
/// A surface that is not diffuse.
pub const GLOSSY: u32 = 6;
