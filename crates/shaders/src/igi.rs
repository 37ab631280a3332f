//! The kernels of instant global illumination, in their order; see `shaders/igi` for what they bind. What is called after alpha is for worlds with surfaces
//! that are not there everywhere.

use super::Shader;

/// A text for pictures without short paths, which put back what a bound takes away.
pub fn without_short_paths(text: &str) -> String {
    text.replace("COMPENSATES: bool = true;", "COMPENSATES: bool = false;")
}

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
/// What is nearest around these.
pub const OCCLUDERS: Shader = linked!("igi_occluders");
/// The same.
pub const OCCLUDERS_ALPHA: Shader = linked!("igi_occluders_alpha");
/// How far around them nothing is.
pub const CLEARANCES: Shader = linked!("igi_clearances");
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
/// The same.
pub const ASK_ALPHA: Shader = linked!("igi_ask_alpha");
/// Shadow rays to them.
pub const OCCLUDE: Shader = linked!("igi_occlude", crate::FOUR_ROWS);
/// The same.
pub const OCCLUDE_ALPHA: Shader = linked!("igi_occlude_alpha", crate::FOUR_ROWS);
/// The light of those that are seen.
pub const LIGHT: Shader = linked!("igi_light");
/// Paths that go on, by way of mirrors, glass and highlights, and their light.
pub const FOLLOW: Shader = linked!("igi_follow");
/// The same.
pub const FOLLOW_ALPHA: Shader = linked!("igi_follow_alpha");
/// The same for the first points of these: which virtual point lights they ask about, and shadow rays to them.
pub const OCCLUDE_PATHS: Shader = linked!("igi_occlude_paths", crate::FOUR_ROWS);
/// The same.
pub const OCCLUDE_PATHS_ALPHA: Shader = linked!("igi_occlude_paths_alpha", crate::FOUR_ROWS);
/// The light of those that are seen.
pub const LIGHT_PATHS: Shader = linked!("igi_light_paths");
/// From rays to pixels.
pub const RESOLVE: Shader = linked!("igi_resolve");
/// The discontinuity filter.
pub const FILTER: Shader = linked!("igi_filter");
/// The same, which adds the frame to the film.
pub const FILTER_FILM: Shader = linked!("igi_filter_film");
/// And what the first surfaces were.
pub const FILTER_CHANNELS: Shader = linked!("igi_filter_channels");
/// What the frame before had of the same surfaces.
pub const REUSE: Shader = linked!("igi_reuse");
/// What other channels than radiance record.
pub const FIRST: Shader = linked!("igi_first");

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
/// Their light on the first points of paths.
pub const CAUSTICS_PATHS: Shader = linked!("igi_caustics_paths");
/// Paths that go on, lit by photons, too.
pub const FOLLOW_PHOTONS: Shader = linked!("igi_follow_photons");
/// The same.
pub const FOLLOW_PHOTONS_ALPHA: Shader = linked!("igi_follow_photons_alpha");

/// All of them.
pub const ALL: [Shader; 45] = [
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
    OCCLUDERS,
    CLEARANCES,
    CAMERA_BEAMS,
    PRIMARY,
    SURFACE,
    ASK,
    OCCLUDE,
    LIGHT,
    FOLLOW,
    OCCLUDE_PATHS,
    OCCLUDE_PATHS_ALPHA,
    LIGHT_PATHS,
    CAUSTICS_PATHS,
    RESOLVE,
    FILTER,
    FILTER_FILM,
    FILTER_CHANNELS,
    REUSE,
    FIRST,
    PROBE_ALPHA,
    ESTIMATE_ALPHA,
    WALKS_ALPHA,
    OCCLUDERS_ALPHA,
    ASK_ALPHA,
    PRIMARY_ALPHA,
    OCCLUDE_ALPHA,
    FOLLOW_ALPHA,
    PHOTON_WALKS,
    PHOTON_WALKS_ALPHA,
    PHOTON_CELLS,
    PHOTON_PLACES,
    CAUSTICS,
    FOLLOW_PHOTONS,
    FOLLOW_PHOTONS_ALPHA,
];
