//! The passes of a frame of instant global illumination; when each is dispatched says the table in `gpu::igi`.

use super::{
    ALPHA, FOUR_ROWS, Features, GROUP, LIGHTS, Pass, QUAD, SURFACES, TEXTURES, TREES, WALKERS, passes,
};

const ANY: Features = Features::ANY;
const BEAMS: Features = Features::BEAMS;
const OR_ALPHA: Features = Features::ALPHA;

/// What VPLs and photons take of the table of lights to begin their walks.
const EMITTERS: &str = "light_header triangle_lights punctual_lights light_numbers";
/// Points to be lit, as those see them who light them.
const POINTS: &str = "points glosses lit_states";
/// What is kept of a pixel.
const KEPT: &str = "points glosses surfaces lit_states states all_sums seeds paths rows traced";
/// Photons in the order of cells.
const PHOTONS: &str = "photons cells list";
/// What shadow rays and shading read of virtual point lights.
const VPLS: &str = "vpls glossy_vpls clearances";
/// What the filter reads of pixels.
const CHANNELS: &str = "reflections weights shapes highlights radiances";

passes! {
    /// Where camera rays pass film and lens.
    PATTERN: Pass::new("igi::pattern").reads(&["frame view filter_cells"]).writes(&["pattern"]);
    /// How far some camera rays see.
    PROBE: Pass::new("igi::probe").or_with(OR_ALPHA).reads(&[TREES, ALPHA, "frame view"]).writes(&["distances"]);
    /// The bound of geometry terms.
    REACH: Pass::new("igi::reach").reads(&["distances"]).writes(&["frame"]);
    /// A coarse picture, which tells what lights bring.
    ESTIMATE: Pass::new("igi::estimate").or_with(OR_ALPHA)
        .reads(&[TREES, SURFACES, TEXTURES, LIGHTS, "frame view materials tables"]).writes(&["finds partial_sums"]);
    /// How finds become whole numbers.
    WEIGH: Pass::new("igi::weigh").reads(&["frame partial_sums light_header"]).writes(&["scale found"]);
    /// What is left of frames before.
    RECALL: Pass::new("igi::recall").reads(&["frame scale"]).writes(&["found"]);
    /// What was found of each light.
    COLLECT: Pass::new("igi::collect").reads(&["frame finds scale links"]).writes(&["found"]);
    /// The parts of lights.
    SHARES: Pass::new("igi::shares").reads(&["frame power_shares light_header light_nodes links"])
        .writes(&["part_sums block_sums found"]);
    /// Sums of many of them.
    BLOCKS: Pass::new("igi::blocks").reads(&["frame"]).writes(&["block_sums"]);
    /// Sums of all of them.
    PARTS: Pass::new("igi::parts").reads(&["frame block_sums"]).writes(&["part_sums"]);
    /// From lights to virtual point lights.
    WALKS: Pass::new("igi::walks").or_with(OR_ALPHA)
        .reads(&[TREES, SURFACES, TEXTURES, EMITTERS, "frame view part_sums materials tables"])
        .writes(&["vpls glossy_vpls"]);
    /// What is nearest around these.
    OCCLUDERS: Pass::new("igi::occluders").or_with(OR_ALPHA).reads(&[TREES, ALPHA, "frame vpls"]).writes(&["occluders"]);
    /// How far around them nothing is.
    CLEARANCES: Pass::new("igi::clearances").reads(&[TREES, "frame vpls"]).writes(&["clearances"]);
    /// Where camera rays enter the trees, on devices with subgroups.
    CAMERA_BEAMS: Pass::new("igi::camera_beams").share(GROUP / QUAD).reads(&[TREES, "frame view pattern"]).writes(&["fronts"]);
    /// What they meet.
    PRIMARY: Pass::new("igi::primary").with(BEAMS).or_with(OR_ALPHA).group(WALKERS)
        .reads(&[TREES, ALPHA, "frame view pattern fronts"]).writes(&["hits"]);
    /// First surfaces.
    SURFACE: Pass::new("igi::surface")
        .reads(&[SURFACES, TEXTURES, "frame view pattern hits materials tables light_header light_numbers"])
        .writes(&[KEPT]);
    /// What other channels than radiance record.
    FIRST: Pass::new("igi::first").reads(&[SURFACES, TEXTURES, "frame view pattern hits materials tables"]).writes(&["seen"]);
    /// Which virtual point lights pixels ask about.
    ASK: Pass::new("igi::ask").with(ANY).or_with(OR_ALPHA)
        .reads(&[TREES, ALPHA, "frame points lit_states seeds vpls occluders"]).writes(&["vpl_bits averages traced"]);
    /// Shadow rays to them.
    OCCLUDE: Pass::new("igi::occlude").with(ANY).or_with(OR_ALPHA).group(FOUR_ROWS)
        .reads(&[TREES, ALPHA, "frame points lit_states seeds vpls clearances"]).writes(&["vpl_bits traced"]);
    /// The light of those that are seen.
    LIGHT: Pass::new("igi::light").reads(&[POINTS, "frame averages vpls glossy_vpls materials tables"])
        .writes(&["vpl_bits surfaces all_sums"]);
    /// Paths that go on, by way of mirrors, glass and highlights, and their light.
    FOLLOW: Pass::new("igi::follow").with(Features::FOLLOW).or_with(Features::PHOTONS.and(OR_ALPHA))
        .reads(&[TREES, SURFACES, TEXTURES, PHOTONS, "frame view materials tables light_header light_numbers", VPLS])
        .writes(&[KEPT, "hits averages vpl_bits"]);
    /// The same for the first points of these: which virtual point lights they ask about, and shadow rays to them.
    OCCLUDE_PATHS: Pass::new("igi::occlude_paths").with(ANY).or_with(OR_ALPHA).group(FOUR_ROWS)
        .reads(&[TREES, ALPHA, "frame points lit_states seeds vpls occluders clearances"])
        .writes(&["vpl_bits averages traced"]);
    /// The light of those that are seen.
    LIGHT_PATHS: Pass::new("igi::light_paths").reads(&[POINTS, "frame averages vpls glossy_vpls materials tables"])
        .writes(&["vpl_bits surfaces all_sums traced"]);
    /// From rays to pixels.
    RESOLVE: Pass::new("igi::resolve").reads(&["frame surfaces states all_sums"]).writes(&[CHANNELS]);
    /// The discontinuity filter: leaves pictures, or adds them to the film, of which channels are recorded, too.
    FILTER: Pass::new("igi::filter").or_with(Features::FILM.and(Features::CHANNELS))
        .reads(&[CHANNELS, "frame surfaces states seen"]).writes(&["picture film channels"]);
    /// What the frame before had of the same surfaces.
    REUSE: Pass::new("igi::reuse").reads(&["frame view before reflections shapes picture"]).writes(&["means places"]);
    /// From lights to photons.
    PHOTON_WALKS: Pass::new("igi::photon_walks").or_with(OR_ALPHA)
        .reads(&[TREES, SURFACES, TEXTURES, EMITTERS, "frame view goals part_sums materials tables"])
        .writes(&["photons photon_counts"]);
    /// Where the photons of each cell go.
    PHOTON_CELLS: Pass::new("igi::photon_cells").reads(&["frame"]).writes(&["cells photon_counts"]);
    /// Photons in the order of cells.
    PHOTON_PLACES: Pass::new("igi::photon_places").reads(&["frame photons cells"]).writes(&["list photon_counts"]);
    /// Their light.
    CAUSTICS: Pass::new("igi::caustics").reads(&[PHOTONS, POINTS, "frame materials tables"]).writes(&["surfaces all_sums"]);
    /// Their light on the first points of paths.
    CAUSTICS_PATHS: Pass::new("igi::caustics_paths").reads(&[PHOTONS, POINTS, "frame materials tables"])
        .writes(&["surfaces all_sums traced"]);
}
