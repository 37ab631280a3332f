//! Instant global illumination.

/// Light is divided by an albedo of at least this, so that highlights on black are no division by zero: surfaces that are not diffuse reflect at least so much somewhere.
pub const LEAST_ALBEDO: f32 = 0.02;
/// Paths dimmer than this play roulette.
pub const DIM: f32 = 0.25;
/// A walk of light ends at a surface with this probability at least.
pub const LEAST_ABSORPTION: f32 = 0.15;
/// Shadow rays begin and end a little off the surfaces, as a share of their length.
pub const SHORT: f32 = 1e-4;

/// Tells the random numbers that decide about shadow rays from others of the same pixel and sample.
pub const ASKING: u32 = 0xa5c1_1e57;
/// Tells the random numbers of moved sets from others of the same pixel and frame.
pub const MOVED: u32 = 0x5e75_0a7d;
/// A row that no film has.
pub const NO_FILM_ROW: u32 = 0xffff_ffff;

/// Edge of the pattern of camera rays, pixels: another than that of sets, so that a set has many.
pub const PATTERN_EDGE: u32 = 8;
/// Pixels of a row and of a column of a group whose pixels share a set.
pub const EDGE: u32 = 8;
/// Pixels of a row of groups that have them side by side: wide, so that what threads read and write together lies in few lines of a cache.
pub const TILE_WIDTH: u32 = 16;
/// And of a column.
pub const TILE_HEIGHT: u32 = 4;
/// Pixels of a row and of a column whose camera rays run together.
pub const SQUARE: u32 = 4;
/// Most paths of a ray that wait to go on.
pub const MOST_WAITING: u32 = 3;

/// Camera rays of a row and of a column by which distances are judged.
pub const PROBE_ROWS: u32 = 24;
/// Cells of a row and of a column of a map of what is nearest to a VPL that run together.
pub const OCCLUDER_TILE: u32 = 8;
/// Faces of a map of how far from a VPL nothing is.
pub const CUBE_FACES: u32 = 6;

/// Surfaces of a path of the coarse picture, by which VPLs are spread over lights.
pub const COARSE_LENGTH: u32 = 4;
/// Its paths go on with this probability at most.
pub const COARSE_SURVIVAL: f32 = 0.8;
/// Its pixels begin here, where no film has any.
pub const COARSE_PIXEL: u32 = 0x8000_0000;
/// What one path finds counts for no more than this times the mean: a rare find would draw virtual point lights to it, and be gone in the next frame.
pub const MOST_OVER_MEAN: f32 = 4.0;
/// Instead of a light that is found, or of what is above the root of the tree of lights.
pub const NO_LIGHT: u32 = 0xffff_ffff;
/// All finds together have about so many units: sums of whole numbers are the same in any order.
pub const UNITS: f32 = 1_073_741_824.0;

/// Normals of one surface agree at least so well for the discontinuity filter: cosine.
pub const LEAST_COS: f32 = 0.9;
/// Distances of one surface differ by no more than this share for each pixel.
pub const STEP: f32 = 0.02;

/// Photons and the point that they light are on one surface if their normals agree at least so well: cosine.
pub const PHOTON_COS: f32 = 0.9;
/// Where a bumpy surface is lit at a flat angle, the ratio of cosines is bounded: the least of the geometric one.
pub const FLAT: f32 = 0.1;
/// Edge of the cells of photons, relative to twice the radius: a little larger, so that rounding finds no photon outside of the eight cells.
pub const CELL_EDGE: f32 = 1.03125;
/// Photons for each bucket of eight cells: surfaces pass about four of them.
pub const PER_BUCKET: u32 = 8;
/// From here on, how many of each cell are not in the list yet.
pub const CELL_COUNTS: u32 = 2;
