use std::fmt;

use sunfleck_math::Vec3;

/// Most instances around a primitive: how deep top levels may be nested, the outermost included.
pub const MAX_LEVELS: usize = 8;

/// Where a ray meets a primitive. 64 bytes.
///
/// On a triangle `P = (1 - u - v) V0 + u V1 + v V2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Ray parameter, in lengths of the ray's direction.
    pub t: f32,
    /// Barycentric coordinate of a triangle's second vertex, in `[0, 1]`; 0 on spheres; what user geometry says.
    pub u: f32,
    /// Barycentric coordinate of a triangle's third vertex, in `[0, 1]`; `u + v` may exceed 1 by a rounding error. 0 on
    /// spheres; what user geometry says.
    pub v: f32,
    /// Geometric normal in world space, not normalised: `e1 × e2` of a triangle, from the centre of a sphere outwards,
    /// transformed by the inverse transpose of each `world_from_object`, so that it stays on the same side of the surface
    /// under mirroring. Finite and never zero: where its length would leave `f32`, it is scaled, and where user geometry
    /// has none, it is the reverse of the ray's direction.
    pub ng: Vec3,
    /// Index of the triangle, sphere or user primitive in its geometry.
    pub prim_id: u32,
    /// Index of the geometry, as in [`Instance::blas`](crate::Instance::blas), in the innermost top level.
    pub geom_id: u32,
    /// Index of the instance in [`Tlas::instances`](crate::Tlas::instances) of the top level that was asked.
    pub inst_id: u32,
    /// The instances inside that one.
    pub inst_path: InstPath,
}

/// Indices of nested instances, from the outside in; empty unless the outermost instance is of a group.
///
/// Each is an index in [`Tlas::instances`](crate::Tlas::instances) of the group that the instance before it refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstPath([u32; MAX_LEVELS - 1]);

impl InstPath {
    /// No nested instance.
    pub const EMPTY: Self = Self([Self::END; MAX_LEVELS - 1]);

    /// Fills the rest of the array.
    const END: u32 = u32::MAX;

    /// The path along some instances, from the inside out; at most [`MAX_LEVELS`] - 1 of them.
    pub(crate) fn from_inside_out(ids: impl Iterator<Item = u32>) -> Self {
        let (mut path, mut len) = (Self::EMPTY, 0);
        for (place, id) in path.0.iter_mut().zip(ids) {
            *place = id;
            len += 1;
        }
        path.0[..len].reverse();
        path
    }

    /// The indices.
    pub fn as_slice(&self) -> &[u32] {
        let len = self.0.iter().position(|&id| id == Self::END).unwrap_or(self.0.len());
        &self.0[..len]
    }
}

impl Default for InstPath {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl fmt::Debug for InstPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}
