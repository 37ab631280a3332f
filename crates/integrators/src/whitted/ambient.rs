//! The ambient constant: mean radiance that surfaces reflect towards other surfaces, over all bounces.
//!
//! As in progressive radiosity, where it stands for the unshot light [Cohen88, §4.3], interreflection is taken as a
//! geometric series: if surfaces reflect the radiance `R` of direct light, have albedo `ρ`, and a fraction `h` of the
//! rays that leave a surface hits another one, the sum is `R / (1 − ρ h)`. `R`, `ρ` and `h` are estimated by probe
//! paths from the camera. In a closed diffuse room of constant albedo and illumination the result is exact.

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_math::{Vec2, Vec3};
use sunfleck_transport::DirectSampling;

use crate::view::{SampleId, View};

/// Number of probe paths, for an error of a few per cent.
const PROBES: u32 = 4096;
/// Upper bound of `ρ h`.
const MAX_REFLECTED: f32 = 0.95;

/// Returns the ambient constant of a view, radiance. It is estimated on the first call.
pub(crate) fn constant(level: Level, view: &View<'_>) -> Vec3 {
    let film = Vec2::new(view.spec.width as f32, view.spec.height as f32);
    *view.ambient.get_or_init(|| dispatch!(level, simd => estimate(simd, view, film)))
}

fn estimate<S: Simd>(simd: S, view: &View<'_>, film: Vec2) -> Vec3 {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut gathered = 0u32;
            let mut hits = 0u32;
            let mut reflected = Vec3::ZERO;
            let mut albedo = Vec3::ZERO;
            for sample in 0..PROBES {
                // Trace a camera ray to a surface, and a diffuse ray from there to another one
                let id = SampleId { pixel: [0, 0], sample };
                let u2 = |dimension| view.sampler.get_2d(id.pixel, id.sample, dimension);
                let ray = view.camera.ray(u2(0) * film, u2(2));
                let Some(hit) = view.world.intersect(simd, &ray, view.alpha_seed(id, 0)) else { continue };
                let first = view.world.surface_interaction(&hit, -ray.direction, 0.0);
                let up = sunfleck_sampling::warp::cosine_hemisphere(u2(4));
                let side = if ray.direction.dot(first.ng) > 0.0 { -1.0 } else { 1.0 };
                let ray = first.spawn_ray(first.frame.world_from_local(up) * side);
                gathered += 1;
                let Some(hit) = view.world.intersect(simd, &ray, view.alpha_seed(id, 1)) else { continue };
                hits += 1;

                // Add the direct light that the second surface reflects back
                let wo_world = -ray.direction;
                let second = view.world.surface_interaction(&hit, wo_world, 0.0);
                let bsdf = view.world.bsdf(&second);
                albedo += bsdf.albedo();
                let wo = second.frame.local_from_world(wo_world);
                let light_u = view.sampler.get_1d(id.pixel, id.sample, 8);
                let Some(light) =
                    view.world.sample_direct(&second, &bsdf, wo, light_u, u2(6), DirectSampling::LightsOnly)
                else {
                    continue;
                };
                let transmittance = view.world.transmittance(simd, &light.shadow_ray, view.alpha_seed(id, 2));
                if transmittance != Vec3::ZERO {
                    reflected += light.radiance * transmittance;
                }
            }
            if hits == 0 {
                return Vec3::ZERO;
            }
            let hit_fraction = hits as f32 / gathered as f32;
            let reflected_again = (albedo / hits as f32 * hit_fraction).min(Vec3::splat(MAX_REFLECTED));
            reflected / hits as f32 / (Vec3::ONE - reflected_again)
        },
    )
}
