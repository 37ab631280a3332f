use fearless_simd::{Select, Simd, SimdBase, SimdFloat, f32x16, mask32x16, u32x16};
use sunfleck_math::{Aabb, float::gamma};

use super::order::max;
use super::triangle_ray::TriangleRay;
use crate::simd::bits;
use crate::traversal::{DIRECTION_RANGE, PARALLEL};

/// Rays in a batch.
pub(crate) const BATCH: usize = 16;

/// One number of each ray.
type Lanes<S> = f32x16<S>;
type Row = [f32; BATCH];

/// Rays as they are given: `[axis][lane]`.
#[derive(Clone, Copy)]
pub(crate) struct RawRays<S: Simd> {
    pub(crate) origin: [Lanes<S>; 3],
    pub(crate) direction: [Lanes<S>; 3],
    pub(crate) t_near: Lanes<S>,
    pub(crate) t_far: Lanes<S>,
}

/// Sixteen rays ready for box and triangle tests: [`TriangleRay`] as structure of arrays, with the same bits.
#[repr(C, align(64))]
pub(crate) struct RayBatch {
    /// `[axis][lane]`, as all of the following; see [`SlabRay`].
    pub(crate) origin_near: [Row; 3],
    pub(crate) origin_far: [Row; 3],
    pub(crate) rdir: [Row; 3],
    pub(crate) t_near: Row,
    pub(crate) t_far: Row,
    /// In renamed axes; see [`TriangleRay`].
    pub(crate) origin: [Row; 3],
    pub(crate) shear: [Row; 2],
    pub(crate) rdirection_z: Row,
    /// Octant of the direction (bits 0–2, bit `axis` is set where it is negative) and its longest axis (bits 3–4).
    pub(crate) class: [u32; BATCH],
    /// Bit `lane` is set when the ray can hit something at all.
    pub(crate) valid: u32,
}

impl RayBatch {
    pub(crate) const EMPTY: Self = Self {
        origin_near: [[0.0; BATCH]; 3],
        origin_far: [[0.0; BATCH]; 3],
        rdir: [[0.0; BATCH]; 3],
        t_near: [0.0; BATCH],
        t_far: [0.0; BATCH],
        origin: [[0.0; BATCH]; 3],
        shear: [[0.0; BATCH]; 2],
        rdirection_z: [0.0; BATCH],
        class: [0; BATCH],
        valid: 0,
    };

    /// Makes sixteen rays ready, as [`TriangleRay::new`] does one.
    #[inline(always)]
    pub(crate) fn prepare<S: Simd>(&mut self, simd: S, raw: &RawRays<S>, bounds: &Aabb) {
        let splat = |x: f32| Lanes::splat(simd, x);
        let RawRays { origin: o, direction: d, t_near, t_far } = *raw;
        let size = [d[0].abs(), d[1].abs(), d[2].abs()];
        let is_x = size[0].simd_ge(size[1]) & size[0].simd_ge(size[2]);
        let is_y = !is_x & size[1].simd_ge(size[2]);
        let pick = |x: Lanes<S>, y: Lanes<S>, z: Lanes<S>| is_x.select(x, is_y.select(y, z));
        let longest = pick(size[0], size[1], size[2]);

        // Which of them are rays
        let finite = |v: &[Lanes<S>; 3]| {
            let limit = splat(f32::MAX);
            v[0].abs().simd_le(limit) & v[1].abs().simd_le(limit) & v[2].abs().simd_le(limit)
        };
        let in_range =
            longest.simd_ge(splat(*DIRECTION_RANGE.start())) & longest.simd_le(splat(*DIRECTION_RANGE.end()));
        let valid: mask32x16<S> = in_range & finite(&o) & finite(&d) & t_near.simd_le(t_far);
        self.valid = bits(valid);

        // Slabs
        let reach = [
            max((splat(bounds.min.x) - o[0]).abs(), (splat(bounds.max.x) - o[0]).abs()),
            max((splat(bounds.min.y) - o[1]).abs(), (splat(bounds.max.y) - o[1]).abs()),
            max((splat(bounds.min.z) - o[2]).abs(), (splat(bounds.max.z) - o[2]).abs()),
        ];
        let reach_major = pick(reach[0], reach[1], reach[2]);
        let parallel = longest * splat(PARALLEL);
        for axis in 0..3 {
            let padding = (reach[axis] + reach_major) * splat(gamma(16));
            let padding = padding + o[axis].abs() * splat(f32::EPSILON);
            let (below, above) = (o[axis] - padding, o[axis] + padding);
            let negative = d[axis].is_sign_negative();
            let rdir = splat(1.0) / d[axis];
            let rdir = size[axis].simd_le(parallel).select(splat(f32::MAX).copysign(d[axis]), rdir);
            rdir.store_array(&mut self.rdir[axis]);
            negative.select(below, above).store_array(&mut self.origin_near[axis]);
            negative.select(above, below).store_array(&mut self.origin_far[axis]);
        }
        t_near.store_array(&mut self.t_near);
        t_far.store_array(&mut self.t_far);

        // Renamed axes
        let direction_z = pick(d[0], d[1], d[2]);
        (pick(d[1], d[2], d[0]) / direction_z).store_array(&mut self.shear[0]);
        (pick(d[2], d[0], d[1]) / direction_z).store_array(&mut self.shear[1]);
        (splat(1.0) / direction_z).store_array(&mut self.rdirection_z);
        pick(o[1], o[2], o[0]).store_array(&mut self.origin[0]);
        pick(o[2], o[0], o[1]).store_array(&mut self.origin[1]);
        pick(o[0], o[1], o[2]).store_array(&mut self.origin[2]);

        // Classes
        let sign = |axis: usize| d[axis].to_bits() >> 31;
        let word = |x: u32| u32x16::splat(simd, x);
        let major = is_x.select(word(0), is_y.select(word(1 << 3), word(2 << 3)));
        (sign(0) | sign(1) << 1 | sign(2) << 2 | major).store_array(&mut self.class);
    }

    /// Marks rays that miss a box around everything as such that can hit nothing.
    #[inline(always)]
    pub(crate) fn cull<S: Simd>(&mut self, simd: S, bounds: &Aabb) {
        let splat = |x: f32| Lanes::splat(simd, x);
        let load = |row: &Row| Lanes::load_array_ref(simd, row);
        let class = u32x16::load_array_ref(simd, &self.class);
        let (mut entry, mut exit) = (load(&self.t_near), load(&self.t_far));
        for axis in 0..3 {
            let sign = u32x16::splat(simd, 1 << axis);
            let negative = (class & sign).simd_eq(sign);
            let (low, high) = (splat(bounds.min[axis]), splat(bounds.max[axis]));
            let rdir = load(&self.rdir[axis]);
            let near = (negative.select(high, low) - load(&self.origin_near[axis])) * rdir;
            let far = (negative.select(low, high) - load(&self.origin_far[axis])) * rdir;
            entry = entry.max(near);
            exit = exit.min(far);
        }
        self.valid &= bits(entry.simd_le(exit));
    }

    /// One ray of the batch.
    #[inline(always)]
    pub(crate) fn ray(&self, lane: usize, ray: &mut TriangleRay) {
        let lane = lane & (BATCH - 1);
        let class = self.class[lane] as usize;
        ray.axes = [[1, 2, 0], [2, 0, 1], [0, 1, 2], [0, 1, 2]][class >> 3 & 3];
        ray.slabs.entered = [class & 1, class >> 1 & 1, class >> 2 & 1];
        for axis in 0..3 {
            ray.slabs.origin_near[axis] = self.origin_near[axis][lane];
            ray.slabs.origin_far[axis] = self.origin_far[axis][lane];
            ray.slabs.rdir[axis] = self.rdir[axis][lane];
            ray.origin[axis] = self.origin[axis][lane];
        }
        ray.shear = [self.shear[0][lane], self.shear[1][lane]];
        ray.rdirection_z = self.rdirection_z[lane];
        ray.t_near = self.t_near[lane];
    }
}
