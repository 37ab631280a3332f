//! Unoccluded light from a virtual point light to sixteen points.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_math::Vec3;
use sunfleck_scene::SpotFalloff;
use sunfleck_shading::{EmitterKind, SpotProfile};
use sunfleck_transport::vectors::{self, dot, load};

use super::blocks::{PointBlock, ShadingPoint, ShadingPoints};
use super::vpl::{Vpl, VplEmission, intensity};

/// Returns the geometry terms between the points of a block and a VPL, including the emission profile of the VPL; 0
/// where the point or the VPL faces away.
///
/// * `bound` — upper bound, 1/m².
#[inline(always)]
pub(super) fn geometry<S: Simd>(simd: S, vpl: &Vpl, block: &PointBlock, bound: f32) -> f32x16<S> {
    let splat = |x: f32| f32x16::splat(simd, x);
    let (zero, one) = (splat(0.0), splat(1.0));
    let (ns, ng) = (load(simd, &block.ns), load(simd, &block.ng));
    let d = vpl.towards(simd, load(simd, &block.origin));
    let d2 = dot(d, d);
    let length = d2.sqrt();
    let cos = dot(ns, d) / length;
    let facing = dot(ng, d).simd_gt(zero) & cos.simd_gt(zero) & d2.simd_gt(zero);
    let towards = |n: Vec3| -dot(vectors::splat(simd, n), d) / length;
    let emitted = match vpl.emission {
        VplEmission::Emitter(EmitterKind::Area { ng, double_sided: false, .. }) => towards(ng).max(zero),
        VplEmission::Emitter(EmitterKind::Area { ng, .. }) => towards(ng).abs(),
        VplEmission::Glossy(glossy) => towards(glossy.ng).max(zero),
        VplEmission::Emitter(EmitterKind::Spot { direction, profile, .. }) => {
            spot(simd, profile, towards(direction))
        }
        VplEmission::Emitter(EmitterKind::Point { .. } | EmitterKind::Distant { .. }) => one,
    };
    let geometry = match vpl.distant() {
        Some(_) => cos,
        None => (cos * emitted / d2).min(splat(bound)),
    };
    let live = lanes(simd, block.live) & facing & geometry.simd_gt(zero);
    live.select(geometry, zero)
}

/// Returns [`SpotProfile::at`] of sixteen cosines.
#[inline(always)]
fn spot<S: Simd>(simd: S, profile: SpotProfile, cos: f32x16<S>) -> f32x16<S> {
    let splat = |x: f32| f32x16::splat(simd, x);
    let delta = (splat(profile.scale) * cos + splat(profile.offset)).max(splat(0.0)).min(splat(1.0));
    let square = delta * delta;
    match profile.falloff {
        SpotFalloff::Quadratic => square,
        SpotFalloff::Smooth => square * (splat(3.0) - splat(2.0) * delta),
        SpotFalloff::Quartic => square * square,
        SpotFalloff::Linear => f32x16::load_array_ref(simd, &cos.to_array().map(|cos| profile.at(cos))),
    }
}

/// Returns the factor by which the geometry term is multiplied if the point or the VPL is glossy: the
/// intensity of the VPL towards the point, times the ratio of the reflected light to that of a diffuse
/// surface.
#[inline(never)]
pub(super) fn effective_intensity<S: Simd>(
    simd: S,
    point: &ShadingPoint,
    points: &ShadingPoints,
    vpl: &Vpl,
) -> Vec3 {
    // The function is not inlined, so it does not inherit the instruction set of its caller
    simd.vectorize(
        #[inline(always)]
        || {
            let direction = match vpl.distant() {
                Some(to_light) => to_light,
                None => vpl.position - point.origin,
            };
            let to_light = direction.normalize_or(point.ns);
            let intensity = match &vpl.emission {
                VplEmission::Emitter(emitter) => intensity(emitter),
                VplEmission::Glossy(glossy) => glossy.intensity_over_cos(-to_light),
            };
            let glossy = points.glossy.get(point.glossy as usize);
            intensity * glossy.map_or(Vec3::ONE, |glossy| glossy.factor(to_light))
        },
    )
}

/// Returns the mask of the lanes whose bits are set.
#[inline(always)]
pub(super) fn lanes<S: Simd>(simd: S, bits: u32) -> mask32x16<S> {
    mask32x16::from_bitmask(simd, u64::from(bits))
}
