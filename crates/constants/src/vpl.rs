//! Kinds of virtual point lights.

/// Kind of virtual point light: none.
pub const NO_VPL: u32 = 0;
/// Kind of virtual point light: one side of a surface.
pub const AREA: u32 = 1;
/// Kind of virtual point light: both sides of a surface.
pub const DOUBLE_SIDED_AREA: u32 = 2;
/// Kind of virtual point light: the same intensity in all directions.
pub const POINT: u32 = 3;
/// Kind of virtual point light: a cone.
pub const SPOT: u32 = 4;
/// Kind of virtual point light: infinitely far away.
pub const DISTANT: u32 = 5;
/// Kind of virtual point light: a surface that is not diffuse.
pub const GLOSSY: u32 = 6;
