//! The stages of a step of the path tracer, in their order.

use super::{ALPHA, Features, LIGHTS, Pass, SURFACES, TEXTURES, TREES, passes};

passes! {
    /// From one step to the next: how many threads each stage has.
    ADVANCE: Pass::new("path::advance").reads(&["plan"]).writes(&["wave sizes"]);
    /// Direct light that nothing blocks.
    SHADOW: Pass::new("path::shadow").with(Features::ANY).or_with(Features::ALPHA)
        .reads(&[TREES, ALPHA, "shadows plan"]).writes(&["samples wave"]);
    /// Camera rays.
    GENERATE: Pass::new("path::generate").reads(&["plan view filter_cells"]).writes(&["live samples wave"]);
    /// The closest surface on every live path.
    INTERSECT: Pass::new("path::intersect").or_with(Features::ALPHA).reads(&[TREES, ALPHA, "live plan"]).writes(&["hits wave"]);
    /// What other channels than radiance record.
    FIRST: Pass::new("path::first").or_with(Features::ALPHA)
        .reads(&[TREES, SURFACES, TEXTURES, "live hits view plan materials tables"]).writes(&["wave seen"]);
    /// A list of paths for each kind of material.
    SORT: Pass::new("path::sort").reads(&[SURFACES, "hits materials plan"]).writes(&["wave order"]);
    /// Emission, direct light, the next ray, in the order of those lists.
    SHADE: Pass::new("path::shade").or_with(Features::LEVELS)
        .reads(&[SURFACES, TEXTURES, LIGHTS, "view plan live hits order materials tables"])
        .writes(&["wave next shadows samples seen"]);
}
