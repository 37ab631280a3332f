//! Hits, and the paths of nested instances that lead to them.

use std::fmt;

use sunfleck_math::Vec3;

/// Maximum number of nested instance levels, the outermost included.
pub const MAX_LEVELS: usize = 8;

/// Intersection of a ray with a primitive. 64 bytes.
///
/// The hit point of a triangle is `P = (1 - u - v) V0 + u V1 + v V2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Ray parameter, in units of the length of the ray's direction.
    pub t: f32,
    /// Barycentric coordinate of a triangle's second vertex, in `[0, 1]`; first number of the location on a shape, see
    /// [`UnitShape::location_of`](sunfleck_math::UnitShape::location_of); for user geometry the value that it returned.
    pub u: f32,
    /// Barycentric coordinate of a triangle's third vertex, in `[0, 1]`; `u + v` may exceed 1 by a rounding error. Second
    /// number of the location on a shape; for user geometry the value that it returned.
    pub v: f32,
    /// Geometric normal in world space, not normalised: `e1 × e2` for a triangle, that of the front for a
    /// shape.
    ///
    /// It is transformed by the inverse transpose of each `world_from_object`, so that it stays on the same side of the
    /// surface under mirroring. It is finite and never zero: if its length would leave the range of `f32`, it is
    /// scaled; if user geometry returns a zero normal, it is the reverse of the ray's direction.
    pub ng: Vec3,
    /// Index of the triangle, shape or user primitive in its geometry.
    pub prim_id: u32,
    /// Index of the geometry, as in [`Instance::blas`](crate::Instance::blas), in the innermost TLAS.
    pub geom_id: u32,
    /// Index of the instance in [`Tlas::instances`](crate::Tlas::instances) of the outermost TLAS.
    pub inst_id: u32,
    /// Path of the nested instances inside the outermost one.
    pub inst_path: InstPath,
}

/// Indices of nested instances, from the outside in; empty unless the outermost instance refers to a group.
///
/// Each is an index in [`Tlas::instances`](crate::Tlas::instances) of the group that the instance before it refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstPath([u32; MAX_LEVELS - 1]);

impl InstPath {
    /// Path without nested instances.
    pub const EMPTY: Self = Self([Self::END; MAX_LEVELS - 1]);

    /// Value of the unused elements of the array.
    const END: u32 = u32::MAX;

    /// Creates a path from instance indices in order from the inside out; at most [`MAX_LEVELS`] - 1 of them.
    pub(crate) fn from_inside_out(ids: impl Iterator<Item = u32>) -> Self {
        let (mut path, mut len) = (Self::EMPTY, 0);
        for (slot, id) in path.0.iter_mut().zip(ids) {
            *slot = id;
            len += 1;
        }
        path.0[..len].reverse();
        path
    }

    /// Returns the indices.
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
