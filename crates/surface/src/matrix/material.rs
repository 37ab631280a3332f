//! Materials of patches, and light that reaches them from punctual lights.

use std::f32::consts::PI;

use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::{Hit, InstPath};
use sunfleck_math::Vec3;
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_transport::{AlphaSeed, SurfaceInteraction, World};

use super::Patch;
use super::face::Face;
use crate::direct;
use crate::reflectance::diffuse_reflectance;

/// Points of a patch at which textures are evaluated.
const POINTS: u32 = 16;
/// Light samples of a patch.
const LIGHT_SAMPLES: u32 = 256;
/// Seed of light samples.
const LIGHT_SEED: u32 = 0x11_6e7;

/// Returns the diffuse reflectance and the emitted radiosity of a patch: the averages over points in a stratified
/// pattern, which is the same for all patches.
pub(super) fn patch_material(world: &World, face: &Face, patch: &Patch) -> (Vec3, Vec3) {
    let sampler = Sampler::new(SamplerKind::Sobol, 0);
    let is_uniform = world.materials().is_uniform(face.material(world));
    let points = if is_uniform { 1 } else { POINTS };
    let width = (patch.area / points as f32).sqrt();
    let mut sums = [Vec3::ZERO; 2];
    for point in 0..points {
        let surface = surface_at(world, face, patch, patch.sample(sampler.get_2d([0, 0], point, 0)), width);
        sums[0] += diffuse_reflectance(&world.bsdf(&surface)).unwrap_or(Vec3::ZERO);
        sums[1] += world.emission(surface.material, &surface.attributes, patch.is_front) * PI;
    }
    let [reflectance, emission] = sums.map(|sum| sum / points as f32);
    (reflectance, emission)
}

/// Returns the mean irradiance of a patch by punctual lights.
pub(super) fn punctual_irradiance(world: &World, face: &Face, patch: &Patch) -> Vec3 {
    dispatch!(Level::new(), simd => {
        let sampler = Sampler::new(SamplerKind::Sobol, LIGHT_SEED);
        let sum: Vec3 = (0..LIGHT_SAMPLES).map(|sample| light_sample(simd, world, face, patch, &sampler, sample)).sum();
        sum / LIGHT_SAMPLES as f32
    })
}

fn light_sample<S: Simd>(
    simd: S,
    world: &World,
    face: &Face,
    patch: &Patch,
    sampler: &Sampler,
    sample: u32,
) -> Vec3 {
    let u = |dimension| sampler.get_2d(patch.key, sample, dimension);
    let surface = surface_at(world, face, patch, patch.sample(u(0)), 0.0);
    let seed = AlphaSeed { pixel: patch.key, sample, stream: LIGHT_SEED };
    direct::irradiance(simd, world, &surface, patch.is_front, false, u(4).x, u(2), seed)
}

fn surface_at(world: &World, face: &Face, patch: &Patch, position: Vec3, width: f32) -> SurfaceInteraction {
    let (prim_id, [u, v]) = face.triangle_at(position);
    let (ng, inst_path) = (face.normal, InstPath::EMPTY);
    let hit = Hit { t: 0.0, u, v, ng, prim_id, geom_id: 0, inst_id: face.instance, inst_path };
    world.surface_interaction(&hit, patch.normal, width)
}
