//! Passes of a step of the path tracer, in their order.

use super::{ALPHA, BVHS, Features, LIGHTS, Pass, SURFACES, TEXTURES, passes};

passes! {
    /// Advances to the next step: computes the number of threads of each pass.
    ADVANCE: Pass::new("path::advance").reads(&["plan"]).writes(&["wave sizes"]);
    /// Traces shadow rays and adds unoccluded direct light.
    SHADOW: Pass::new("path::shadow").with(Features::ANY).or_with(Features::ALPHA.and(Features::SPLIT))
        .reads(&[BVHS, ALPHA, "shadows plan diffuse_shares"]).writes(&["samples wave seen"]);
    /// Generates camera rays.
    GENERATE: Pass::new("path::generate").reads(&["plan view filter_cells"]).writes(&["live samples wave"]);
    /// Finds the closest hit of every live path.
    INTERSECT: Pass::new("path::intersect").or_with(Features::ALPHA).reads(&[BVHS, ALPHA, "live plan"]).writes(&["hits wave"]);
    /// Records AOVs of the first surfaces.
    FIRST: Pass::new("path::first").or_with(Features::ALPHA)
        .reads(&[BVHS, SURFACES, TEXTURES, "live hits view plan materials tables"]).writes(&["wave seen"]);
    /// Sorts paths by the kind of their hits.
    SORT: Pass::new("path::sort").reads(&[SURFACES, "hits materials plan"]).writes(&["wave order"]);
    /// Shades hits in sorted order: emission, direct light, and the next ray.
    SHADE: Pass::new("path::shade").or_with(Features::LEVELS.and(Features::SPLIT))
        .reads(&[SURFACES, TEXTURES, LIGHTS, "view plan live hits order materials tables"])
        .writes(&["wave next shadows samples seen diffuse_shares"]);
}
