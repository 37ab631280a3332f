//! Traces photons from lights.

use fearless_simd::Simd;
use rayon::prelude::*;
use sunfleck_constants::dimension::{OF_AIM, OF_DIRECTION, OF_GOAL, OF_KEEPING, OF_SIDE, PHOTONS};
use sunfleck_math::Vec3;
use sunfleck_shading::{EmittedRay, VirtualEmitter};
use sunfleck_transport::BoundingSphere;

use super::aim::{self, EmissionRandoms};
use crate::igi::LightDistribution;
use crate::light_walk::{self, LightVertex, sequence};
use crate::view::{SampleId, View};

/// Number of walks of a task.
const CHUNK: u32 = 512;

/// Light that arrives at a surface by a specular lobe of the previous surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Photon {
    pub(super) position: Vec3,
    /// Direction that the light comes from, unit.
    pub(super) wi: Vec3,
    /// Unit geometric normal on that side.
    pub(super) ng: Vec3,
    /// Flux, W.
    pub(super) flux: Vec3,
}

/// Returns the photons of `count` walks, in the order of walks.
///
/// * `targets` — bounding spheres of surfaces with specular lobes.
pub(super) fn photons<S: Simd>(
    simd: S,
    view: &View<'_>,
    lights: &LightDistribution,
    targets: &[BoundingSphere],
    pass: u32,
    count: u32,
) -> Vec<Photon> {
    let chunk = |chunk: u32| {
        let first = chunk * CHUNK;
        walks(simd, view, lights, targets, pass, first..count.min(first + CHUNK), count)
    };
    let chunks: Vec<Vec<Photon>> = (0..count.div_ceil(CHUNK)).into_par_iter().map(chunk).collect();
    chunks.concat()
}

#[inline(never)]
fn walks<S: Simd>(
    simd: S,
    view: &View<'_>,
    lights: &LightDistribution,
    targets: &[BoundingSphere],
    pass: u32,
    numbers: std::ops::Range<u32>,
    count: u32,
) -> Vec<Photon> {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut photons = Vec::new();
            for sample in numbers {
                let id = SampleId { pixel: sequence(PHOTONS, pass), sample };
                let Some(emitter) = lights.emitter(view, id, None, count) else { continue };
                let Some(emitted) = emit(view, &emitter, targets, id) else { continue };
                let _ = light_walk::walk(simd, view, id, &emitted, |vertex| {
                    photons.extend(photon(view, vertex, id));
                });
            }
            photons
        },
    )
}

/// Samples the first ray of a walk. Half of the walks are aimed at a target that is selected at random.
fn emit(
    view: &View<'_>,
    emitter: &VirtualEmitter,
    targets: &[BoundingSphere],
    id: SampleId,
) -> Option<EmittedRay> {
    let SampleId { pixel, sample } = id;
    let randoms = EmissionRandoms {
        aim: view.sampler.get_1d(pixel, sample, OF_AIM),
        direction: view.sampler.get_2d(pixel, sample, OF_DIRECTION),
        side: view.sampler.get_1d(pixel, sample, OF_SIDE),
    };
    let target = pick(targets, view.sampler.get_1d(pixel, sample, OF_GOAL))?;
    aim::emit(emitter, target, &view.world.bounding_sphere(), randoms)
}

/// Selects a target uniformly.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
fn pick(targets: &[BoundingSphere], u: f32) -> Option<&BoundingSphere> {
    targets.get(((u * targets.len() as f32) as usize).min(targets.len().saturating_sub(1)))
}

/// Stores the specular part of the light at a vertex as a photon. It is kept with the probability of its share in the
/// flux, so that all photons have about the same flux.
#[inline(always)]
fn photon(view: &View<'_>, vertex: &LightVertex, id: SampleId) -> Option<Photon> {
    let LightVertex { surface, bsdf, wi_world, flux, specular, bounce, .. } = *vertex;
    if specular == Vec3::ZERO || bsdf.is_delta() {
        return None;
    }
    let share = (specular.max_element() / flux.max_element()).min(1.0);
    if view.sampler.get_1d(id.pixel, id.sample, OF_KEEPING + bounce) >= share {
        return None;
    }
    let ng = if wi_world.dot(surface.ng) < 0.0 { -surface.ng } else { surface.ng };
    Some(Photon { position: surface.position, wi: wi_world, ng, flux: specular / share })
}
