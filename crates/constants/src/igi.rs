//! Instant global illumination.

/// Smallest albedo that light is divided by, so that highlights on black surfaces cause no division by zero. Surfaces
/// that are not diffuse count as reflecting at least this share.
pub const LEAST_ALBEDO: f32 = 0.02;
/// Throughput below which Russian roulette is applied to paths.
pub const DIM: f32 = 0.25;
/// Smallest probability with which a light path ends at a surface.
pub const LEAST_ABSORPTION: f32 = 0.15;
/// Distance from the surfaces at which shadow rays start and end, as a share of their length.
pub const SHORT: f32 = 1e-4;

/// Seed that separates the random numbers that decide about shadow rays from others of the same pixel and sample.
pub const ASKING: u32 = 0xa5c1_1e57;
/// Seed that separates the random numbers that shift the sets of VPLs from others of the same pixel and frame.
pub const MOVED: u32 = 0x5e75_0a7d;
/// Row of pixels outside of every film, whose random numbers are not used otherwise.
pub const NO_FILM_ROW: u32 = 0xffff_ffff;

/// Edge of the pattern of camera rays in pixels. It differs from that of the pattern of VPL sets, so that the pixels of
/// a set have many different offsets.
pub const PATTERN_EDGE: u32 = 8;
/// Edge, in pixels, of the square of pixels of a workgroup that share a set of VPLs.
pub const EDGE: u32 = 8;
/// Width, in pixels, of a workgroup with adjacent pixels: wide, so that its threads read and write few cache lines.
pub const TILE_WIDTH: u32 = 16;
/// Height, in pixels, of a workgroup with adjacent pixels.
pub const TILE_HEIGHT: u32 = 4;
/// Edge, in pixels, of the squares whose camera rays are traced by neighbouring threads.
pub const SQUARE: u32 = 4;
/// Largest number of paths of a camera ray that wait to be continued.
pub const MOST_WAITING: u32 = 3;

/// Number of rows and of columns of camera rays that measure how far the camera sees.
pub const PROBE_ROWS: u32 = 24;
/// Edge of the tiles of a VPL's occluder map whose cells are computed by neighbouring threads.
pub const OCCLUDER_TILE: u32 = 8;
/// Number of faces of a VPL's clearance map, a cube.
pub const CUBE_FACES: u32 = 6;

/// Number of surfaces of a path of the coarse image that estimates how VPLs are distributed over lights.
pub const COARSE_LENGTH: u32 = 4;
/// Largest probability with which a path of the coarse image is continued.
pub const COARSE_SURVIVAL: f32 = 0.8;
/// First pixel coordinate of the coarse image, outside of every film.
pub const COARSE_PIXEL: u32 = 0x8000_0000;
/// Upper bound of the contribution of a light to one path, as a multiple of the mean. An outlier would attract virtual
/// point lights, and be gone in the next frame.
pub const MOST_OVER_MEAN: f32 = 4.0;
/// Index that stands for no light, and for the parent of the light tree's root.
pub const NO_LIGHT: u32 = 0xffff_ffff;
/// Number of fixed-point units of all contributions of lights together. Fixed point is used since sums of integers do
/// not depend on their order.
pub const UNITS: f32 = 1_073_741_824.0;

/// Smallest cosine between the normals of two points that the discontinuity filter takes for the same surface.
pub const LEAST_COS: f32 = 0.9;
/// Largest relative difference of the distances of two such points, for each pixel between them.
pub const STEP: f32 = 0.02;

/// Smallest cosine between the normals of a photon and of the point that it illuminates.
pub const PHOTON_COS: f32 = 0.9;
/// Lower bound of the geometric cosine in the ratio of cosines where a bumpy surface is lit at a grazing angle.
pub const FLAT: f32 = 0.1;
/// Edge of the cells of photons relative to twice the radius: a little more than 1, so that rounding puts no photon
/// outside of the eight cells.
pub const CELL_EDGE: f32 = 1.03125;
/// Number of photons per bucket of eight cells: surfaces cross about four of the cells.
pub const PER_BUCKET: u32 = 8;
/// Index of the counter of the first cell; the counters hold the numbers of photons that are not yet in the list.
pub const CELL_COUNTS: u32 = 2;
