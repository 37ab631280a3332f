//! Passes of a frame of instant global illumination; the table in `gpu::igi` says when each is dispatched.

use super::{
    ALPHA, BVHS, FOUR_ROWS, Features, GROUP, LIGHTS, Pass, QUAD, SURFACES, TEXTURES, WALKERS, passes,
};

const ANY: Features = Features::ANY;
const BEAMS: Features = Features::BEAMS;
const OR_ALPHA: Features = Features::ALPHA;

/// Tables of lights from which VPLs and photons start.
const EMITTERS: &str = "light_header area_lights punctual_lights light_numbers";
/// Points to be illuminated, as read by the passes that compute their light.
const POINTS: &str = "points glosses lit_states";
/// State of pixels and of their rays.
const KEPT: &str = "points glosses surfaces lit_states states all_sums seeds paths rows traced";
/// Photons, sorted by cell.
const PHOTONS: &str = "photons cells list";
/// VPLs, as read by shadow rays and shading.
const VPLS: &str = "vpls glossy_vpls clearances";
/// Per-pixel inputs of the filter.
const CHANNELS: &str = "reflections weights shapes highlights radiances";

passes! {
    /// Computes the offsets of camera rays on film and lens.
    PATTERN: Pass::new("igi::pattern").reads(&["frame view filter_cells"]).writes(&["pattern"]);
    /// Measures the distances of some camera rays' hits.
    PROBE: Pass::new("igi::probe").or_with(OR_ALPHA).reads(&[BVHS, ALPHA, "frame view"]).writes(&["distances"]);
    /// Derives the bound of geometry terms from these distances.
    REACH: Pass::new("igi::reach").reads(&["distances"]).writes(&["frame"]);
    /// Path-traces a coarse image, to estimate the contribution of each light.
    ESTIMATE: Pass::new("igi::estimate").or_with(OR_ALPHA)
        .reads(&[BVHS, SURFACES, TEXTURES, LIGHTS, "frame view materials tables"]).writes(&["finds partial_sums"]);
    /// Derives the scale that converts these contributions to fixed point.
    WEIGH: Pass::new("igi::weigh").reads(&["frame partial_sums light_header"]).writes(&["scale found"]);
    /// Decays the contributions of lights in earlier frames.
    RECALL: Pass::new("igi::recall").reads(&["frame scale"]).writes(&["found"]);
    /// Sums up the contributions of each light and of each cluster of lights.
    COLLECT: Pass::new("igi::collect").reads(&["frame finds scale links"]).writes(&["found"]);
    /// Computes the share of each light in the choice of VPLs, with prefix sums within blocks.
    SHARES: Pass::new("igi::shares").reads(&["frame power_shares light_header light_nodes links"])
        .writes(&["part_sums block_sums found"]);
    /// Computes prefix sums over blocks of lights.
    BLOCKS: Pass::new("igi::blocks").reads(&["frame"]).writes(&["block_sums"]);
    /// Computes prefix sums over all lights.
    PARTS: Pass::new("igi::parts").reads(&["frame block_sums"]).writes(&["part_sums"]);
    /// Creates virtual point lights, on lights and at the ends of light paths.
    WALKS: Pass::new("igi::walks").or_with(OR_ALPHA)
        .reads(&[BVHS, SURFACES, TEXTURES, EMITTERS, "frame view part_sums materials tables"])
        .writes(&["vpls glossy_vpls"]);
    /// Computes the occluder map of each VPL: the nearest surface in each direction.
    OCCLUDERS: Pass::new("igi::occluders").or_with(OR_ALPHA).reads(&[BVHS, ALPHA, "frame vpls"]).writes(&["occluders"]);
    /// Computes the clearance map of each VPL: the empty distance in each direction.
    CLEARANCES: Pass::new("igi::clearances").reads(&[BVHS, "frame vpls"]).writes(&["clearances"]);
    /// Finds the entry points of beams of camera rays, on devices with subgroups.
    CAMERA_BEAMS: Pass::new("igi::camera_beams").share(GROUP / QUAD).reads(&[BVHS, "frame view pattern"]).writes(&["fronts"]);
    /// Finds the closest hits of camera rays.
    PRIMARY: Pass::new("igi::primary").with(BEAMS).or_with(OR_ALPHA).group(WALKERS)
        .reads(&[BVHS, ALPHA, "frame view pattern fronts"]).writes(&["hits"]);
    /// Shades the first surfaces.
    SURFACE: Pass::new("igi::surface")
        .reads(&[SURFACES, TEXTURES, "frame view pattern hits materials tables light_header light_numbers"])
        .writes(&[KEPT]);
    /// Records AOVs of the first surfaces.
    FIRST: Pass::new("igi::first").reads(&[SURFACES, TEXTURES, "frame view pattern hits materials tables"]).writes(&["seen"]);
    /// Selects the VPLs for which each pixel traces a shadow ray.
    ASK: Pass::new("igi::ask").with(ANY).or_with(OR_ALPHA)
        .reads(&[BVHS, ALPHA, "frame points lit_states seeds vpls occluders"]).writes(&["vpl_bits averages traced"]);
    /// Traces the shadow rays to these VPLs.
    OCCLUDE: Pass::new("igi::occlude").with(ANY).or_with(OR_ALPHA).group(FOUR_ROWS)
        .reads(&[BVHS, ALPHA, "frame points lit_states seeds vpls clearances"]).writes(&["vpl_bits traced"]);
    /// Adds the light of visible VPLs.
    LIGHT: Pass::new("igi::light").reads(&[POINTS, "frame averages vpls glossy_vpls materials tables"])
        .writes(&["vpl_bits surfaces all_sums"]);
    /// Continues paths, through mirrors, glass and highlights, and illuminates what they hit.
    FOLLOW: Pass::new("igi::follow").with(Features::FOLLOW).or_with(Features::PHOTONS.and(OR_ALPHA))
        .reads(&[BVHS, SURFACES, TEXTURES, PHOTONS, "frame view materials tables light_header light_numbers", VPLS])
        .writes(&[KEPT, "hits averages vpl_bits"]);
    /// Selects VPLs for the first points of these paths, and traces the shadow rays.
    OCCLUDE_PATHS: Pass::new("igi::occlude_paths").with(ANY).or_with(OR_ALPHA).group(FOUR_ROWS)
        .reads(&[BVHS, ALPHA, "frame points lit_states seeds vpls occluders clearances"])
        .writes(&["vpl_bits averages traced"]);
    /// Adds the light of visible VPLs to the first points of paths.
    LIGHT_PATHS: Pass::new("igi::light_paths").reads(&[POINTS, "frame averages vpls glossy_vpls materials tables"])
        .writes(&["vpl_bits surfaces all_sums traced"]);
    /// Reduces the rays of each pixel to the inputs of the filter.
    RESOLVE: Pass::new("igi::resolve").reads(&["frame surfaces states all_sums"]).writes(&[CHANNELS]);
    /// Applies the discontinuity filter: writes an image, or adds it to the film together with AOVs.
    FILTER: Pass::new("igi::filter").or_with(Features::FILM.and(Features::CHANNELS))
        .reads(&[CHANNELS, "frame surfaces states seen"]).writes(&["picture film channels"]);
    /// Reprojects and reuses the previous frame.
    REUSE: Pass::new("igi::reuse").reads(&["frame view before reflections shapes picture"]).writes(&["means places"]);
    /// Traces light paths that leave photons.
    PHOTON_WALKS: Pass::new("igi::photon_walks").or_with(OR_ALPHA)
        .reads(&[BVHS, SURFACES, TEXTURES, EMITTERS, "frame view goals part_sums materials tables"])
        .writes(&["photons photon_counts"]);
    /// Allocates the part of the photon list of each cell.
    PHOTON_CELLS: Pass::new("igi::photon_cells").reads(&["frame"]).writes(&["cells photon_counts"]);
    /// Sorts the photons by cell.
    PHOTON_PLACES: Pass::new("igi::photon_places").reads(&["frame photons cells"]).writes(&["list photon_counts"]);
    /// Adds the light of photons.
    CAUSTICS: Pass::new("igi::caustics").reads(&[PHOTONS, POINTS, "frame materials tables"]).writes(&["surfaces all_sums"]);
    /// Adds the light of photons to the first points of paths.
    CAUSTICS_PATHS: Pass::new("igi::caustics_paths").reads(&[PHOTONS, POINTS, "frame materials tables"])
        .writes(&["surfaces all_sums traced"]);
}
