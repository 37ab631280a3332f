//! Shooting along random rays.

use std::f32::consts::PI;

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_kernel::{Coherence, HitBuffer, RayBuffer};
use sunfleck_math::{Frame, Ray, Vec3};
use sunfleck_sampling::{Sampler, rng, warp};
use sunfleck_transport::{AlphaSeed, World};

use super::Elements;
use super::selection::Shooter;
use crate::atlas::Atlas;

/// Rays that are traced by one task.
const RAYS_PER_TASK: usize = 4096;
/// Random points of a texel that are tried until one is not cut out.
const POINTS: u32 = 8;

/// Light that a ray brings to an element: its flux, W.
type Deposit = (u32, Vec3);

/// Returns the irradiance of all elements by the light of shooters. A shooter without hits loses its light, as through a
/// window.
///
/// * `rays` — of each shooter.
pub(super) fn shoot(
    world: &World,
    atlas: &Atlas,
    elements: &Elements,
    shooters: &[Shooter],
    rays: u32,
    sampler: &Sampler,
    iteration: u32,
) -> Vec<Vec3> {
    let count = shooters.len() * rays as usize;
    let starts: Vec<usize> = (0..count).step_by(RAYS_PER_TASK).collect();
    let trace = |&start: &usize| {
        let range = start..(start + RAYS_PER_TASK).min(count);
        deposits(world, atlas, elements, shooters, rays, sampler, iteration, range)
    };
    let traced: Vec<Vec<Deposit>> = starts.par_iter().map(trace).collect();
    // In the order of rays, whichever thread traced them
    let mut irradiance = vec![Vec3::ZERO; 2 * elements.texels()];
    for (element, flux) in traced.into_iter().flatten() {
        irradiance[element as usize] += flux;
    }
    for (element, irradiance) in irradiance.iter_mut().enumerate() {
        let (texel, _) = elements.texel_of(element);
        if elements.areas[texel] > 0.0 {
            *irradiance /= elements.areas[texel];
        }
    }
    irradiance
}

fn deposits(
    world: &World,
    atlas: &Atlas,
    elements: &Elements,
    shooters: &[Shooter],
    rays: u32,
    sampler: &Sampler,
    iteration: u32,
    range: std::ops::Range<usize>,
) -> Vec<Deposit> {
    let mut buffer = RayBuffer::with_capacity(range.len());
    for i in range.clone() {
        let Shooter { element, .. } = shooters[i / rays as usize];
        buffer.push(&ray(world, atlas, elements, element, sampler, iteration, index(i)));
    }
    let mut hits = HitBuffer::with_len(range.len());
    let seed = |i: usize| AlphaSeed { pixel: [iteration, 2], sample: index(range.start + i), stream: 0 };
    let stream = buffer.as_stream();
    world.intersect_stream(Level::new(), &stream, Coherence::Incoherent, &seed, &mut hits.as_stream());
    let mut deposits = Vec::with_capacity(range.len());
    for (k, i) in range.enumerate() {
        let point = atlas.point_of(hits.inst_id[k], hits.prim_id[k], [hits.u[k], hits.v[k]]);
        let (Some(point), Some(ray)) = (point, stream.get(k)) else { continue };
        let is_front =
            -ray.direction.dot(atlas.surfaces().normal_at(point.triangle, point.barycentrics)) >= 0.0;
        let element = atlas.texel_at(point) + if is_front { 0 } else { index(elements.texels()) };
        if elements.areas[elements.texel_of(element as usize).0] <= 0.0 {
            continue;
        }
        let shooter = shooters[i / rays as usize];
        // No point is found with probability (1 − coverage)^POINTS: the others shoot that light, too
        let (texel, _) = elements.texel_of(shooter.element);
        let cut_out = 1.0 - elements.images.coverage[texel];
        let found = 1.0 - (0..POINTS).fold(1.0, |product, _| product * cut_out);
        let share = PI / (shooters.len() as f32 * rays as f32 * found);
        deposits.push((element, shooter.intensity * share));
    }
    deposits
}

/// Returns a random ray from an element; an empty one if its triangle is degenerate, or if no point was found that is not
/// cut out by alpha.
fn ray(
    world: &World,
    atlas: &Atlas,
    elements: &Elements,
    element: usize,
    sampler: &Sampler,
    iteration: u32,
    sample: u32,
) -> Ray {
    let (texel, is_front) = elements.texel_of(element);
    let u = |dimension| sampler.get_2d([iteration, 1], sample, dimension);
    let point = |attempt: u32| {
        let point_u = u(if attempt == 0 { 0 } else { 2 * (attempt + 1) });
        let surface = atlas.interaction_in(world, index(texel), point_u, is_front, 0.0)?;
        // Light starts where alpha stops rays
        let alpha = world.materials().alpha(surface.material, &surface.attributes);
        let is_solid = alpha >= 1.0 || rng::uniform([iteration, sample, attempt, index(element)]) < alpha;
        is_solid.then_some(surface)
    };
    let Some(surface) = (0..POINTS).find_map(point) else {
        return Ray { t_far: -1.0, ..Ray::new(Vec3::ZERO, Vec3::Z) };
    };
    let normal = if is_front { surface.ng } else { -surface.ng };
    let direction = Frame::from_normal(normal).world_from_local(warp::cosine_hemisphere(u(2)));
    surface.spawn_ray(direction)
}

/// Converts an index; atlases have at most 2³⁰ texels.
pub(super) fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
