//! The stages of a wave. Each is one function that is compiled for every SIMD level.

use fearless_simd::Simd;
use sunfleck_constants::path::MOST_SURVIVAL;
use sunfleck_image::{Aov, AovSample};
use sunfleck_math::Vec3;
use sunfleck_shading::BsdfContext;
use sunfleck_transport::{DirectSampling, LastScattering, Scattering, scatter, survives};

use super::PathTracer;
use super::streams::{SampleResult, ShadowRay, ShadowRayKind, Streams};
use crate::dimension::Vertex;
use crate::view::{SampleId, TileSamples, View};

/// Generates the camera rays of all samples.
#[inline(always)]
pub(super) fn generate<S: Simd>(simd: S, view: &View<'_>, samples: &TileSamples, streams: &mut Streams) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (id, slot) in samples.iter().zip(0..) {
                let (ray, film_weight) = view.camera_ray(id);
                let result = SampleResult { id, radiance: Vec3::ZERO, film_weight, aov: AovSample::MISS };
                streams.results.push(result);
                let last = LastScattering { position: ray.origin, pdf_solid_angle: None };
                streams.live.push(slot, ray, Vec3::ONE, 1.0, last);
            }
        },
    );
}

/// Finds the closest hit of every live path.
#[inline(always)]
pub(super) fn intersect<S: Simd>(simd: S, view: &View<'_>, bounce: u32, streams: &mut Streams) {
    simd.vectorize(
        #[inline(always)]
        || {
            let Streams { live, results, .. } = streams;
            for (ray, &slot) in live.ray.iter().zip(&live.slot) {
                let seed = view.alpha_seed(results[slot as usize].id, bounce * 2);
                live.hit.push(view.world.intersect(simd, ray, seed));
            }
        },
    );
}

/// Adds emission, samples direct light and spawns the next ray, path by path in the order of materials.
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
    let Streams { live, next, results, shadow, .. } = streams;
    let (slot, ray, throughput, last) = (live.slot[at], live.ray[at], live.throughput[at], live.last[at]);
    let eta_scale = live.eta_scale[at];
    let result = &mut results[slot as usize];
    let world = view.world;

    // The ray left the scene: add the environment
    let Some(hit) = live.hit[at] else {
        result.radiance += throughput * world.escaped(ray.direction, &last);
        return;
    };

    // Add emission, weighted against light sampling
    let wo_world = -ray.direction;
    let width = if bounce == 0 { view.footprint(ray.direction, hit.t, result.id.sample) } else { 0.0 };
    let surface = world.surface_interaction(&hit, wo_world, width);
    result.radiance += throughput * world.emitted(&surface, wo_world, &last);

    // Record the first surface
    let bsdf = world.materials().bsdf(surface.material, &surface.attributes);
    if bounce == 0 {
        result.aov = view.aov_sample(&surface, hit.t, bsdf.albedo());
        if view.aovs.contains(Aov::AmbientOcclusion) {
            let ray = view.occlusion_ray(&surface, wo_world, result.id, view.spec.occlusion_radius);
            shadow.push(ShadowRay { slot, ray, kind: ShadowRayKind::Occlusion });
        }
    }
    if bounce >= path.max_bounces {
        return;
    }

    // Sample a light
    let vertex = Vertex::new(bounce);
    let SampleId { pixel, sample } = result.id;
    let wo = surface.frame.local_from_world(wo_world);
    if !bsdf.is_delta() {
        let light_u = view.sampler.get_1d(pixel, sample, vertex.light());
        let point_u = view.sampler.get_2d(pixel, sample, vertex.light_point());
        if let Some(light) = world.sample_direct(&surface, &bsdf, wo, light_u, point_u, DirectSampling::Mis) {
            let kind = ShadowRayKind::Direct(throughput * light.radiance);
            shadow.push(ShadowRay { slot, ray: light.shadow_ray, kind });
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

    // Russian roulette: a path survives with the probability of its throughput. The scale of radiance by refraction is
    // left out, since it is undone where the path leaves the medium again [PBRT4, path integrator]
    let eta_scale = eta_scale * (scattered.eta * scattered.eta);
    if bounce >= path.roulette_after {
        let survival = (throughput * eta_scale).max_element().min(MOST_SURVIVAL);
        let roulette_u = view.sampler.get_1d(pixel, sample, vertex.roulette());
        if !survives(survival, roulette_u) {
            return;
        }
        throughput /= survival;
    }
    result.aov.reflections = bounce + 1;
    next.push(slot, ray, throughput, eta_scale, scattering.last(&surface));
}

/// Traces the shadow rays, and adds direct light that is unoccluded.
#[inline(always)]
pub(super) fn test_shadow_rays<S: Simd>(simd: S, view: &View<'_>, bounce: u32, streams: &mut Streams) {
    simd.vectorize(
        #[inline(always)]
        || {
            for shadow in &streams.shadow {
                let result = &mut streams.results[shadow.slot as usize];
                let seed = view.alpha_seed(result.id, bounce * 2 + 1);
                let transmittance = view.world.transmittance(simd, &shadow.ray, seed);
                let occluded = transmittance == Vec3::ZERO;
                match shadow.kind {
                    ShadowRayKind::Direct(radiance) if !occluded => {
                        result.radiance += radiance * transmittance;
                    }
                    ShadowRayKind::Occlusion if occluded => result.aov.occlusion = 0.0,
                    ShadowRayKind::Direct(_) | ShadowRayKind::Occlusion => {}
                }
            }
        },
    );
}
