//! Radiosities by path tracing with next-event estimation: an estimate without patches.

use std::f32::consts::PI;

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;
use sunfleck_math::{Ray, Vec2, Vec3};
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_shading::BsdfContext;
use sunfleck_surface::matrix::{Channels, Patch};
use sunfleck_testkit::stats::Moments;
use sunfleck_transport::{AlphaSeed, DirectSampling, World, scatter};

/// Distance at which rays to the surface start: less than that of the lamp of `cornell` from the ceiling.
const CLEARANCE: f32 = 4e-6;
const MOST_BOUNCES: u32 = 24;

/// Radiosity of a patch.
pub(crate) struct Reference {
    /// Estimate, luminance.
    pub(crate) mean: f64,
    /// Standard deviation of the estimate, if the samples were independent.
    pub(crate) deviation: f64,
}

pub(crate) fn luminance(color: Vec3) -> f64 {
    f64::from(sunfleck_shading::luminance(color))
}

/// Returns the radiosity of a patch, without its emission.
pub(crate) fn reflected(world: &World, patch: &Patch, key: u32, paths: u32) -> Reference {
    reflected_from(world, &|u| (patch.sample(u), patch.normal), key, paths)
}

/// Returns the mean radiosity of a surface, without its emission.
///
/// * `point` — returns a uniform point of the surface and its normal.
pub(crate) fn reflected_from(
    world: &World,
    point: &dyn Fn(Vec2) -> (Vec3, Vec3),
    key: u32,
    paths: u32,
) -> Reference {
    let mut moments = Moments::default();
    let sampler = Sampler::new(SamplerKind::Sobol, 77);
    for sample in 0..paths {
        let from = point(sampler.get_2d([key, 1], sample, 0));
        let radiance = dispatch!(Level::new(), simd => trace(simd, world, from, &sampler, [key, 1], sample));
        moments.add(luminance(radiance) * f64::from(PI));
    }
    Reference { mean: moments.mean(), deviation: moments.variance_of_mean().sqrt() }
}

fn trace<S: Simd>(
    simd: S,
    world: &World,
    (position, normal): (Vec3, Vec3),
    sampler: &Sampler,
    pixel: [u32; 2],
    sample: u32,
) -> Vec3 {
    let mut ray = Ray::new(position + normal * CLEARANCE, -normal);
    let (mut sum, mut throughput) = (Vec3::ZERO, Vec3::ONE);
    for bounce in 0..MOST_BOUNCES {
        let dimension = 2 + 8 * bounce;
        let seed = AlphaSeed { pixel, sample, stream: bounce };
        let Some(hit) = world.intersect(simd, &ray, seed) else { break };
        let surface = world.surface_interaction(&hit, -ray.direction, 0.0);
        let bsdf = world.bsdf(&surface);
        let wo = surface.frame.local_from_world(-ray.direction);
        let (light_u, point_u) =
            (sampler.get_1d(pixel, sample, dimension), sampler.get_2d(pixel, sample, dimension + 2));
        if let Some(light) =
            world.sample_direct(&surface, &bsdf, wo, light_u, point_u, DirectSampling::LightsOnly)
        {
            sum += throughput * light.radiance * world.transmittance(simd, &light.shadow_ray, seed);
        }
        let u = sampler.get_2d(pixel, sample, dimension + 4);
        let Some(next) = scatter(&surface, &bsdf, BsdfContext::RADIANCE, wo, 0.5, u) else { break };
        throughput *= next.sample.throughput;
        let survival = throughput.max_element().min(1.0);
        if bounce > 2 {
            if sampler.get_1d(pixel, sample, dimension + 6) >= survival {
                break;
            }
            throughput /= survival;
        }
        ray = next.ray;
    }
    sum
}

/// Comparison of radiosities with path tracing at some patches.
#[derive(Debug)]
pub(crate) struct Comparison {
    /// Mean of the absolute differences over the area, relative to the mean radiosity.
    pub(crate) mean_error: f64,
    /// Fraction of the patches whose radiosity differs by less than 3 %, three standard deviations and a thousandth of
    /// the mean radiosity, which is more than reaches the inside of closed blocks.
    pub(crate) within: f64,
}

/// Compares reflected light at every `step`th patch.
pub(crate) fn compare(
    world: &World,
    patches: &[Patch],
    radiosity: &Channels,
    step: usize,
    paths: u32,
) -> Comparison {
    let compared: Vec<usize> = (0..patches.len()).step_by(step).collect();
    let of_patch = |&i: &usize| {
        let patch = &patches[i];
        let reference = reflected(world, patch, u32::try_from(i).unwrap(), paths);
        let found = luminance(radiosity.get(i) - patch.emission);
        (f64::from(patch.area), found, reference)
    };
    let results: Vec<(f64, f64, Reference)> = compared.par_iter().map(of_patch).collect();
    let area: f64 = results.iter().map(|(area, ..)| area).sum();
    let power: f64 = results.iter().map(|(area, _, reference)| area * reference.mean).sum();
    let error: f64 =
        results.iter().map(|(area, found, reference)| area * (found - reference.mean).abs()).sum();
    let is_within = |(_, found, reference): &&(f64, f64, Reference)| {
        let tolerated = 0.03 * reference.mean + 3.0 * reference.deviation + 1e-3 * power / area;
        (found - reference.mean).abs() <= tolerated
    };
    let within = results.iter().filter(is_within).count() as f64 / results.len() as f64;
    Comparison { mean_error: error / power, within }
}
