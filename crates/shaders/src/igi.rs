//! The kernels of instant global illumination, in their order; see `shaders/igi` for what they bind. What is called after alpha is for worlds with surfaces
//! that are not there everywhere.

use super::Shader;

/// Where camera rays pass film and lens.
pub const PATTERN: Shader = linked!("igi_pattern");
/// How far some camera rays see.
pub const PROBE: Shader = linked!("igi_probe");
/// The same.
pub const PROBE_ALPHA: Shader = linked!("igi_probe_alpha");
/// The bound of geometry terms.
pub const REACH: Shader = linked!("igi_reach");
/// A coarse picture, which tells what lights bring.
pub const ESTIMATE: Shader = linked!("igi_estimate");
/// The same.
pub const ESTIMATE_ALPHA: Shader = linked!("igi_estimate_alpha");
/// How finds become whole numbers.
pub const WEIGH: Shader = linked!("igi_weigh");
/// What is left of frames before.
pub const RECALL: Shader = linked!("igi_recall");
/// What was found of each light.
pub const COLLECT: Shader = linked!("igi_collect");
/// The parts of lights.
pub const SHARES: Shader = linked!("igi_shares");
/// Sums of many of them.
pub const BLOCKS: Shader = linked!("igi_blocks");
/// Sums of all of them.
pub const PARTS: Shader = linked!("igi_parts");
/// From lights to virtual point lights.
pub const WALKS: Shader = linked!("igi_walks");
/// The same.
pub const WALKS_ALPHA: Shader = linked!("igi_walks_alpha");
/// Where camera rays enter the trees, on devices with subgroups.
pub const CAMERA_BEAMS: Shader = linked!("igi_camera_beams");
/// What they meet.
pub const PRIMARY: Shader = linked!("igi_primary", crate::WALKERS);
/// The same.
pub const PRIMARY_ALPHA: Shader = linked!("igi_primary_alpha", crate::WALKERS);
/// First surfaces.
pub const SURFACE: Shader = linked!("igi_surface");
/// Which virtual point lights pixels ask about.
pub const ASK: Shader = linked!("igi_ask");
/// Shadow rays to them.
pub const OCCLUDE: Shader = linked!("igi_occlude");
/// The same.
pub const OCCLUDE_ALPHA: Shader = linked!("igi_occlude_alpha");
/// The same to those of first surfaces: scouts ask before others.
pub const SCOUT: Shader = linked!("igi_scout", crate::SCOUTING);
/// The same.
pub const SCOUT_ALPHA: Shader = linked!("igi_scout_alpha", crate::SCOUTING);
/// The light of those that are seen.
pub const LIGHT: Shader = linked!("igi_light");
/// What paths that go on meet.
pub const INTERSECT: Shader = linked!("igi_intersect");
/// The same.
pub const INTERSECT_ALPHA: Shader = linked!("igi_intersect_alpha");
/// Surfaces behind mirrors, glass and highlights.
pub const BOUNCE: Shader = linked!("igi_bounce");
/// What is left of paths after some bounces.
pub const FINISH: Shader = linked!("igi_finish");
/// The same.
pub const FINISH_ALPHA: Shader = linked!("igi_finish_alpha");
/// Whether any path goes on.
pub const TURN: Shader = linked!("igi_turn");
/// From rays to pixels.
pub const RESOLVE: Shader = linked!("igi_resolve");
/// The discontinuity filter.
pub const FILTER: Shader = linked!("igi_filter");
/// What the frame before had of the same surfaces.
pub const REUSE: Shader = linked!("igi_reuse");
/// What other channels than radiance record.
pub const FIRST: Shader = linked!("igi_first");
/// Adds a frame to the film.
pub const ADD: Shader = linked!("igi_add");
/// And what the first surfaces were.
pub const ADD_CHANNELS: Shader = linked!("igi_add_channels");

/// From lights to photons.
pub const PHOTON_WALKS: Shader = linked!("igi_photon_walks");
/// The same.
pub const PHOTON_WALKS_ALPHA: Shader = linked!("igi_photon_walks_alpha");
/// Where the photons of each cell go.
pub const PHOTON_CELLS: Shader = linked!("igi_photon_cells");
/// Photons in the order of cells.
pub const PHOTON_PLACES: Shader = linked!("igi_photon_places");
/// Their light.
pub const CAUSTICS: Shader = linked!("igi_caustics");
/// What is left of paths after some bounces, lit by photons, too.
pub const FINISH_PHOTONS: Shader = linked!("igi_finish_photons");
/// The same.
pub const FINISH_PHOTONS_ALPHA: Shader = linked!("igi_finish_photons_alpha");

/// All of them.
pub const ALL: [Shader; 43] = [
    PATTERN,
    PROBE,
    REACH,
    ESTIMATE,
    WEIGH,
    RECALL,
    COLLECT,
    SHARES,
    BLOCKS,
    PARTS,
    WALKS,
    CAMERA_BEAMS,
    PRIMARY,
    SURFACE,
    ASK,
    OCCLUDE,
    SCOUT,
    LIGHT,
    INTERSECT,
    BOUNCE,
    FINISH,
    TURN,
    RESOLVE,
    FILTER,
    REUSE,
    FIRST,
    ADD,
    ADD_CHANNELS,
    PROBE_ALPHA,
    ESTIMATE_ALPHA,
    WALKS_ALPHA,
    PRIMARY_ALPHA,
    OCCLUDE_ALPHA,
    SCOUT_ALPHA,
    INTERSECT_ALPHA,
    FINISH_ALPHA,
    PHOTON_WALKS,
    PHOTON_WALKS_ALPHA,
    PHOTON_CELLS,
    PHOTON_PLACES,
    CAUSTICS,
    FINISH_PHOTONS,
    FINISH_PHOTONS_ALPHA,
];
