//! References to primitives, with their boxes in a form for SIMD.

use fearless_simd::{Simd, SimdBase, f32x8};
use sunfleck_math::{Aabb, Vec3};

/// Axis-aligned box in eight lanes: the lower corner, then the negated upper corner, so that a union is one minimum.
///
/// Lanes 3 and 7 are unused, but never NaN. Minima are exact, so apart from the sign of zero, unions have the same bits
/// in any order and on every SIMD level.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub(super) struct SimdAabb(pub(super) [f32; 8]);

impl SimdAabb {
    pub(super) const EMPTY: Self = Self([f32::INFINITY; 8]);

    #[inline(always)]
    pub(super) fn union(self, other: Self) -> Self {
        Self(std::array::from_fn(
            #[inline(always)]
            |i| if other.0[i] < self.0[i] { other.0[i] } else { self.0[i] },
        ))
    }

    /// Loads the lanes into a SIMD vector.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S) -> f32x8<S> {
        f32x8::load_array_ref(simd, &self.0)
    }

    /// Enlarges the box to include another one.
    #[inline(always)]
    pub(super) fn include<S: Simd>(&mut self, simd: S, b: f32x8<S>) {
        self.load(simd).min(b).store_array(&mut self.0);
    }

    /// Returns the intersection; if the boxes are disjoint along an axis, its lower coordinate exceeds the upper one
    /// there.
    #[inline(always)]
    pub(super) fn intersection(self, other: Self) -> Self {
        Self(std::array::from_fn(
            #[inline(always)]
            |i| if other.0[i] > self.0[i] { other.0[i] } else { self.0[i] },
        ))
    }

    #[inline(always)]
    pub(super) fn lower(&self, axis: usize) -> f32 {
        self.0[axis]
    }

    /// Returns the box enlarged by `margin` on all sides.
    #[inline(always)]
    pub(super) fn grown(self, margin: f32) -> Self {
        Self(self.0.map(|x| x - margin))
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        !self.size().into_iter().all(|x| x >= 0.0)
    }

    /// Returns the edge lengths; negative along axes where the box is empty.
    #[inline(always)]
    pub(super) fn size(&self) -> [f32; 3] {
        let [x, y, z, _, u, v, w, _] = self.0;
        [-u - x, -v - y, -w - z]
    }

    /// Returns half of the surface area, with lengths multiplied by `scale`. The box must not be empty.
    #[inline(always)]
    pub(super) fn half_area(&self, scale: f32) -> f32 {
        let [x, y, z] = self.size();
        let (x, y, z) = (x * scale, y * scale, z * scale);
        x * y + (y * z + z * x)
    }

    /// Returns twice the centroid, as a box of one point.
    #[inline(always)]
    pub(super) fn doubled_centroid(&self) -> Self {
        let [x, y, z, w, l, m, n, o] = self.0;
        let (x, y, z, w) = (x - l, y - m, z - n, w - o);
        Self([x, y, z, w, -x, -y, -z, -w])
    }

    pub(super) fn aabb(&self) -> Aabb {
        // Adding zero turns -0 into +0.
        let [x, y, z, _, u, v, w, _] = self.0;
        Aabb { min: Vec3::new(x, y, z) + Vec3::ZERO, max: Vec3::ZERO - Vec3::new(u, v, w) }
    }
}

impl From<&Aabb> for SimdAabb {
    #[inline(always)]
    fn from(b: &Aabb) -> Self {
        Self([b.min.x, b.min.y, b.min.z, 0.0, -b.max.x, -b.max.y, -b.max.z, 0.0])
    }
}

/// Reference to a primitive or to a part of one, with its box. 32 bytes.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub(crate) struct PrimRef {
    lower: [f32; 3],
    /// Index of the primitive, with a bit set that makes it a normal number when it is loaded as a float.
    marked_prim: u32,
    negated_upper: [f32; 3],
    /// 1 if spatial splits may split the primitive, else 0.
    cuttable: f32,
}

impl PrimRef {
    const MARK: u32 = 1 << 30;

    /// Creates a reference; `bounds` must be finite and `prim` below 2²⁸.
    #[inline(always)]
    pub(crate) fn new(bounds: &Aabb, prim: u32) -> Self {
        let Aabb { min, max } = bounds;
        Self {
            lower: min.to_array(),
            marked_prim: prim | Self::MARK,
            negated_upper: [-max.x, -max.y, -max.z],
            cuttable: 0.0,
        }
    }

    #[inline(always)]
    pub(crate) fn prim(&self) -> u32 {
        self.marked_prim & !Self::MARK
    }

    #[inline(always)]
    pub(super) fn may_be_cut(&self) -> bool {
        self.cuttable != 0.0
    }

    pub(super) fn set_cuttable(&mut self, may: bool) {
        self.cuttable = f32::from(u8::from(may));
    }

    /// Returns twice the centroid along one axis.
    #[inline(always)]
    pub(super) fn doubled_centroid(&self, axis: usize) -> f32 {
        self.lower[axis] - self.negated_upper[axis]
    }

    #[inline(always)]
    pub(super) fn lanes(&self) -> SimdAabb {
        bytemuck::cast(*self)
    }

    /// Returns a reference to the same primitive with another box.
    #[inline(always)]
    pub(super) fn with_bounds(&self, b: &SimdAabb) -> Self {
        let [x, y, z, _, u, v, w, _] = b.0;
        Self { lower: [x, y, z], negated_upper: [u, v, w], ..*self }
    }
}

/// Box around a set of references, and box around their doubled centroids.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) bounds: SimdAabb,
    pub(super) centroids: SimdAabb,
}

impl Extent {
    pub(super) const EMPTY: Self = Self { bounds: SimdAabb::EMPTY, centroids: SimdAabb::EMPTY };

    #[inline(always)]
    pub(super) fn include(&mut self, r: &PrimRef) {
        let lanes = r.lanes();
        self.bounds = self.bounds.union(lanes);
        self.centroids = self.centroids.union(lanes.doubled_centroid());
    }

    pub(super) fn of(refs: &[PrimRef]) -> Self {
        let mut extent = Self::EMPTY;
        refs.iter().for_each(|r| extent.include(r));
        extent
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self { bounds: self.bounds.union(other.bounds), centroids: self.centroids.union(other.centroids) }
    }
}
