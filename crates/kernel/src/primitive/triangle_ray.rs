use sunfleck_math::{Aabb, Ray, Vec3};

use super::slab_ray::{SlabRay, major_axis};

/// A ray as the watertight triangle test wants it: axes renamed so that z is the direction's longest component, and a
/// shear that turns the direction into (0, 0, z) [Woop13, §3.1].
///
/// Unlike the paper, x and y are not exchanged for negative z: the test accepts both windings, so only the sign of all
/// edge functions together would change.
#[derive(Clone, Copy)]
pub(crate) struct TriangleRay {
    /// The axes in renamed order.
    pub(super) axes: [usize; 3],
    /// Origin in renamed order.
    pub(super) origin: [f32; 3],
    /// `direction.x / direction.z` and `direction.y / direction.z`, renamed; at most 1 in size.
    pub(super) shear: [f32; 2],
    /// Reciprocal of the longest component of the direction.
    pub(super) rdirection_z: f32,
    /// Start of the interval.
    pub(super) t_near: f32,
    /// The slab test of the same ray, in original order.
    pub(crate) slabs: SlabRay,
}

impl TriangleRay {
    /// A ray, in object space, against triangles inside `bounds`; none when it cannot hit anything: NaNs, a direction
    /// whose longest component is outside [1.3e-26, 4.2e37], or an empty interval.
    #[inline(always)]
    pub(crate) fn new(origin: Vec3, direction: Vec3, t_near: f32, t_far: f32, bounds: &Aabb) -> Option<Self> {
        let major = major_axis(direction)?;
        if !(origin.is_finite() && t_near <= t_far) {
            return None;
        }
        let axes = [[1, 2, 0], [2, 0, 1], [0, 1, 2]][major];
        let renamed = |v: Vec3| [v[axes[0]], v[axes[1]], v[axes[2]]];
        let d = renamed(direction);
        Some(Self {
            axes,
            origin: renamed(origin),
            shear: [d[0] / d[2], d[1] / d[2]],
            rdirection_z: 1.0 / d[2],
            t_near,
            slabs: SlabRay::for_triangles(origin, direction, major, bounds),
        })
    }
}

/// Whether a world-space ray can hit anything at all; see [`TriangleRay::new`].
#[inline(always)]
pub(crate) fn world_major_axis(ray: &Ray) -> Option<usize> {
    major_axis(ray.direction).filter(|_| ray.origin.is_finite() && ray.t_near <= ray.t_far)
}
