//! Precomputed ray for the watertight triangle test.

use sunfleck_math::{Aabb, Ray, Vec3};

use super::slab_ray::{SlabRay, major_axis};

/// Precomputed ray for the watertight triangle test: a permutation of the axes that makes z the longest component of
/// the direction, and a shear that turns the direction into (0, 0, z) [Woop13, §3.1].
///
/// Unlike in the paper, x and y are not swapped for negative z: the test accepts both windings, so only the common sign
/// of all edge functions would change.
#[derive(Clone, Copy)]
pub(crate) struct TriangleRay {
    /// Original axis of each permuted axis.
    pub(super) axes: [usize; 3],
    /// Origin in permuted axes.
    pub(super) origin: [f32; 3],
    /// `direction.x / direction.z` and `direction.y / direction.z` in permuted axes; absolute values are at most 1.
    pub(super) shear: [f32; 2],
    /// Reciprocal of the longest component of the direction.
    pub(super) rdirection_z: f32,
    /// Start of the interval.
    pub(super) t_near: f32,
    /// Precomputed values for the slab test, in original axes.
    pub(crate) slabs: SlabRay,
}

impl TriangleRay {
    /// Prepares a ray in object space for triangles inside `bounds`.
    ///
    /// Returns `None` if it cannot hit anything by definition: for NaNs, a direction whose largest component is outside
    /// [1.3e-26, 4.2e37], or an empty interval.
    #[inline(always)]
    pub(crate) fn new(origin: Vec3, direction: Vec3, t_near: f32, t_far: f32, bounds: &Aabb) -> Option<Self> {
        let major = major_axis(direction)?;
        if !(origin.is_finite() && t_near <= t_far) {
            return None;
        }
        let axes = [[1, 2, 0], [2, 0, 1], [0, 1, 2]][major];
        let permute = |v: Vec3| [v[axes[0]], v[axes[1]], v[axes[2]]];
        let d = permute(direction);
        Some(Self {
            axes,
            origin: permute(origin),
            shear: [d[0] / d[2], d[1] / d[2]],
            rdirection_z: 1.0 / d[2],
            t_near,
            slabs: SlabRay::for_triangles(origin, direction, major, bounds),
        })
    }
}

/// Returns the axis of the largest component of the direction of a world-space ray; `None` if it cannot hit anything by
/// definition, see [`TriangleRay::new`].
#[inline(always)]
pub(crate) fn world_major_axis(ray: &Ray) -> Option<usize> {
    major_axis(ray.direction).filter(|_| ray.origin.is_finite() && ray.t_near <= ray.t_far)
}
