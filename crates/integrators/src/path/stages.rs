//! The stages of a wave. Each is one function that is compiled for every SIMD level.

use fearless_simd::{Level, Simd};
use sunfleck_constants::path::MOST_SURVIVAL;
use sunfleck_image::{Aov, AovSample};
use sunfleck_kernel::{Coherence, MISS};
use sunfleck_math::Vec3;
use sunfleck_shading::BsdfContext;
use sunfleck_transport::vectors::LANES;
use sunfleck_transport::{DirectSampling, InteractionBlock, LastScattering, Scattering, scatter, survives};

use super::PathTracer;
use super::streams::{SampleResult, ShadowRayKind, Streams};
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
pub(super) fn intersect(level: Level, view: &View<'_>, bounce: u32, streams: &mut Streams) {
    let Streams { live, results, .. } = streams;
    live.hits.resize(live.slot.len());
    let seed = |i: usize| view.alpha_seed(results[live.slot[i] as usize].id, bounce * 2);
    view.world.intersect_stream(
        level,
        &live.rays.as_stream(),
        coherence(bounce),
        &seed,
        &mut live.hits.as_stream(),
    );
}

/// Returns the coherence of the rays of a wave: those of the first are neighbours.
fn coherence(bounce: u32) -> Coherence {
    if bounce == 0 { Coherence::Coherent } else { Coherence::Incoherent }
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
            let mut block = InteractionBlock::new();
            for start in (0..streams.order.len()).step_by(LANES) {
                let which = &streams.order[start..streams.order.len().min(start + LANES)];
                let direction = streams.live.rays.as_stream().direction;
                view.world.surface_interactions(simd, &streams.live.hits, direction, which, &mut block);
                for lane in 0..which.len() {
                    let at = streams.order[start + lane] as usize;
                    shade_one(view, path, bounce, streams, at, (&block, lane));
                }
            }
            streams.advance();
        },
    );
}

/// Shades the hit `at` of the wave, which is a lane of a block.
#[inline(always)]
fn shade_one(
    view: &View<'_>,
    path: &PathTracer,
    bounce: u32,
    streams: &mut Streams,
    at: usize,
    lane: (&InteractionBlock, usize),
) {
    let Streams { live, next, results, shadow, .. } = streams;
    let (slot, throughput, last) = (live.slot[at], live.throughput[at], live.last[at]);
    let [x, y, z] = live.rays.as_stream().direction;
    let direction = Vec3::new(x[at], y[at], z[at]);
    let eta_scale = live.eta_scale[at];
    let result = &mut results[slot as usize];
    let world = view.world;

    // The ray left the scene: add the environment
    if live.hits.prim_id[at] == MISS {
        result.radiance += throughput * world.escaped(direction, &last);
        return;
    }

    // Add emission, weighted against light sampling
    let wo_world = -direction;
    let t = live.hits.t[at];
    let width = if bounce == 0 { view.footprint(direction, t, result.id.sample) } else { 0.0 };
    let surface = world.surface_interaction_of(&live.hits, at, lane, wo_world, width);
    result.radiance += throughput * world.emitted(&surface, wo_world, &last);

    // Record the first surface
    let bsdf = world.materials().bsdf(surface.material, &surface.attributes);
    if bounce == 0 {
        result.aov = view.aov_sample(&surface, t, bsdf.albedo());
        if view.aovs.contains(Aov::AmbientOcclusion) {
            let ray = view.occlusion_ray(&surface, wo_world, result.id, view.spec.occlusion_radius);
            shadow.push(slot, &ray, ShadowRayKind::Occlusion);
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
            shadow.push(slot, &light.shadow_ray, kind);
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
pub(super) fn test_shadow_rays(level: Level, view: &View<'_>, bounce: u32, streams: &mut Streams) {
    let Streams { results, shadow, .. } = streams;
    shadow.occluded.resize(shadow.slot.len(), false);
    let seed = |i: usize| view.alpha_seed(results[shadow.slot[i] as usize].id, bounce * 2 + 1);
    let rays = shadow.rays.as_stream();
    view.world.occluded_stream(level, &rays, coherence(bounce), &seed, &mut shadow.occluded);
    for ((&slot, kind), &occluded) in shadow.slot.iter().zip(&shadow.kind).zip(&shadow.occluded) {
        let result = &mut results[slot as usize];
        match *kind {
            ShadowRayKind::Direct(radiance) if !occluded => result.radiance += radiance,
            ShadowRayKind::Occlusion if occluded => result.aov.occlusion = 0.0,
            ShadowRayKind::Direct(_) | ShadowRayKind::Occlusion => {}
        }
    }
}
