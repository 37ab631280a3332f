use fearless_simd::{Simd, SimdBase, f32x8};
use sunfleck_math::{Aabb, Vec3};

/// A box as eight lanes, so that a union is one minimum: the lower corner, then the negated upper one.
///
/// Lanes 3 and 7 mean nothing, but none is a NaN. Minima are exact: but for the sign of zero, unions have the same bits
/// in any order and at every SIMD level.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub(super) struct Lanes(pub(super) [f32; 8]);

impl Lanes {
    pub(super) const EMPTY: Self = Self([f32::INFINITY; 8]);

    #[inline(always)]
    pub(super) fn union(self, other: Self) -> Self {
        Self(std::array::from_fn(
            #[inline(always)]
            |i| if other.0[i] < self.0[i] { other.0[i] } else { self.0[i] },
        ))
    }

    /// In registers.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S) -> f32x8<S> {
        f32x8::load_array_ref(simd, &self.0)
    }

    /// Grows around a box in registers.
    #[inline(always)]
    pub(super) fn include<S: Simd>(&mut self, simd: S, b: f32x8<S>) {
        self.load(simd).min(b).store_array(&mut self.0);
    }

    /// What both share; empty lanes (lower above upper) where they are apart.
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

    /// Moved out by `margin` on all sides.
    #[inline(always)]
    pub(super) fn grown(self, margin: f32) -> Self {
        Self(self.0.map(|x| x - margin))
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        !self.size().into_iter().all(|x| x >= 0.0)
    }

    /// Edge lengths; negative where empty.
    #[inline(always)]
    pub(super) fn size(&self) -> [f32; 3] {
        let [x, y, z, _, u, v, w, _] = self.0;
        [-u - x, -v - y, -w - z]
    }

    /// Half of the surface area in units of which `scale` make one; for boxes that are not empty.
    #[inline(always)]
    pub(super) fn half_area(&self, scale: f32) -> f32 {
        let [x, y, z] = self.size();
        let (x, y, z) = (x * scale, y * scale, z * scale);
        x * y + (y * z + z * x)
    }

    /// Twice the centroid, as a box of one point.
    #[inline(always)]
    pub(super) fn doubled_centroid(&self) -> Self {
        let [x, y, z, w, l, m, n, o] = self.0;
        let (x, y, z, w) = (x - l, y - m, z - n, w - o);
        Self([x, y, z, w, -x, -y, -z, -w])
    }

    pub(super) fn aabb(&self) -> Aabb {
        // Zeros become positive.
        let [x, y, z, _, u, v, w, _] = self.0;
        Aabb { min: Vec3::new(x, y, z) + Vec3::ZERO, max: Vec3::ZERO - Vec3::new(u, v, w) }
    }
}

impl From<&Aabb> for Lanes {
    #[inline(always)]
    fn from(b: &Aabb) -> Self {
        Self([b.min.x, b.min.y, b.min.z, 0.0, -b.max.x, -b.max.y, -b.max.z, 0.0])
    }
}

/// All that the builders know of a primitive, or of a part of one. 32 bytes.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub(crate) struct PrimRef {
    lower: [f32; 3],
    /// Index of the primitive, with a bit set that makes it an ordinary number where it is taken for one.
    marked_prim: u32,
    negated_upper: [f32; 3],
    /// 1 if the primitive may be cut, else 0.
    cuttable: f32,
}

impl PrimRef {
    const MARK: u32 = 1 << 30;

    /// `bounds` are finite; `prim` is below 2²⁸.
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

    /// As [`Lanes::doubled_centroid`], of one axis.
    #[inline(always)]
    pub(super) fn doubled_centroid(&self, axis: usize) -> f32 {
        self.lower[axis] - self.negated_upper[axis]
    }

    #[inline(always)]
    pub(super) fn lanes(&self) -> Lanes {
        bytemuck::cast(*self)
    }

    /// The same primitive in another box.
    #[inline(always)]
    pub(super) fn with_bounds(&self, b: &Lanes) -> Self {
        let [x, y, z, _, u, v, w, _] = b.0;
        Self { lower: [x, y, z], negated_upper: [u, v, w], ..*self }
    }
}

/// The box around some references, and the box around their doubled centroids.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) bounds: Lanes,
    pub(super) centroids: Lanes,
}

impl Extent {
    pub(super) const EMPTY: Self = Self { bounds: Lanes::EMPTY, centroids: Lanes::EMPTY };

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
