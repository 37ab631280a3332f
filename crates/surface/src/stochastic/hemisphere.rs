//! Shooting from a point to all texels that it sees [Stochastic04, §3.2].

use std::f32::consts::PI;

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_kernel::{Coherence, RayBuffer};
use sunfleck_math::Vec3;
use sunfleck_sampling::Sampler;
use sunfleck_transport::{AlphaSeed, SurfaceInteraction, World};

use super::Elements;
use super::rays::index;
use super::selection::Shooter;
use crate::atlas::Atlas;

/// Texels whose visibility is found by one task.
const TEXELS_PER_TASK: usize = 2048;

/// Cosines below this one count as zero.
const LEAST_COSINE: f32 = 1e-6;

/// Returns the irradiance of all elements by the light of shooters, each from one point.
pub(super) fn shoot(
    world: &World,
    atlas: &Atlas,
    elements: &Elements,
    shooters: &[Shooter],
    sampler: &Sampler,
    iteration: u32,
) -> Vec<Vec3> {
    let mut irradiance = vec![Vec3::ZERO; 2 * elements.texels()];
    let (front, back) = irradiance.split_at_mut(elements.texels());
    let chunks = front.par_chunks_mut(TEXELS_PER_TASK).zip(back.par_chunks_mut(TEXELS_PER_TASK));
    chunks.enumerate().for_each(|(chunk, (front, back))| {
        for (shooter, bundle) in shooters.iter().zip(0..) {
            let (texel, is_front) = elements.texel_of(shooter.element);
            let u = sampler.get_2d([iteration, 1], bundle, 0);
            let surface = atlas.interaction_in(world, index(texel), u, is_front, 0.0);
            let Some(surface) = surface else { continue };
            let normal = if is_front { surface.ng } else { -surface.ng };
            let source = Source { surface, normal, area: elements.areas[texel], iteration, bundle };
            let scale = shooter.intensity / shooters.len() as f32;
            source.light(world, elements, scale, chunk * TEXELS_PER_TASK, front, back);
        }
    });
    irradiance
}

/// Point from which light is shot.
struct Source {
    surface: SurfaceInteraction,
    normal: Vec3,
    area: f32,
    iteration: u32,
    bundle: u32,
}

impl Source {
    /// Adds the irradiance of consecutive texels.
    ///
    /// * `intensity` — that of the source along its normal, W/sr.
    fn light(
        &self,
        world: &World,
        elements: &Elements,
        intensity: Vec3,
        first: usize,
        front: &mut [Vec3],
        back: &mut [Vec3],
    ) {
        let mut rays = RayBuffer::with_capacity(front.len());
        let mut lit: Vec<(usize, f32)> = Vec::with_capacity(front.len());
        for i in 0..front.len() {
            let texel = first + i;
            let offset = elements.images.position[texel] - self.surface.position;
            let distance = offset.length();
            let Some(direction) = offset.try_normalize() else { continue };
            let (cos_y, cos_x) = (self.normal.dot(direction), -elements.images.normal[texel].dot(direction));
            // Texels of one plane do not see each other, whatever rounding makes of their cosines
            if cos_y > LEAST_COSINE && cos_x.abs() > LEAST_COSINE {
                rays.push(&self.surface.spawn_shadow_ray(direction, distance));
                lit.push((i, cos_y * cos_x * PI / (PI * distance * distance + self.area * cos_y)));
            }
        }
        let mut occluded = vec![false; lit.len()];
        let seed = |i: usize| AlphaSeed {
            pixel: [self.iteration, 2],
            sample: index(first + lit[i].0),
            stream: self.bundle,
        };
        world.occluded_stream(Level::new(), &rays.as_stream(), Coherence::Coherent, &seed, &mut occluded);
        for (&(i, kernel), occluded) in lit.iter().zip(occluded) {
            let side = if kernel > 0.0 { &mut front[i] } else { &mut back[i] };
            if !occluded {
                *side += intensity * kernel.abs();
            }
        }
    }
}
