//! Light of the environment and of punctual lights at points of surfaces. It is sampled there, since these lights have no
//! surface that could shoot.

use fearless_simd::Simd;
use sunfleck_math::{Vec2, Vec3};
use sunfleck_transport::{AlphaSeed, SurfaceInteraction, World};

/// Returns whether a world has lights that are no surfaces.
pub(crate) fn has_lights(world: &World) -> bool {
    world.lights().emissive_triangles().count() < world.lights().len()
}

/// Returns an estimate of the irradiance of one side of a surface by lights that are no surfaces.
///
/// * `with_environment` — whether the environment is one of them.
/// * `light_u` — chooses the light. * `u` — chooses the direction.
/// * `seed` — of the alpha tests.
#[inline(always)]
pub(crate) fn irradiance<S: Simd>(
    simd: S,
    world: &World,
    surface: &SurfaceInteraction,
    is_front: bool,
    with_environment: bool,
    light_u: f32,
    u: Vec2,
    seed: AlphaSeed,
) -> Vec3 {
    let normal = if is_front { surface.ng } else { -surface.ng };
    let light = world.lights().sample(world.materials(), surface.position, normal, light_u, u);
    let Some(light) = light else { return Vec3::ZERO };
    let cosine = light.wi.dot(normal);
    let is_environment = !light.delta && light.distance.is_infinite();
    let counts = light.delta || (is_environment && with_environment);
    if !counts || cosine <= 0.0 {
        return Vec3::ZERO;
    }
    let ray = surface.spawn_shadow_ray(light.wi, light.distance);
    light.radiance * world.transmittance(simd, &ray, seed) * (cosine / light.pdf_solid_angle)
}
