//! What a virtual point light brings to sixteen points if nothing is in the way.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_math::Vec3;
use sunfleck_shading::EmitterKind;
use sunfleck_transport::vectors::{self, dot, load};

use super::blocks::{Block, Point, Points};
use super::vpl::{Shine, Vpl, intensity};

/// Geometry terms of a block and a VPL, 0 where neither sees the other.
#[inline(always)]
pub(super) fn geometry<S: Simd>(simd: S, vpl: &Vpl, block: &Block, bound: f32) -> f32x16<S> {
    let splat = |x: f32| f32x16::splat(simd, x);
    let (zero, one) = (splat(0.0), splat(1.0));
    let (ns, ng) = (load(simd, &block.ns), load(simd, &block.ng));
    let d = vpl.towards(simd, load(simd, &block.origin));
    let d2 = dot(d, d);
    let length = d2.sqrt();
    let cos = dot(ns, d) / length;
    let facing = dot(ng, d).simd_gt(zero) & cos.simd_gt(zero) & d2.simd_gt(zero);
    let towards = |n: Vec3| -dot(vectors::splat(simd, n), d) / length;
    let emitted = match vpl.shine {
        Shine::EmitterKind(EmitterKind::Area { ng, double_sided: false, .. }) => towards(ng).max(zero),
        Shine::EmitterKind(EmitterKind::Area { ng, .. }) => towards(ng).abs(),
        Shine::Glossy(glossy) => towards(glossy.ng).max(zero),
        Shine::EmitterKind(EmitterKind::Spot { direction, scale, offset, .. }) => {
            let attenuation = (splat(scale) * towards(direction) + splat(offset)).max(zero).min(one);
            attenuation * attenuation
        }
        Shine::EmitterKind(EmitterKind::Point { .. } | EmitterKind::Distant { .. }) => one,
    };
    let geometry = match vpl.distant() {
        Some(_) => cos,
        None => (cos * emitted / d2).min(splat(bound)),
    };
    let live = lanes(simd, block.live) & facing & geometry.simd_gt(zero);
    live.select(geometry, zero)
}

/// What one point that is glossy or lit by a glossy surface reflects over what a diffuse one does, for each unit of geometry term.
#[inline(never)]
pub(super) fn light_on<S: Simd>(simd: S, point: &Point, points: &Points, vpl: &Vpl) -> Vec3 {
    // A function of its own, which has to be told of the instruction set
    simd.vectorize(
        #[inline(always)]
        || {
            let direction = match vpl.distant() {
                Some(to_light) => to_light,
                None => vpl.position - point.origin,
            };
            let to_light = direction.normalize_or(point.ns);
            let intensity = match &vpl.shine {
                Shine::EmitterKind(glow) => intensity(glow),
                Shine::Glossy(glossy) => glossy.intensity_over_cos(-to_light),
            };
            let glossy = points.glossy.get(point.glossy as usize);
            intensity * glossy.map_or(Vec3::ONE, |glossy| glossy.factor(to_light))
        },
    )
}

/// The lanes whose bits are set.
#[inline(always)]
pub(super) fn lanes<S: Simd>(simd: S, bits: u32) -> mask32x16<S> {
    mask32x16::from_bitmask(simd, u64::from(bits))
}
