//! Light from virtual point lights: for each of them sixteen points at once, the shadow rays of a group in one stream.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_kernel::RayStream;
use sunfleck_math::{Vec3, vec3};
use sunfleck_shading::Glow;

use super::blocks::{Block, Blocks, LANES, Points};
use super::vpl::{Shine, Vpl, Vpls};
use crate::view::{SampleId, View};

/// Shadow rays begin and end a little off the surfaces, as a share of their length.
const SHORT: f32 = 1.0e-4;

/// A stream has about so many rays.
const STREAM: usize = 4096;

/// The shadow rays of some groups, and what arrives on each if nothing is in the way.
#[derive(Debug, Default)]
pub(super) struct Gather {
    origin: [Vec<f32>; 3],
    direction: [Vec<f32>; 3],
    t_near: Vec<f32>,
    t_far: Vec<f32>,
    /// Geometry terms: irradiance over intensity, 1/m²; over 1 for lights infinitely far away. 0 where no light arrives.
    geometry: Vec<f32>,
    occluded: Vec<bool>,
}

impl Gather {
    /// Adds the light of each group's VPLs to its blocks. Returns the number of shadow rays.
    #[inline(always)]
    pub(super) fn light<S: Simd>(
        &mut self,
        simd: S,
        view: &View<'_>,
        vpls: &Vpls,
        points: &Points,
        blocks: &mut Blocks,
        sample: u32,
    ) -> u64 {
        let (mut rays, mut first) = (0, 0);
        while first < vpls.groups.len() {
            // As many groups as make a stream that is worth while and stays in cache
            let (mut last, mut len) = (first, 0);
            while last < vpls.groups.len() && len < STREAM {
                len += vpls.groups[last].len() * blocks.of_group(last).len() * LANES;
                last += 1;
            }
            self.resize(len);
            let mut at = 0;
            for group in first..last {
                let blocks = &blocks.blocks[blocks.of_group(group)];
                for (vpl, block) in pairs(&vpls.groups[group], blocks.len()) {
                    rays += self.aim(simd, vpl, &blocks[block], vpls.bound, at);
                    at += LANES;
                }
            }
            self.trace(simd, view, sample);
            let mut at = 0;
            for group in first..last {
                let span = blocks.of_group(group);
                let places = &blocks.points[span.start * LANES..span.end * LANES];
                let blocks = &mut blocks.blocks[span];
                for (vpl, block) in pairs(&vpls.groups[group], blocks.len()) {
                    self.add(simd, vpl, &mut blocks[block], points, &places[block * LANES..], at);
                    at += LANES;
                }
            }
            first = last;
        }
        rays
    }

    /// The rays from a block to a VPL. Returns how many are any good.
    #[inline(always)]
    fn aim<S: Simd>(&mut self, simd: S, vpl: &Vpl, block: &Block, bound: f32, at: usize) -> u64 {
        let splat = |x: f32| f32x16::splat(simd, x);
        let (zero, one) = (splat(0.0), splat(1.0));
        let origin = rows(simd, &block.origin);
        let (ns, ng) = (rows(simd, &block.ns), rows(simd, &block.ng));
        let distant = match vpl.shine {
            Shine::Glow(Glow::Distant { to_light, .. }) => Some(to_light),
            _ => None,
        };
        let d = match distant {
            Some(to) => [splat(to.x), splat(to.y), splat(to.z)],
            None => {
                let p = vpl.position;
                [splat(p.x) - origin[0], splat(p.y) - origin[1], splat(p.z) - origin[2]]
            }
        };
        let d2 = dot(d, d);
        let length = d2.sqrt();
        let cos = dot(ns, d) / length;
        let facing = dot(ng, d).simd_gt(zero) & cos.simd_gt(zero) & d2.simd_gt(zero);
        let towards = |n: Vec3| -(splat(n.x) * d[0] + splat(n.y) * d[1] + splat(n.z) * d[2]) / length;
        let emitted = match vpl.shine {
            Shine::Glow(Glow::Area { ng, double_sided: false, .. }) => towards(ng).max(zero),
            Shine::Glow(Glow::Area { ng, .. }) => towards(ng).abs(),
            Shine::Glossy(glossy) => towards(glossy.ng).max(zero),
            Shine::Glow(Glow::Spot { direction, scale, offset, .. }) => {
                let attenuation = (splat(scale) * towards(direction) + splat(offset)).max(zero).min(one);
                attenuation * attenuation
            }
            Shine::Glow(Glow::Point { .. } | Glow::Distant { .. }) => one,
        };
        let geometry = match distant {
            Some(_) => cos,
            None => (cos * emitted / d2).min(splat(bound)),
        };
        let live = lanes(simd, block.live) & facing & geometry.simd_gt(zero);
        let geometry = live.select(geometry, zero);
        // Rays of one origin are bounded more tightly than rays to one end: so they come from the VPL
        let (start, end) = if distant.is_some() { (0.0, f32::INFINITY) } else { (SHORT, 1.0 - SHORT) };
        let t_far = live.select(splat(end), splat(-1.0));
        for axis in 0..3 {
            let (from, along) = match distant {
                Some(_) => (origin[axis], d[axis]),
                None => (splat(vpl.position[axis]), -d[axis]),
            };
            from.store_slice(&mut self.origin[axis][at..at + LANES]);
            along.store_slice(&mut self.direction[axis][at..at + LANES]);
        }
        splat(start).store_slice(&mut self.t_near[at..at + LANES]);
        t_far.store_slice(&mut self.t_far[at..at + LANES]);
        geometry.store_slice(&mut self.geometry[at..at + LANES]);
        u64::from(live.to_bitmask().count_ones())
    }

    fn resize(&mut self, len: usize) {
        for row in self.origin.iter_mut().chain(&mut self.direction) {
            row.resize(len, 0.0);
        }
        self.t_near.resize(len, 0.0);
        self.t_far.resize(len, 0.0);
        self.geometry.resize(len, 0.0);
        self.occluded.resize(len, false);
    }

    #[inline(always)]
    fn trace<S: Simd>(&mut self, simd: S, view: &View<'_>, sample: u32) {
        let stream = RayStream {
            origin: self.origin.each_ref().map(Vec::as_slice),
            t_near: &self.t_near,
            direction: self.direction.each_ref().map(Vec::as_slice),
            t_far: &self.t_far,
        };
        // See-through decisions follow from where the ray is
        let seed = |i: usize| {
            let bits = |axis: usize| {
                stream.origin[axis][i].to_bits().rotate_left(16) ^ stream.direction[axis][i].to_bits()
            };
            view.alpha_seed(SampleId { pixel: [bits(0), bits(2)], sample }, bits(1))
        };
        view.world.occluded_stream(simd.level(), &stream, &seed, &mut self.occluded);
    }

    /// Adds what arrives at a block from a VPL.
    #[inline(always)]
    fn add<S: Simd>(
        &self,
        simd: S,
        vpl: &Vpl,
        block: &mut Block,
        points: &Points,
        places: &[u32],
        at: usize,
    ) {
        let arrived = self.arrived(at);
        let (intensity, mut by_lane) = match vpl.shine {
            Shine::Glow(glow) => (intensity(&glow), arrived & block.glossy),
            Shine::Glossy(_) => (Vec3::ZERO, arrived),
        };
        let together = lanes(simd, arrived & !by_lane);
        let geometry = f32x16::from_slice(simd, &self.geometry[at..at + LANES]);
        let geometry = together.select(geometry, f32x16::splat(simd, 0.0));
        for (row, intensity) in block.irradiance.iter_mut().zip(intensity.to_array()) {
            let sum = f32x16::load_array_ref(simd, row);
            (sum + geometry * f32x16::splat(simd, intensity)).store_array(row);
        }
        while by_lane != 0 {
            let lane = by_lane.trailing_zeros() as usize % LANES;
            by_lane &= by_lane - 1;
            let light = self.light_on(points, places[lane], vpl, at + lane);
            for (row, light) in block.irradiance.iter_mut().zip(light.to_array()) {
                row[lane] += light;
            }
        }
    }

    /// Lanes that light arrives on.
    #[inline(always)]
    fn arrived(&self, at: usize) -> u32 {
        let mut bits = 0;
        for lane in 0..LANES {
            bits |= u32::from(!self.occluded[at + lane] && self.geometry[at + lane] > 0.0) << lane;
        }
        bits
    }

    /// Light on one point that is glossy or lit by a glossy surface.
    #[inline(never)]
    fn light_on(&self, points: &Points, place: u32, vpl: &Vpl, at: usize) -> Vec3 {
        let Some(point) = points.points.get(place as usize) else { return Vec3::ZERO };
        let direction = vec3(self.direction[0][at], self.direction[1][at], self.direction[2][at]);
        let direction = match vpl.shine {
            Shine::Glow(Glow::Distant { .. }) => direction,
            _ => -direction,
        };
        let to_light = direction.normalize_or(point.ns);
        let intensity = match &vpl.shine {
            Shine::Glow(glow) => intensity(glow),
            Shine::Glossy(glossy) => glossy.intensity_over_cos(-to_light),
        };
        let factor =
            points.glossy.get(point.glossy as usize).map_or(Vec3::ONE, |glossy| glossy.factor(to_light));
        let light = intensity * factor * self.geometry[at];
        if light.is_finite() { light } else { Vec3::ZERO }
    }
}

/// For each VPL, each block.
fn pairs(vpls: &[Vpl], blocks: usize) -> impl Iterator<Item = (&Vpl, usize)> {
    vpls.iter().flat_map(move |vpl| (0..blocks).map(move |block| (vpl, block)))
}

fn intensity(glow: &Glow) -> Vec3 {
    match *glow {
        Glow::Area { intensity, .. } | Glow::Point { intensity } | Glow::Spot { intensity, .. } => intensity,
        Glow::Distant { irradiance, .. } => irradiance,
    }
}

#[inline(always)]
fn rows<S: Simd>(simd: S, rows: &[[f32; LANES]; 3]) -> [f32x16<S>; 3] {
    [
        f32x16::load_array_ref(simd, &rows[0]),
        f32x16::load_array_ref(simd, &rows[1]),
        f32x16::load_array_ref(simd, &rows[2]),
    ]
}

#[inline(always)]
fn dot<S: Simd>(a: [f32x16<S>; 3], b: [f32x16<S>; 3]) -> f32x16<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn lanes<S: Simd>(simd: S, bits: u32) -> mask32x16<S> {
    mask32x16::from_bitmask(simd, u64::from(bits))
}
