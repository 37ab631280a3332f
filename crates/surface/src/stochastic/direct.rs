//! Light of the environment and of punctual lights. It is sampled at the surfaces, since these lights have none of their
//! own that could shoot.

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_sampling::Sampler;
use sunfleck_transport::{AlphaSeed, World};

use super::rays::index;
use crate::atlas::Atlas;

/// Elements that are lit by one task.
const ELEMENTS_PER_TASK: usize = 1024;

/// Adds the irradiance of one light sample to each element.
pub(crate) fn add(world: &World, atlas: &Atlas, sampler: &Sampler, iteration: u32, irradiance: &mut [Vec3]) {
    if world.lights().emissive_triangles().count() == world.lights().len() {
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

/// Returns the irradiance at a random point of an element by a light that is not a surface.
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
    let normal = if is_front { surface.ng } else { -surface.ng };
    let light = world.lights().sample(world.materials(), surface.position, normal, u(4).x, u(2))?;
    let cosine = light.wi.dot(normal);
    let is_surface = !light.delta && light.distance.is_finite();
    if is_surface || cosine <= 0.0 {
        return None;
    }
    let ray = surface.spawn_shadow_ray(light.wi, light.distance);
    let seed = AlphaSeed { pixel: [index(element), 3], sample: iteration, stream: 0 };
    let arriving = light.radiance * world.transmittance(simd, &ray, seed);
    Some(arriving * (cosine / light.pdf_solid_angle))
}
