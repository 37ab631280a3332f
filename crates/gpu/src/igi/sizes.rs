//! Numbers of threads and of array elements of the passes of a band.

use sunfleck_constants::group::{FOUR_ROWS, GROUP};
use sunfleck_constants::igi::{
    COARSE_LENGTH, CUBE_FACES, PATTERN_EDGE, PROBE_ROWS, SQUARE, TILE_HEIGHT, TILE_WIDTH,
};
use sunfleck_integrators::World;
use sunfleck_integrators::igi::Igi;
use sunfleck_shaders::layout::IgiFrame;

use super::bands::Bands;
use super::photons::PhotonSizes;
use super::{IgiRequest, IgiSettings};
use crate::Gpu;
use crate::film::has_channels;

/// Size, in pixels, of a workgroup with adjacent pixels.
const TILE: [u32; 2] = [TILE_WIDTH, TILE_HEIGHT];

/// Maximum number of workgroups that follow paths: four on each multiprocessor of a large GPU. More workgroups leave
/// too little room for the shadow rays of first surfaces, which overlap them; fewer take longer than the shadow rays.
const PATH_GROUPS: u32 = 528;
/// Maximum number of workgroups that illuminate the points of paths: as many as may be resident.
const PATH_POINT_GROUPS: u32 = 8 * PATH_GROUPS;

/// Numbers of threads of the passes of a band, and of elements of their arrays.
#[derive(Debug)]
pub(super) struct FrameSizes {
    pub(super) pattern: usize,
    pub(super) probes: usize,
    pub(super) vpls: usize,
    /// Cells of all occluder maps.
    pub(super) occluders: usize,
    /// Cells of all clearance maps.
    pub(super) clearances: usize,
    pub(super) lights: usize,
    /// Nodes of the light tree and lights at infinity, if the coarse image is rendered, else 0.
    pub(super) recalled: usize,
    /// Paths of the coarse image, 0 if it is not rendered, and the maximum number of contributions that they find.
    pub(super) cells: usize,
    pub(super) finds: usize,
    /// Groups of 64 camera rays.
    pub(super) camera_beams: usize,
    /// Groups of camera rays whose entry points are computed: all on devices with subgroups, else none.
    pub(super) entered_beams: usize,
    pub(super) primary: usize,
    /// Pixels in the order of sets, including those outside of the film.
    pub(super) places: usize,
    /// Threads of the kernel that processes blocks in squares of 2 × 2.
    pub(super) four_rows: usize,
    /// Camera rays of the pixels in the order of sets.
    pub(super) rays: usize,
    /// Traced pixels, in tiles.
    pub(super) resolved: usize,
    /// Pixels that are added to the film, in tiles.
    pub(super) pixels: usize,
    /// Pixels that are added to the film, row by row.
    pub(super) film: usize,
    /// As `film` if AOVs are recorded, else 0.
    pub(super) recorded: usize,
    /// As `film` if frames reuse previous ones, else 0.
    pub(super) reused: usize,
    /// Light paths that leave photons of caustics, cells of the hash grid, and the maximum number of photons.
    pub(super) photon_walks: usize,
    pub(super) photon_cells: usize,
    pub(super) photon_capacity: usize,
    /// Threads that follow paths; 0 if no path is continued.
    pub(super) path_threads: usize,
    /// Threads that illuminate the first points of paths.
    pub(super) path_points: usize,
    /// Camera rays of a row of pixels.
    pub(super) camera_rays: u64,
}

impl FrameSizes {
    pub(super) fn new(gpu: &Gpu, request: &IgiRequest<'_>, frame: &IgiFrame, bands: &Bands) -> Self {
        let IgiRequest { world, spec, settings: IgiSettings { igi: ref parameters, aovs, reuse }, .. } =
            *request;
        let has_paths = paths_continue(world, parameters);
        let photons = PhotonSizes::new(world, parameters);
        let film = spec.width as usize * bands.output_rows() as usize;
        let rays = frame.rays as usize;
        let tiles = |rows: u32, [width, height]: [u32; 2]| {
            (spec.width.div_ceil(width) * rows.div_ceil(height) * width * height) as usize
        };
        let cells = if frame.importance > 0.0 { frame.cells as usize } else { 0 };
        let places = (frame.groups * GROUP) as usize;
        let primary = tiles(bands.traced_rows(), [SQUARE; 2]) * rays;
        let camera_beams = primary.div_ceil(GROUP as usize);
        let vpls = (frame.interleave * frame.interleave * frame.rays * frame.per_share) as usize;
        let groups = |most: u32| frame.groups.div_ceil(frame.rows_each).max(frame.groups.min(most));
        let threads = |most: u32| if has_paths { (groups(most) * GROUP) as usize } else { 0 };
        Self {
            pattern: (PATTERN_EDGE * PATTERN_EDGE) as usize * rays,
            probes: (PROBE_ROWS * PROBE_ROWS) as usize,
            vpls,
            occluders: vpls * (frame.occluder_edge * frame.occluder_edge) as usize,
            clearances: vpls * (CUBE_FACES * frame.clearance_edge * frame.clearance_edge) as usize,
            lights: frame.lights as usize,
            recalled: if cells > 0 { frame.places as usize } else { 0 },
            cells,
            finds: cells * COARSE_LENGTH as usize,
            camera_beams,
            entered_beams: if gpu.has_subgroups { camera_beams } else { 0 },
            primary,
            places,
            four_rows: (frame.blocks.div_ceil(2)
                * bands.blocks.div_ceil(2)
                * frame.interleave
                * frame.interleave
                * FOUR_ROWS) as usize,
            rays: places * rays,
            resolved: tiles(bands.traced_rows(), TILE),
            pixels: tiles(bands.output_rows(), TILE),
            film,
            recorded: if has_channels(aovs) { film } else { 0 },
            reused: if reuse.is_some() { film } else { 0 },
            photon_walks: photons.map_or(0, |photons| photons.walks as usize),
            photon_cells: photons.map_or(0, PhotonSizes::cells),
            photon_capacity: photons.map_or(0, |photons| photons.capacity as usize),
            path_threads: threads(PATH_GROUPS),
            path_points: threads(PATH_POINT_GROUPS),
            camera_rays: u64::from(spec.width) * u64::from(frame.rays),
        }
    }

    /// Returns `points` if there are photons, else 0.
    pub(super) fn if_photons(&self, points: usize) -> usize {
        if self.photon_walks > 0 { points } else { 0 }
    }
}

/// Number of words that hold a bit for each VPL of a pixel's set.
pub(super) fn vpl_bit_words(igi: &Igi) -> usize {
    igi.vpls_per_set().div_ceil(u32::BITS) as usize
}

pub(super) fn paths_continue(world: &World, igi: &Igi) -> bool {
    world.materials().any_specular() || igi.compensate
}
