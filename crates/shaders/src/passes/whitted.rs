//! Passes of Whitted ray tracing; the others are those of the path tracer.

use super::{Features, LIGHTS, Pass, SURFACES, TEXTURES, passes};

passes! {
    /// Shades hits: emission, direct light, and the next ray of the tree.
    SHADE: Pass::new("whitted::shade").or_with(Features::LEVELS)
        .reads(&[SURFACES, TEXTURES, LIGHTS, "view plan live hits materials tables"])
        .writes(&["wave next shadows samples seen waiting"]);
}
