use sunfleck_math::{ShapePoint, Vec2, Vec3, Vec4, vec2};
use sunfleck_scene::Mesh;

/// Vertices of the triangle of a hit, with the barycentric coordinates of the hit. On a shape, the triangle lies in the
/// tangent plane at the hit, which is its first corner.
#[derive(Clone, Copy)]
pub(super) struct Vertices<'a> {
    mesh: &'a Mesh,
    /// Indices of the vertices; on a shape three times its own, at which its colour is.
    indices: [usize; 3],
    shape: Option<ShapePoint>,
    /// Barycentric coordinates.
    pub(super) b: [f32; 3],
}

impl<'a> Vertices<'a> {
    /// Returns the vertices of a triangle or shape at `u` and `v` of a hit.
    #[inline(always)]
    pub(super) fn of(mesh: &'a Mesh, prim_id: u32, [u, v]: [f32; 2]) -> Self {
        let data = mesh.data();
        match data.shapes.get(prim_id as usize) {
            None => {
                let indices = data.triangles[prim_id as usize].map(|v| v as usize);
                Self { mesh, indices, shape: None, b: [1.0 - u - v, u, v] }
            }
            Some(shape) => {
                let shape = Some(shape.point_at(vec2(u, v)));
                Self { mesh, indices: [prim_id as usize; 3], shape, b: [1.0, 0.0, 0.0] }
            }
        }
    }

    /// Returns the positions in object space.
    #[inline(always)]
    pub(super) fn positions(&self) -> [Vec3; 3] {
        match &self.shape {
            None => self.indices.map(|v| self.mesh.data().positions[v]),
            Some(shape) => shape.corners,
        }
    }

    /// Returns the position of the hit in object space.
    #[inline(always)]
    pub(super) fn position(&self) -> Vec3 {
        let (p, b) = (self.positions(), self.b);
        p[0] * b[0] + p[1] * b[1] + p[2] * b[2]
    }

    /// Returns the shading normals in object space, of any length; `None` if they are those of the triangle's plane.
    #[inline(always)]
    pub(super) fn normals(&self) -> Option<[Vec3; 3]> {
        let normals = &self.mesh.data().normals;
        (!normals.is_empty()).then(|| self.indices.map(|v| normals[v]))
    }

    /// Returns the tangents of the mesh, if it has any.
    #[inline(always)]
    pub(super) fn tangents(&self) -> Option<[Vec4; 3]> {
        let tangents = &self.mesh.data().tangents;
        (!tangents.is_empty()).then(|| self.indices.map(|v| tangents[v]))
    }

    /// Returns both sets of texture coordinates, where there are any. Shapes have only the first set.
    #[inline(always)]
    pub(super) fn uv(&self) -> [Option<[Vec2; 3]>; 2] {
        let data = self.mesh.data();
        let of = |uvs: &[Vec2]| (!uvs.is_empty()).then(|| self.indices.map(|v| uvs[v]));
        match &self.shape {
            None => [of(&data.uv0), of(&data.uv1)],
            Some(shape) => [Some(shape.uv), None],
        }
    }

    /// Returns the colours, if there are any.
    #[inline(always)]
    pub(super) fn colors(&self) -> Option<[Vec4; 3]> {
        let colors = &self.mesh.data().colors;
        (!colors.is_empty()).then(|| self.indices.map(|v| colors[v]))
    }
}
