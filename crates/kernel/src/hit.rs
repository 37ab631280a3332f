use sunfleck_math::Vec3;

/// Where a ray meets a triangle: `P = (1 - u - v) V0 + u V1 + v V2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Ray parameter, in lengths of the ray's direction.
    pub t: f32,
    /// Barycentric coordinate of the second vertex, in `[0, 1]`.
    pub u: f32,
    /// Barycentric coordinate of the third vertex, in `[0, 1]`; `u + v` may exceed 1 by a rounding error.
    pub v: f32,
    /// Geometric normal in world space, not normalised: `e1 × e2` transformed by the inverse transpose of
    /// `world_from_object`, so that it stays on the same side of the surface under mirroring. Finite and never zero:
    /// where its length would leave `f32`, it is scaled.
    pub ng: Vec3,
    /// Index of the triangle in its mesh.
    pub prim_id: u32,
    /// Index of the bottom level, as in [`Instance::blas`](crate::Instance::blas).
    pub geom_id: u32,
    /// Index of the instance in [`Tlas::instances`](crate::Tlas::instances).
    pub inst_id: u32,
}
