//! The stages of a wave. Each is compiled for every SIMD level as one piece.

use fearless_simd::Simd;
use sunfleck_constants::path::MOST_SURVIVAL;
use sunfleck_image::{Aov, AovSample};
use sunfleck_math::Vec3;
use sunfleck_shading::BsdfContext;
use sunfleck_transport::{LastScattering, Scattering, Technique, scatter, survives};

use super::PathTracer;
use super::streams::{Done, Purpose, ShadowRay, Streams};
use crate::dimension::Vertex;
use crate::view::{SampleId, TileSamples, View};

/// Camera rays for all samples.
#[inline(always)]
pub(super) fn generate<S: Simd>(simd: S, view: &View<'_>, job: &TileSamples, streams: &mut Streams) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (id, slot) in job.iter().zip(0..) {
                let (ray, film_weight) = view.camera_ray(id);
                streams.done.push(Done { id, radiance: Vec3::ZERO, film_weight, aov: AovSample::MISS });
                let last = LastScattering { position: ray.origin, pdf_solid_angle: None };
                streams.live.push(slot, ray, Vec3::ONE, 1.0, last);
            }
        },
    );
}

/// The closest surface on every live path.
#[inline(always)]
pub(super) fn intersect<S: Simd>(simd: S, view: &View<'_>, bounce: u32, streams: &mut Streams) {
    simd.vectorize(
        #[inline(always)]
        || {
            let Streams { live, done, .. } = streams;
            for (ray, &slot) in live.ray.iter().zip(&live.slot) {
                let seed = view.alpha_seed(done[slot as usize].id, bounce * 2);
                live.hit.push(view.world.intersect(simd, ray, seed));
            }
        },
    );
}

/// Emission, direct light and the next ray, path by path in the order of materials.
#[inline(always)]
pub(super) fn shade<S: Simd>(
    simd: S,
    view: &View<'_>,
    path: &PathTracer,
    bounce: u32,
    streams: &mut Streams,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            streams.shadow.clear();
            for at in 0..streams.order.len() {
                shade_one(view, path, bounce, streams, streams.order[at] as usize);
            }
            streams.advance();
        },
    );
}

#[inline(always)]
fn shade_one(view: &View<'_>, path: &PathTracer, bounce: u32, streams: &mut Streams, at: usize) {
    let Streams { live, next, done, shadow, .. } = streams;
    let (slot, ray, throughput, last) = (live.slot[at], live.ray[at], live.throughput[at], live.last[at]);
    let eta_scale = live.eta_scale[at];
    let done = &mut done[slot as usize];
    let world = view.world;

    // The ray left the scene: add the environment
    let Some(hit) = live.hit[at] else {
        done.radiance += throughput * world.escaped(ray.direction, &last);
        return;
    };

    // Add emission, weighted against light sampling
    let wo_world = -ray.direction;
    let width = if bounce == 0 { view.footprint(ray.direction, hit.t, done.id.sample) } else { 0.0 };
    let surface = world.surface_interaction(&hit, wo_world, width);
    done.radiance += throughput * world.emitted(&surface, wo_world, &last);

    // Record the first surface
    let bsdf = world.materials().bsdf(surface.material, &surface.attributes);
    if bounce == 0 {
        done.aov = view.aov_sample(&surface, hit.t, bsdf.albedo());
        if view.aovs.contains(Aov::AmbientOcclusion) {
            let ray = view.occlusion_ray(&surface, wo_world, done.id, view.spec.occlusion_radius);
            shadow.push(ShadowRay { slot, ray, purpose: Purpose::Occlusion });
        }
    }
    if bounce >= path.max_bounces {
        return;
    }

    // Sample a light
    let vertex = Vertex::new(bounce);
    let SampleId { pixel, sample } = done.id;
    let wo = surface.frame.local_from_world(wo_world);
    if !bsdf.is_delta() {
        let light_u = view.sampler.get_1d(pixel, sample, vertex.light());
        let point_u = view.sampler.get_2d(pixel, sample, vertex.light_point());
        if let Some(light) = world.sample_direct(&surface, &bsdf, wo, light_u, point_u, Technique::Combined) {
            let purpose = Purpose::Direct(throughput * light.radiance);
            shadow.push(ShadowRay { slot, ray: light.shadow_ray, purpose });
        }
    }

    // Scatter
    let lobe_u = view.sampler.get_1d(pixel, sample, vertex.lobe());
    let direction_u = view.sampler.get_2d(pixel, sample, vertex.direction());
    let scattering = scatter(&surface, &bsdf, BsdfContext::RADIANCE, wo, lobe_u, direction_u);
    let Some(scattering) = scattering else { return };
    let Scattering { ray, sample: scattered } = scattering;
    let mut throughput = throughput * scattered.throughput;
    if throughput == Vec3::ZERO || !throughput.is_finite() {
        return;
    }

    // Russian roulette: a path survives with the probability of its throughput. The scale of radiance where it is refracted is left
    // out, since it is taken back where the path leaves the medium again [PBRT4, path integrator]
    let eta_scale = eta_scale * (scattered.eta * scattered.eta);
    if bounce >= path.roulette_after {
        let survival = (throughput * eta_scale).max_element().min(MOST_SURVIVAL);
        let roulette_u = view.sampler.get_1d(pixel, sample, vertex.roulette());
        if !survives(survival, roulette_u) {
            return;
        }
        throughput /= survival;
    }
    done.aov.reflections = bounce + 1;
    next.push(slot, ray, throughput, eta_scale, scattering.last(&surface));
}

/// Adds the direct light that nothing blocks.
#[inline(always)]
pub(super) fn test_shadow_rays<S: Simd>(simd: S, view: &View<'_>, bounce: u32, streams: &mut Streams) {
    simd.vectorize(
        #[inline(always)]
        || {
            for shadow in &streams.shadow {
                let done = &mut streams.done[shadow.slot as usize];
                let seed = view.alpha_seed(done.id, bounce * 2 + 1);
                let transmittance = view.world.transmittance(simd, &shadow.ray, seed);
                let blocked = transmittance == Vec3::ZERO;
                match shadow.purpose {
                    Purpose::Direct(radiance) if !blocked => done.radiance += radiance * transmittance,
                    Purpose::Occlusion if blocked => done.aov.occlusion = 0.0,
                    Purpose::Direct(_) | Purpose::Occlusion => {}
                }
            }
        },
    );
}
