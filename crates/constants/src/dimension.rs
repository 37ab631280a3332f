//! Which sample dimension decides what. Two-dimensional decisions begin at even numbers.

/// Offset within the reconstruction filter.
pub const FILM: u32 = 0;
/// Point on the lens.
pub const LENS: u32 = 2;
/// Direction of the ambient occlusion ray.
pub const OCCLUSION: u32 = 4;

/// So many dimensions has a path vertex, counted from its first, and as many what comes before the first vertex.
pub const STRIDE: u32 = 8;
/// Point on the light chosen at a vertex.
pub const LIGHT_POINT: u32 = 0;
/// Direction of scattering.
pub const DIRECTION: u32 = 2;
/// Choice of the light.
pub const LIGHT: u32 = 4;
/// Choice of the lobe.
pub const LOBE: u32 = 5;
/// Russian roulette.
pub const ROULETTE: u32 = 6;

/// Point on the light where a walk of light begins.
pub const OF_POINT: u32 = 0;
/// Direction in which the walk leaves it.
pub const OF_DIRECTION: u32 = 2;
/// Which light.
pub const OF_LIGHT: u32 = 4;
/// Which of its sides.
pub const OF_SIDE: u32 = 5;
/// Absorption, lobe and direction at the first surface of a walk; [`PER_SURFACE`] each.
pub const OF_SURFACE: u32 = 6;
/// Dimensions of each surface of a walk.
pub const PER_SURFACE: u32 = 4;
/// Nobody waits for longer walks: their share is below a millionth.
pub const LONGEST: u32 = 80;
/// The first dimension that walks leave to others.
pub const OF_OTHERS: u32 = OF_SURFACE + PER_SURFACE * LONGEST;
/// Whether a surface keeps a photon; one for each surface of the walk.
pub const OF_KEEPING: u32 = OF_OTHERS;
/// Whether the walk of a photon is aimed …
pub const OF_AIM: u32 = OF_KEEPING + LONGEST;
/// … and at what.
pub const OF_GOAL: u32 = OF_AIM + 1;

/// Kinds of walks, whose random decisions are those of pixels that no film has: virtual point lights on lights.
pub const ON_LIGHTS: u32 = 0;
/// Virtual point lights where walks end.
pub const WALKS: u32 = 1;
/// Camera rays by which distances are judged.
pub const PROBES: u32 = 2;
/// Photons.
pub const PHOTONS: u32 = 3;
