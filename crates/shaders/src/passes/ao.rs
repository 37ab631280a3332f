//! Stages of ambient occlusion that differ from the path tracer's.

use super::{Pass, SURFACES, TEXTURES, passes};

passes! {
    /// One occlusion ray for each camera ray.
    SHADE: Pass::new("ao::shade").reads(&[SURFACES, TEXTURES, "view plan live hits materials"])
        .writes(&["wave next shadows samples"]);
}
