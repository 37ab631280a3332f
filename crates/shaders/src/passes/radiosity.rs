//! Passes of radiosity: light stored on surfaces. [`SHOW`] is a shading pass; the others of its steps are those of the
//! path tracer.

use sunfleck_constants::radiosity::{PYRAMID_GROUP, SWEEP_GROUP, SWEEP_ROWS};

use super::{BVHS, Features, Pass, SURFACES, TEXTURES, passes};

passes! {
    /// One sweep of Jacobi's iteration over the matrix of form factors. Takes rows, [`SWEEP_ROWS`] for each workgroup.
    SWEEP: Pass::new("radiosity::sweep").group(SWEEP_GROUP).share(SWEEP_ROWS)
        .reads(&["factors before emission reflectance"]).writes(&["after"]);
    /// Finds the largest change of a sweep.
    RESIDUAL: Pass::new("radiosity::residual").reads(&["before after"]).writes(&["residual"]);
    /// Sums the luminous power of texels over several levels of squares. Takes cells of the first of these levels.
    PYRAMID: Pass::new("radiosity::pyramid").group(PYRAMID_GROUP).reads(&["step"]).writes(&["pyramid progress"]);
    /// Chooses texels that shoot to all others.
    SELECT: Pass::new("radiosity::select").reads(&["shooting texels radiance pyramid progress"]).writes(&["shooters"]);
    /// Updates all texels that see the shooters.
    SHOOT: Pass::new("radiosity::shoot").with(Features::ANY).reads(&[BVHS, "shooting texels shooters progress"])
        .writes(&["radiance irradiance pyramid"]);
    /// Shoots rays.
    SHOOT_RAYS: Pass::new("radiosity::shoot_rays")
        .reads(&[BVHS, "shooting texels triangles first_triangles radiance pyramid progress"]).writes(&["deposits"]);
    /// Updates all texels with the light that rays brought.
    COLLECT: Pass::new("radiosity::collect").reads(&["shooting texels progress"])
        .writes(&["radiance irradiance pyramid deposits"]);
    /// Shades hits by the irradiance of a map, and follows mirrors and glass.
    SHOW: Pass::new("radiosity::show").or_with(Features::LEVELS)
        .reads(&[SURFACES, TEXTURES, "view plan live hits materials tables light_header light_numbers",
            "triangles atlas_instances shape_grids irradiance"])
        .writes(&["wave next shadows samples seen"]);
}
