//! The stages of a wave. Each is one function that is compiled for every SIMD level.

use fearless_simd::{Level, Simd};
use sunfleck_image::color::luminance;
use sunfleck_image::{Aov, AovSample};
use sunfleck_kernel::Coherence;
use sunfleck_math::{Vec2, Vec3};
use sunfleck_shading::{BATCH_SIZE, Bsdf, BsdfContext, Lobes, batch_row};
use sunfleck_transport::vectors::LANES;
use sunfleck_transport::{DirectSampling, LastScattering, Scattering, reflected_radiance, scatter};

use super::PathTracer;
use super::diffuse::shade_plain;
use super::sample_rows::SampleRows;
use super::streams::{SampleResult, ShadowRayKind, ShadowRays, Streams};
use crate::dimension;
use crate::view::{SampleId, View};

/// Generates the camera rays of all samples.
#[inline(always)]
pub(super) fn generate<S: Simd>(simd: S, view: &View<'_>, samples: &[SampleId], streams: &mut Streams) {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut slots = 0..;
            let (mut film_u, mut lens_u) = ([[0.0; BATCH_SIZE]; 2], [[0.0; BATCH_SIZE]; 2]);
            let mut rows = SampleRows::default();
            for ids in samples.chunks(BATCH_SIZE) {
                rows.set(ids.iter().copied());
                rows.draw(view, dimension::FILM, film_u.each_mut());
                rows.draw(view, dimension::LENS, lens_u.each_mut());
                for (i, (&id, slot)) in ids.iter().zip(&mut slots).enumerate() {
                    let film = Vec2::new(film_u[0][i], film_u[1][i]);
                    let lens = Vec2::new(lens_u[0][i], lens_u[1][i]);
                    let (ray, film_weight) = view.camera_ray_with(id.pixel, film, lens);
                    let result = SampleResult {
                        id,
                        radiance: Vec3::ZERO,
                        film_weight,
                        aov: AovSample::MISS,
                        diffuse_share: Vec3::ONE,
                        is_split: false,
                        panes: 0,
                    };
                    streams.results.push(result);
                    streams.live.push(slot, ray, Vec3::ONE, 1.0, LastScattering::delta(ray.origin));
                }
            }
        },
    );
}

/// Finds the closest hit of every live path.
pub(super) fn intersect(level: Level, view: &View<'_>, bounce: u32, streams: &mut Streams) {
    let Streams { live, results, .. } = streams;
    live.hits.resize(live.slot.len());
    let seed = |i: usize| {
        let result = &results[live.slot[i] as usize];
        view.alpha_seed(result.id, result.node(bounce).wrapping_mul(2))
    };
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

/// Adds emission, samples direct light and spawns the next rays, in the order of materials.
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
            // Panes that paths have passed are no bounces
            let scatters = bounce < path.max_bounces || view.world.materials().has_panes();
            for start in (0..streams.hit_count).step_by(BATCH_SIZE) {
                let count = BATCH_SIZE.min(streams.hit_count - start);
                let Streams { live, results, order, batch, .. } = streams;
                batch.fill(simd, view, live, results, &order[start..start + count], bounce, scatters);
                let plain = streams.plain_count.clamp(start, start + count) - start;
                if plain > 0 && scatters {
                    shade_plain(view, path, bounce, streams, start, plain);
                }
                for i in plain..count {
                    let at = streams.order[start + i] as usize;
                    shade_one(simd, view, path, bounce, streams, at, i);
                }
            }
            // Rays that left the scene: add the environment
            let Streams { live, results, order, hit_count, .. } = streams;
            let [x, y, z] = live.rays.as_stream().direction;
            for &at in &order[*hit_count..] {
                let at = at as usize;
                let direction = Vec3::new(x[at], y[at], z[at]);
                let result = &mut results[live.slot[at] as usize];
                let scatterings = result.scatterings(bounce);
                if scatterings == 0 && !view.spec.shows_environment {
                    // A pane in front of the background does not cover it
                    result.aov = AovSample::MISS;
                    continue;
                }
                let radiance = live.throughput[at] * view.world.escaped(direction, &live.last[at]);
                result.add(radiance, path.share_left(scatterings, radiance));
            }
            streams.advance();
        },
    );
}

/// Shades a hit on any material.
///
/// * `at` — index of the live path.
/// * `i` — index of the hit in the batch.
#[inline(always)]
fn shade_one<S: Simd>(
    simd: S,
    view: &View<'_>,
    path: &PathTracer,
    bounce: u32,
    streams: &mut Streams,
    at: usize,
    i: usize,
) {
    let Streams { live, next, results, shadow, batch, feature_rays, .. } = streams;
    let (slot, throughput, last) = (live.slot[at], live.throughput[at], live.last[at]);
    let eta_scale = live.eta_scale[at];
    let result = &mut results[slot as usize];
    let scatterings = result.scatterings(bounce);
    let world = view.world;

    // Add emission, weighted against light sampling
    let wo_world = batch_row(&batch.wo, i);
    let t = live.hits.t[at];
    let width = if bounce == 0 { view.footprint(-wo_world, t, result.id.sample) } else { 0.0 };
    let lane = (&batch.blocks[i / LANES], i % LANES);
    let surface = world.surface_interaction_of(&live.hits, at, lane, wo_world, width);
    let emitted = throughput * world.emitted(&surface, wo_world, &last);
    result.add(emitted, path.share_left(scatterings, emitted));

    // Record the first surface
    let bsdf = world.bsdf(&surface);
    if bounce == 0 {
        let diffuse = result.aov.diffuse;
        result.aov = AovSample { diffuse, ..view.aov_sample(&surface, t, bsdf.albedo()) };
        if view.aovs.contains(Aov::Features) {
            let id = result.id;
            result.aov.features = view.features(simd, &surface, &bsdf, wo_world, t, id, feature_rays);
        }
        if view.aovs.contains(Aov::AmbientOcclusion) {
            let ray = view.occlusion_ray(&surface, wo_world, result.id, view.spec.occlusion_radius);
            shadow.push(slot, &ray, ShadowRayKind::Occlusion);
        }
    }
    if scatterings >= path.max_bounces && !bsdf.is_pane() {
        return;
    }

    // Reflect the light of the light sample
    let wo = surface.frame.local_from_world(wo_world);
    let splits = !result.is_split && !bsdf.is_delta() && view.aovs.contains(Aov::Diffuse);
    if let Some(light) = batch.lights.sample(i) {
        let direct = reflected_radiance(surface.ng, &surface.frame, &bsdf, wo, &light, DirectSampling::Mis);
        if direct != Vec3::ZERO {
            let ray = surface.spawn_shadow_ray(light.wi, light.distance);
            let share = match splits {
                true => diffuse_share(&bsdf, wo, surface.frame.local_from_world(light.wi)),
                false => result.diffuse_share,
            };
            let direct = throughput * direct;
            shadow.push(slot, &ray, ShadowRayKind::Direct(direct, direct * share));
        }
    }

    // Scatter
    let direction_u = Vec2::new(batch.direction_u[0][i], batch.direction_u[1][i]);
    let scattering = scatter(&surface, &bsdf, BsdfContext::RADIANCE, wo, batch.lobe_u[i], direction_u);
    let Some(scattering) = scattering else { return };
    let Scattering { ray, sample: scattered } = scattering;
    if splits {
        result.diffuse_share = match scattered.is_delta() {
            true => Vec3::ZERO,
            false => diffuse_share(&bsdf, wo, scattered.wi),
        };
        result.is_split = true;
    }
    let is_passed = bsdf.is_passed(scattered.lobe);
    if scatterings >= path.max_bounces && !is_passed {
        return;
    }
    let eta_scale = eta_scale * (scattered.eta * scattered.eta);
    let throughput = throughput * scattered.throughput;
    let Some(throughput) = path.survivor(scatterings, throughput, eta_scale, batch.roulette_u[i]) else {
        return;
    };
    result.panes += u32::from(is_passed);
    result.aov.reflections = result.scatterings(bounce + 1);
    next.push(slot, ray, throughput, eta_scale, scattering.last(&surface, &bsdf, &last));
}

/// Returns the share of the light scattered between two directions that the diffuse lobes scatter.
#[inline(always)]
fn diffuse_share(bsdf: &Bsdf, wo: Vec3, wi: Vec3) -> Vec3 {
    if matches!(bsdf, Bsdf::Lambert(_) | Bsdf::OrenNayar(_)) {
        return Vec3::ONE;
    }
    let all = bsdf.eval(BsdfContext::RADIANCE, wo, wi);
    let diffuse = bsdf.eval(BsdfContext::RADIANCE.with_lobes(Lobes::DIFFUSE), wo, wi);
    Vec3::select(all.cmpgt(Vec3::ZERO), diffuse / all, Vec3::ZERO)
}

/// Traces the shadow rays, and adds direct light that is unoccluded.
pub(super) fn test_shadow_rays(
    level: Level,
    view: &View<'_>,
    path: &PathTracer,
    bounce: u32,
    streams: &mut Streams,
) {
    let Streams { results, shadow, .. } = streams;
    shadow.occluded.resize(shadow.slot.len(), false);
    let seed = |i: usize| {
        let result = &results[shadow.slot[i] as usize];
        // A pane that is the first vertex has been counted already
        let node = if bounce == 0 { 0 } else { result.node(bounce) };
        view.alpha_seed(result.id, node.wrapping_mul(2) + 1)
    };
    let rays = shadow.rays.as_stream();
    let ShadowRays { occluded, through, .. } = shadow;
    view.world.transmittance_stream(level, &rays, coherence(bounce), &seed, occluded, through);
    for (i, ((&slot, kind), &occluded)) in
        shadow.slot.iter().zip(&shadow.kind).zip(&shadow.occluded).enumerate()
    {
        let result = &mut results[slot as usize];
        match *kind {
            ShadowRayKind::Direct(mut radiance, mut diffuse) if !occluded => {
                if let Some(&through) = shadow.through.get(i) {
                    (radiance, diffuse) = (radiance * through, diffuse * through);
                }
                let share = path.share_left(result.scatterings(bounce + 1), radiance);
                let left = radiance * share;
                result.radiance += left;
                result.aov.diffuse += diffuse * share;
                result.aov.clamped += radiance - left;
            }
            ShadowRayKind::Occlusion if occluded => result.aov.occlusion = 0.0,
            ShadowRayKind::Occlusion => {
                result.aov.occlusion = shadow.through.get(i).map_or(1.0, |&through| luminance(through));
            }
            ShadowRayKind::Direct(..) => {}
        }
    }
}
