//! A ray as the tests of many at once want it: sixteen numbers, one cache line.
//!
//! Axes are renamed so that z is the direction's longest component; see [`TriangleRay`](super::TriangleRay), whose numbers
//! these are, to the bit, and [`SlabRay`](crate::primitive::SlabRay).

/// How many numbers.
pub(crate) const NUMBERS: usize = 16;

/// Origin, three numbers.
pub(crate) const ORIGIN: usize = 0;
/// Start of the interval.
pub(crate) const T_NEAR: usize = 3;
/// Shear, two numbers.
pub(crate) const SHEAR: usize = 4;
/// End of the interval: comes closer as hits are found.
pub(crate) const T_FAR: usize = 6;
/// Origin for entry planes, three numbers.
pub(crate) const NEAR: usize = 8;
/// Origin for exit planes, three numbers.
pub(crate) const FAR: usize = 12;
/// Reciprocal of the direction's longest component.
pub(crate) const RDIRECTION_Z: usize = rdir(2);

/// Reciprocal of the direction along a renamed axis.
#[inline(always)]
pub(crate) const fn rdir(axis: usize) -> usize {
    7 + 4 * axis
}

/// One ray.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct RayNumbers(pub(crate) [f32; NUMBERS]);

impl RayNumbers {
    pub(crate) const UNSET: Self = Self([0.0; NUMBERS]);
}

/// Where the three axes go: by the class of a ray, the octant of its direction (bits 0–2, bit `axis` is set where it is negative)
/// and its longest axis (bits 3–4).
#[inline(always)]
pub(crate) const fn axes(class: u32) -> [usize; 3] {
    [[1, 2, 0], [2, 0, 1], [0, 1, 2], [0, 1, 2]][class as usize >> 3 & 3]
}
