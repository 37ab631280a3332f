//! Batches of sixteen rays, prepared for box and triangle tests.

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, f32x16, mask32x16, u32x16};
use sunfleck_math::{Aabb, Vec3, float::gamma, transpose};

use super::arithmetic::max;
use super::ray_numbers::{self as number, FAR, NEAR, NUMBERS, ORIGIN, RayNumbers, SHEAR, T_FAR, T_NEAR};
use super::slab_ray::{DIRECTION_RANGE, PARALLEL};
use crate::simd::bits;

/// Number of rays in a batch.
pub(crate) const BATCH: usize = 16;

/// Vector with one number of each ray.
type Lanes<S> = f32x16<S>;
type Row = [f32; BATCH];

/// Sixteen rays before preparation: `[axis][lane]`.
#[derive(Clone, Copy)]
pub(crate) struct RawRays<S: Simd> {
    pub(crate) origin: [Lanes<S>; 3],
    pub(crate) direction: [Lanes<S>; 3],
    pub(crate) t_near: Lanes<S>,
    pub(crate) t_far: Lanes<S>,
}

/// Sixteen rays prepared for box and triangle tests: [`RayNumbers`] as structure of arrays.
#[repr(C, align(64))]
pub(crate) struct RayBatch {
    /// Numbers of the rays: `[number][lane]`.
    pub(crate) rows: [Row; NUMBERS],
    /// Class of each ray; see [`axes`](super::ray_numbers::axes).
    pub(crate) class: [u32; BATCH],
    /// Bit `lane` is set if the ray can hit anything.
    pub(crate) valid: u32,
}

/// Padding of boxes against rounding errors.
#[derive(Clone, Copy)]
pub(crate) enum Padding<S: Simd> {
    /// Padding for triangles inside boxes, one for each ray: `[axis]`; see
    /// [`SlabRay::for_triangles`](super::SlabRay::for_triangles).
    Triangles { low: [Lanes<S>; 3], high: [Lanes<S>; 3] },
    /// Padding for instances, as a factor of the largest coordinate of the origin; see
    /// [`Placement`](crate::geometry::instance::Placement).
    Instances(f32),
}

/// Returns the lower and the upper corner of a box, the same for each ray.
#[inline(always)]
pub(crate) fn corners<S: Simd>(simd: S, bounds: &Aabb) -> ([Lanes<S>; 3], [Lanes<S>; 3]) {
    let splat = |v: Vec3| [Lanes::splat(simd, v.x), Lanes::splat(simd, v.y), Lanes::splat(simd, v.z)];
    (splat(bounds.min), splat(bounds.max))
}

impl RayBatch {
    pub(crate) const EMPTY: Self = Self { rows: [[0.0; BATCH]; NUMBERS], class: [0; BATCH], valid: 0 };

    /// Prepares sixteen rays, as [`TriangleRay::new`](super::TriangleRay::new) prepares one.
    #[inline(always)]
    pub(crate) fn prepare<S: Simd>(&mut self, simd: S, raw: &RawRays<S>, padding: &Padding<S>) {
        let splat = |x: f32| Lanes::splat(simd, x);
        let RawRays { origin: o, direction: d, t_near, t_far } = *raw;
        let size = [d[0].abs(), d[1].abs(), d[2].abs()];
        let is_x = size[0].simd_ge(size[1]) & size[0].simd_ge(size[2]);
        let is_y = !is_x & size[1].simd_ge(size[2]);
        let pick = |x: Lanes<S>, y: Lanes<S>, z: Lanes<S>| is_x.select(x, is_y.select(y, z));
        let longest = pick(size[0], size[1], size[2]);

        // Rays that can hit anything by definition
        let finite = |v: &[Lanes<S>; 3]| {
            let limit = splat(f32::MAX);
            v[0].abs().simd_le(limit) & v[1].abs().simd_le(limit) & v[2].abs().simd_le(limit)
        };
        let in_range =
            longest.simd_ge(splat(*DIRECTION_RANGE.start())) & longest.simd_le(splat(*DIRECTION_RANGE.end()));
        let valid: mask32x16<S> = in_range & finite(&o) & finite(&d) & t_near.simd_le(t_far);
        self.valid = bits(valid);

        // Padding of boxes
        let padding = match padding {
            Padding::Triangles { low, high } => {
                let reach = [
                    max(simd, (low[0] - o[0]).abs(), (high[0] - o[0]).abs()),
                    max(simd, (low[1] - o[1]).abs(), (high[1] - o[1]).abs()),
                    max(simd, (low[2] - o[2]).abs(), (high[2] - o[2]).abs()),
                ];
                let (reach_major, scale) = (pick(reach[0], reach[1], reach[2]), splat(gamma(32)));
                [
                    (reach[0] + reach_major) * scale,
                    (reach[1] + reach_major) * scale,
                    (reach[2] + reach_major) * scale,
                ]
            }
            Padding::Instances(scale) => {
                [splat(*scale) * max(simd, max(simd, o[0].abs(), o[1].abs()), o[2].abs()); 3]
            }
        };

        // Slab test, and all numbers in permuted axes
        let parallel = longest * splat(PARALLEL);
        let mut near = [splat(0.0); 3];
        let mut far = near;
        let mut rdir = near;
        for axis in 0..3 {
            let padding = padding[axis] + o[axis].abs() * splat(f32::EPSILON);
            let limit = splat(f32::MAX);
            let (below, above) = ((o[axis] - padding).max(-limit), (o[axis] + padding).min(limit));
            let negative = d[axis].is_sign_negative();
            let exact = splat(1.0) / d[axis];
            rdir[axis] = size[axis].simd_le(parallel).select(splat(f32::MAX).copysign(d[axis]), exact);
            near[axis] = negative.select(below, above);
            far[axis] = negative.select(above, below);
        }
        for (axis, [x, y, z]) in [[1, 2, 0], [2, 0, 1], [0, 1, 2]].into_iter().enumerate() {
            pick(o[x], o[y], o[z]).store_array(&mut self.rows[ORIGIN + axis]);
            pick(near[x], near[y], near[z]).store_array(&mut self.rows[NEAR + axis]);
            pick(far[x], far[y], far[z]).store_array(&mut self.rows[FAR + axis]);
            pick(rdir[x], rdir[y], rdir[z]).store_array(&mut self.rows[number::rdir(axis)]);
        }
        let direction_z = pick(d[0], d[1], d[2]);
        (pick(d[1], d[2], d[0]) / direction_z).store_array(&mut self.rows[SHEAR]);
        (pick(d[2], d[0], d[1]) / direction_z).store_array(&mut self.rows[SHEAR + 1]);
        t_near.store_array(&mut self.rows[T_NEAR]);
        t_far.store_array(&mut self.rows[T_FAR]);

        // Classes
        let sign = |axis: usize| d[axis].to_bits() >> 31;
        let word = |x: u32| u32x16::splat(simd, x);
        let major = is_x.select(word(0), is_y.select(word(1 << 3), word(2 << 3)));
        (sign(0) | sign(1) << 1 | sign(2) << 2 | major).store_array(&mut self.class);
    }

    /// Returns the origin of a ray, in permuted axes.
    #[inline(always)]
    pub(crate) fn origin(&self, lane: usize) -> [f32; 3] {
        [self.rows[ORIGIN][lane], self.rows[ORIGIN + 1][lane], self.rows[ORIGIN + 2][lane]]
    }

    /// Returns the lanes whose rays have a given origin, as bits.
    #[inline(always)]
    pub(crate) fn have_origin<S: Simd>(&self, simd: S, origin: &[f32; 3]) -> u32 {
        let [x, y, z] = [ORIGIN, ORIGIN + 1, ORIGIN + 2];
        let at_x = Lanes::load_array_ref(simd, &self.rows[x]).simd_eq(Lanes::splat(simd, origin[0]));
        let at_y = Lanes::load_array_ref(simd, &self.rows[y]).simd_eq(Lanes::splat(simd, origin[1]));
        let at_z = Lanes::load_array_ref(simd, &self.rows[z]).simd_eq(Lanes::splat(simd, origin[2]));
        bits(at_x & at_y & at_z)
    }

    /// Prepares rays for the triangles of an instance with identity transform, from rays prepared for the TLAS.
    ///
    /// Only the padding differs. The numbers have the same bits as those of [`prepare`](Self::prepare). Lanes of other
    /// classes than `class` are undefined.
    ///
    /// * `world` — rays prepared for the TLAS.
    /// * `bounds` — box around the triangles.
    #[inline(always)]
    pub(crate) fn prepare_in_place<S: Simd>(&mut self, simd: S, world: &Self, class: u32, bounds: &Aabb) {
        let splat = |x: f32| Lanes::splat(simd, x);
        // Original axis of each permuted axis; that of the longest component is the last one.
        let original = |axis: u32| ((axis + 1 + (class >> 3)) % 3) as usize;
        let from = [original(0), original(1), original(2)];
        let mut reach = [splat(0.0); 3];
        for axis in 0..3 {
            let o = Lanes::load_array_ref(simd, &world.rows[ORIGIN + axis]);
            let (low, high) = (splat(bounds.min[from[axis]]), splat(bounds.max[from[axis]]));
            reach[axis] = max(simd, (low - o).abs(), (high - o).abs());
        }
        for axis in 0..3 {
            let o = Lanes::load_array_ref(simd, &world.rows[ORIGIN + axis]);
            let padding = (reach[axis] + reach[2]) * splat(gamma(32)) + o.abs() * splat(f32::EPSILON);
            let limit = splat(f32::MAX);
            let (below, above) = ((o - padding).max(-limit), (o + padding).min(limit));
            let (near, far) = if class >> from[axis] & 1 == 1 { (below, above) } else { (above, below) };
            near.store_array(&mut self.rows[NEAR + axis]);
            far.store_array(&mut self.rows[FAR + axis]);
        }
        self.copy_unpadded(world);
    }

    /// As [`prepare_in_place`](Self::prepare_in_place), for rays that share their origin with a ray that is already
    /// prepared.
    ///
    /// * `planes` — padded origins of that ray; see [`padded_origin`](Self::padded_origin).
    #[inline(always)]
    pub(crate) fn prepare_as<S: Simd>(&mut self, simd: S, world: &Self, planes: &[[f32; 2]; 3]) {
        for (axis, &[near, far]) in planes.iter().enumerate() {
            Lanes::splat(simd, near).store_array(&mut self.rows[NEAR + axis]);
            Lanes::splat(simd, far).store_array(&mut self.rows[FAR + axis]);
        }
        self.copy_unpadded(world);
    }

    /// Returns the padded origins of a ray for entry and exit planes along each axis.
    #[inline(always)]
    pub(crate) fn padded_origin(&self, lane: usize) -> [[f32; 2]; 3] {
        let mut planes = [[0.0; 2]; 3];
        for (axis, planes) in planes.iter_mut().enumerate() {
            *planes = [self.rows[NEAR + axis][lane], self.rows[FAR + axis][lane]];
        }
        planes
    }

    /// Copies all numbers that do not depend on the padding.
    #[inline(always)]
    fn copy_unpadded(&mut self, world: &Self) {
        for axis in 0..3 {
            self.rows[ORIGIN + axis] = world.rows[ORIGIN + axis];
            self.rows[number::rdir(axis)] = world.rows[number::rdir(axis)];
        }
        for number in [SHEAR, SHEAR + 1, T_NEAR, T_FAR] {
            self.rows[number] = world.rows[number];
        }
        self.class = world.class;
        self.valid = world.valid;
    }

    /// Marks rays as invalid that miss the box around everything, given for each ray.
    #[inline(always)]
    pub(crate) fn cull<S: Simd>(&mut self, simd: S, low: &[Lanes<S>; 3], high: &[Lanes<S>; 3]) {
        let load = |number: usize| Lanes::load_array_ref(simd, &self.rows[number]);
        let zero = Lanes::splat(simd, 0.0);
        let class = u32x16::load_array_ref(simd, &self.class);
        let major = class >> 3;
        let is_x = major.simd_eq(u32x16::splat(simd, 0));
        let is_y = major.simd_eq(u32x16::splat(simd, 1));
        let pick = |v: &[Lanes<S>; 3], [x, y, z]: [usize; 3]| is_x.select(v[x], is_y.select(v[y], v[z]));
        let (mut entry, mut exit) = (load(T_NEAR), load(T_FAR));
        for (axis, from) in [[1, 2, 0], [2, 0, 1], [0, 1, 2]].into_iter().enumerate() {
            let (low, high) = (pick(low, from), pick(high, from));
            let rdir = load(number::rdir(axis));
            let negative = rdir.simd_lt(zero);
            let near = (negative.select(high, low) - load(NEAR + axis)) * rdir;
            let far = (negative.select(low, high) - load(FAR + axis)) * rdir;
            entry = entry.max(near);
            exit = exit.min(far);
        }
        self.valid &= bits(entry.simd_le(exit));
    }

    /// Writes the rays as array of structures.
    #[inline(always)]
    pub(crate) fn transpose<S: Simd>(&self, simd: S, rays: &mut [RayNumbers; BATCH]) {
        let mut rows = [Lanes::splat(simd, 0.0); NUMBERS];
        for (row, from) in rows.iter_mut().zip(&self.rows) {
            *row = Lanes::load_array_ref(simd, from);
        }
        for (ray, row) in rays.iter_mut().zip(transpose(rows)) {
            row.store_array(&mut ray.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rays_in_place_have_the_bits_of_prepared_ones(
            origin in prop::array::uniform3(prop::array::uniform16(-1e3f32..1e3)),
            direction in prop::array::uniform3(prop::array::uniform16(-1.0f32..1.0)),
            corner in prop::array::uniform3(-1e3f32..1e3),
            size in prop::array::uniform3(0.0f32..1e3),
        ) {
            let bounds = Aabb { min: corner.into(), max: Vec3::from(corner) + Vec3::from(size) };
            let (mut world, mut expected, mut found) = (RayBatch::EMPTY, RayBatch::EMPTY, RayBatch::EMPTY);
            dispatch!(Level::new(), simd => {
                let load = |rows: &[Row; 3]| rows.map(|row| Lanes::load_array(simd, row));
                let (t_near, t_far) = (Lanes::splat(simd, 0.5), Lanes::splat(simd, 1e4));
                let raw = RawRays { origin: load(&origin), direction: load(&direction), t_near, t_far };
                let (low, high) = corners(simd, &bounds);
                world.prepare(simd, &raw, &Padding::Instances(1e-5));
                expected.prepare(simd, &raw, &Padding::Triangles { low, high });
                for lane in 0..BATCH {
                    found.prepare_in_place(simd, &world, world.class[lane], &bounds);
                    for number in 0..NUMBERS {
                        let (found, expected) = (found.rows[number][lane], expected.rows[number][lane]);
                        assert_eq!(found.to_bits(), expected.to_bits(), "lane {lane}, number {number}");
                    }
                }
            });
        }
    }
}
