//! Reflectance and emission of patches.

use std::f32::consts::PI;

use sunfleck_kernel::{Hit, InstPath};
use sunfleck_math::Vec3;
use sunfleck_sampling::{Sampler, SamplerKind, warp};
use sunfleck_shading::{Bsdf, BsdfContext, Lobes};
use sunfleck_transport::World;

use super::Patch;
use super::face::Face;

/// Points of a patch at which textures are evaluated.
const POINTS: u32 = 16;
/// Pairs of directions for the reflectance of surfaces that are not ideally diffuse.
const DIRECTIONS: u32 = 16;

/// Returns the diffuse reflectance and the emitted radiosity of a patch: the averages over points in a stratified
/// pattern, which is the same for all patches.
pub(super) fn patch_material(world: &World, face: &Face, patch: &Patch) -> (Vec3, Vec3) {
    let sampler = Sampler::new(SamplerKind::Sobol, 0);
    let is_uniform = world.materials().is_uniform(face.material);
    let points = if is_uniform { 1 } else { POINTS };
    let width = (patch.area / points as f32).sqrt();
    let mut sums = [Vec3::ZERO; 2];
    for point in 0..points {
        let position = patch.sample(sampler.get_2d([0, 0], point, 0));
        let (prim_id, [u, v]) = face.triangle_at(position);
        let inst_path = InstPath::EMPTY;
        let ng = face.normal;
        let hit = Hit { t: 0.0, u, v, ng, prim_id, geom_id: 0, inst_id: face.instance, inst_path };
        let surface = world.surface_interaction(&hit, patch.normal, width);
        sums[0] += diffuse_reflectance(&world.bsdf(&surface), &sampler);
        sums[1] += world.emission(surface.material, &surface.attributes, patch.is_front) * PI;
    }
    let [reflectance, emission] = sums.map(|sum| sum / points as f32);
    (reflectance.clamp(Vec3::ZERO, Vec3::ONE), emission)
}

/// Returns the fraction of diffuse light that the diffuse and glossy lobes reflect.
fn diffuse_reflectance(bsdf: &Bsdf, sampler: &Sampler) -> Vec3 {
    if let Bsdf::Lambert(lambert) = bsdf {
        return lambert.albedo;
    }
    let context = BsdfContext::RADIANCE.with_lobes(Lobes::NON_SPECULAR);
    let sample = |i: u32| {
        let wo = warp::cosine_hemisphere(sampler.get_2d([0, 0], i, 2));
        let (lobe_u, u) = (sampler.get_1d([0, 0], i, 4), sampler.get_2d([0, 0], i, 6));
        let sample = bsdf.sample(context, wo, lobe_u, u);
        sample.filter(|sample| sample.wi.z > 0.0).map_or(Vec3::ZERO, |sample| sample.throughput)
    };
    (0..DIRECTIONS).map(sample).sum::<Vec3>() / DIRECTIONS as f32
}
