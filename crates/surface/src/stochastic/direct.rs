//! Light of the environment and of punctual lights.

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_sampling::Sampler;
use sunfleck_transport::{AlphaSeed, World};

use super::rays::index;
use crate::atlas::Atlas;
use crate::direct;

/// Elements that are lit by one task.
const ELEMENTS_PER_TASK: usize = 1024;

/// Adds the irradiance of one light sample to each element.
pub(crate) fn add(world: &World, atlas: &Atlas, sampler: &Sampler, iteration: u32, irradiance: &mut [Vec3]) {
    if !direct::has_lights(world) {
        return;
    }
    let level = Level::new();
    irradiance.par_chunks_mut(ELEMENTS_PER_TASK).enumerate().for_each(|(chunk, irradiance)| {
        dispatch!(level, simd => {
            for (i, irradiance) in irradiance.iter_mut().enumerate() {
                let element = chunk * ELEMENTS_PER_TASK + i;
                *irradiance += sample(simd, world, atlas, sampler, iteration, element).unwrap_or(Vec3::ZERO);
            }
        });
    });
}

/// Returns the irradiance at a random point of an element.
fn sample<S: Simd>(
    simd: S,
    world: &World,
    atlas: &Atlas,
    sampler: &Sampler,
    iteration: u32,
    element: usize,
) -> Option<Vec3> {
    let count = atlas.texels().len();
    let (texel, is_front) = if element < count { (element, true) } else { (element - count, false) };
    // Each element has a sequence of its own, which is stratified over the iterations
    let u = |dimension| sampler.get_2d([index(element), 3], iteration, dimension);
    let surface = atlas.interaction_in(world, index(texel), u(0), is_front, 0.0)?;
    let seed = AlphaSeed { pixel: [index(element), 3], sample: iteration, stream: 0 };
    Some(direct::irradiance(simd, world, &surface, is_front, true, u(4).x, u(2), seed))
}
