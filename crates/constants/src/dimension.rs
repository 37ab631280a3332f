//! Sample dimensions: which random number makes which decision. Two-dimensional decisions start at even dimensions.

/// Dimension of the offset within the reconstruction filter.
pub const FILM: u32 = 0;
/// Dimension of the point on the lens.
pub const LENS: u32 = 2;
/// Dimension of the direction of the ambient occlusion ray.
pub const OCCLUSION: u32 = 4;

/// Number of dimensions of each path vertex; as many are reserved for the decisions before the first vertex.
pub const STRIDE: u32 = 8;
/// Dimension, within a vertex, of the point on the light.
pub const LIGHT_POINT: u32 = 0;
/// Dimension, within a vertex, of the direction of scattering.
pub const DIRECTION: u32 = 2;
/// Dimension, within a vertex, of the choice of the light.
pub const LIGHT: u32 = 4;
/// Dimension, within a vertex, of the choice of the lobe.
pub const LOBE: u32 = 5;
/// Dimension, within a vertex, of Russian roulette.
pub const ROULETTE: u32 = 6;

/// Dimension of the point on the light at which a light path starts.
pub const OF_POINT: u32 = 0;
/// Dimension of the direction in which a light path leaves the light.
pub const OF_DIRECTION: u32 = 2;
/// Dimension of the choice of the light at which a light path starts.
pub const OF_LIGHT: u32 = 4;
/// Dimension of the choice of the side of the light.
pub const OF_SIDE: u32 = 5;
/// First dimension of the surfaces of a light path: absorption, lobe and direction of each, [`PER_SURFACE`] apart.
pub const OF_SURFACE: u32 = 6;
/// Number of dimensions of each surface of a light path.
pub const PER_SURFACE: u32 = 4;
/// Largest number of surfaces of a light path: longer ones have a share below a millionth.
pub const LONGEST: u32 = 80;
/// First dimension that light paths leave to other decisions.
pub const OF_OTHERS: u32 = OF_SURFACE + PER_SURFACE * LONGEST;
/// Dimension of the choice whether the first surface of a light path keeps a photon; one for each surface.
pub const OF_KEEPING: u32 = OF_OTHERS;
/// Dimension of the choice whether the light path of a photon is aimed at a target.
pub const OF_AIM: u32 = OF_KEEPING + LONGEST;
/// Dimension of the choice of that target.
pub const OF_GOAL: u32 = OF_AIM + 1;

/// Kind of light paths: virtual point lights on lights. Each kind uses the random numbers of a column of pixels outside
/// of every film.
pub const ON_LIGHTS: u32 = 0;
/// Kind of light paths: virtual point lights at the ends of light paths.
pub const WALKS: u32 = 1;
/// Kind of paths: camera rays that measure how far the camera sees.
pub const PROBES: u32 = 2;
/// Kind of light paths: those that leave photons.
pub const PHOTONS: u32 = 3;
