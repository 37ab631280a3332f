//! Precomputed ray for tests of many rays at once: sixteen numbers in one cache line.
//!
//! Axes are permuted so that z is the longest component of the direction. The numbers have the same bits as those of
//! [`TriangleRay`](super::TriangleRay) and [`SlabRay`](crate::primitive::SlabRay).

/// Number of numbers per ray.
pub(crate) const NUMBERS: usize = 16;

/// Index of the origin, three numbers.
pub(crate) const ORIGIN: usize = 0;
/// Index of the start of the interval.
pub(crate) const T_NEAR: usize = 3;
/// Index of the shear, two numbers.
pub(crate) const SHEAR: usize = 4;
/// Index of the end of the interval, which decreases when hits are found.
pub(crate) const T_FAR: usize = 6;
/// Index of the padded origin for entry planes, three numbers.
pub(crate) const NEAR: usize = 8;
/// Index of the padded origin for exit planes, three numbers.
pub(crate) const FAR: usize = 12;
/// Index of the reciprocal of the direction's longest component.
pub(crate) const RDIRECTION_Z: usize = rdir(2);

/// Returns the index of the reciprocal of the direction along a permuted axis.
#[inline(always)]
pub(crate) const fn rdir(axis: usize) -> usize {
    7 + 4 * axis
}

/// Precomputed numbers of one ray.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct RayNumbers(pub(crate) [f32; NUMBERS]);

impl RayNumbers {
    pub(crate) const UNSET: Self = Self([0.0; NUMBERS]);
}

/// Returns the original axis of each permuted axis, given the class of a ray.
///
/// The class is the octant of the direction (bits 0–2; bit `axis` is set if the component is negative) and the axis of
/// its longest component (bits 3–4).
#[inline(always)]
pub(crate) const fn axes(class: u32) -> [usize; 3] {
    [[1, 2, 0], [2, 0, 1], [0, 1, 2], [0, 1, 2]][class as usize >> 3 & 3]
}
