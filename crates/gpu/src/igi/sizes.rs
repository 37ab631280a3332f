//! How much of everything a band takes.

use sunfleck_constants::group::{FOUR_ROWS, GROUP};
use sunfleck_constants::igi::{
    COARSE_LENGTH, CUBE_FACES, PATTERN_EDGE, PROBE_ROWS, SQUARE, TILE_HEIGHT, TILE_WIDTH,
};
use sunfleck_integrators::World;
use sunfleck_integrators::igi::Igi;
use sunfleck_shaders::layout::IgiFrame;

use super::bands::Bands;
use super::photons::Photons;
use super::{Order, Recipe};
use crate::Gpu;
use crate::film::has_channels;

/// Pixels of a row and of a column of groups that have them side by side.
const TILE: [u32; 2] = [TILE_WIDTH, TILE_HEIGHT];

/// Groups that follow paths: four on each processor of a large GPU. More of them leave too little room for shadow rays of first surfaces, which run beside them; fewer
/// take longer than these.
const FOLLOWERS: u32 = 528;
/// Groups that light what these find: as many as have room.
const DESKS: u32 = 8 * FOLLOWERS;

/// How many threads kernels have; those of a band.
#[derive(Debug)]
pub(super) struct Sizes {
    pub(super) pattern: usize,
    pub(super) probes: usize,
    pub(super) vpls: usize,
    /// Cells of all maps of what is nearest to VPLs.
    pub(super) occluders: usize,
    /// Cells of all maps of how far from VPLs nothing is.
    pub(super) clearances: usize,
    pub(super) lights: usize,
    /// Nodes of the tree of lights, and lights infinitely far away, if the coarse picture is asked for.
    pub(super) recalled: usize,
    /// Paths of the coarse picture, none if it is not asked for; and what they may find.
    pub(super) cells: usize,
    pub(super) finds: usize,
    /// Groups of 64 camera rays.
    pub(super) camera_beams: usize,
    /// Those for which is found where they enter the trees: all on devices with subgroups, else none.
    pub(super) entered_beams: usize,
    pub(super) primary: usize,
    /// Pixels in the order of sets, those outside of the film included.
    pub(super) places: usize,
    /// As many, where blocks are taken two by two.
    pub(super) four_rows: usize,
    /// As many times the rays of a pixel.
    pub(super) rays: usize,
    /// Those that are traced, in tiles.
    pub(super) resolved: usize,
    /// Those that are added to the film, in tiles …
    pub(super) pixels: usize,
    /// … and row by row.
    pub(super) film: usize,
    /// The same if other channels than radiance are recorded …
    pub(super) recorded: usize,
    /// … and if frames take over from those before; else none.
    pub(super) reused: usize,
    /// Photons of caustics: how many walks, cells, and room for photons there are.
    pub(super) photon_walks: usize,
    pub(super) photon_cells: usize,
    pub(super) photon_room: usize,
    /// Threads that follow paths; none if no path goes on.
    pub(super) followers: usize,
    /// Threads that light the first points of these.
    pub(super) desks: usize,
    /// Of a row of pixels.
    pub(super) camera_rays: u64,
}

impl Sizes {
    pub(super) fn new(gpu: &Gpu, order: &Order<'_>, frame: &IgiFrame, bands: &Bands) -> Self {
        let Order { world, spec, recipe: Recipe { igi: ref parameters, aovs, reuse }, .. } = *order;
        let goes_on = paths_go_on(world, parameters);
        let photons = Photons::of(world, parameters);
        let film = spec.width as usize * bands.wanted_rows() as usize;
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
        let threads = |most: u32| if goes_on { (groups(most) * GROUP) as usize } else { 0 };
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
            pixels: tiles(bands.wanted_rows(), TILE),
            film,
            recorded: if has_channels(aovs) { film } else { 0 },
            reused: if reuse.is_some() { film } else { 0 },
            photon_walks: photons.map_or(0, |photons| photons.walks as usize),
            photon_cells: photons.map_or(0, Photons::cells),
            photon_room: photons.map_or(0, |photons| photons.room as usize),
            followers: threads(FOLLOWERS),
            desks: threads(DESKS),
            camera_rays: u64::from(spec.width) * u64::from(frame.rays),
        }
    }

    /// So many if there are photons.
    pub(super) fn lit_by_photons(&self, points: usize) -> usize {
        if self.photon_walks > 0 { points } else { 0 }
    }
}

/// Words of a pixel that has a bit for each VPL of its set.
pub(super) fn asked_words(igi: &Igi) -> usize {
    igi.vpls_per_set().div_ceil(u32::BITS) as usize
}

pub(super) fn paths_go_on(world: &World, igi: &Igi) -> bool {
    world.materials().any_specular() || igi.compensate
}
