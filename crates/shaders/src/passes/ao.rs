//! Passes of ambient occlusion; the others are those of the path tracer.

use super::{Pass, SURFACES, TEXTURES, passes};

passes! {
    /// Spawns one occlusion ray for each camera ray.
    SHADE: Pass::new("ao::shade").reads(&[SURFACES, TEXTURES, "view plan live hits materials"])
        .writes(&["wave next shadows samples"]);
}
