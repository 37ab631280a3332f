//! Triangles whose corners index positions, texture coordinates and normals separately, as in OBJ, and their conversion
//! to meshes with one index per corner.

use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::MeshData;

use crate::normals::area_normal;
use crate::split::Splitter;

/// Missing index in a [`Corner`].
pub(crate) const NO_INDEX: u32 = u32::MAX;

/// Indices of a triangle's corner into [`AttributeArrays`]; `uv` and `normal` may be [`NO_INDEX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corner {
    pub(crate) position: u32,
    pub(crate) uv: u32,
    pub(crate) normal: u32,
}

/// Attribute arrays that [`Corner`]s index.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AttributeArrays<'a> {
    pub(crate) positions: &'a [Vec3],
    /// One colour per position, or empty.
    pub(crate) colors: &'a [Vec4],
    pub(crate) uvs: &'a [Vec2],
    pub(crate) normals: &'a [Vec3],
}

/// Builder of meshes with one index per corner. Equal corners share a vertex; vertices are in the order of their first
/// use.
#[derive(Debug)]
pub(crate) struct VertexWelder<'a> {
    arrays: AttributeArrays<'a>,
    splitter: Splitter,
}

impl<'a> VertexWelder<'a> {
    pub(crate) fn new(arrays: AttributeArrays<'a>) -> Self {
        Self { arrays, splitter: Splitter::new(arrays.positions.len()) }
    }

    /// Builds a mesh of triangles, without name and material slots. The indices must be in range.
    ///
    /// The mesh has normals if any corner has one; corners without a normal then get the normal of their face. Missing
    /// texture coordinates become (0, 0).
    pub(crate) fn mesh(&mut self, triangles: &[[Corner; 3]]) -> MeshData {
        let AttributeArrays { positions, colors, uvs, normals } = self.arrays;
        let corners = || triangles.as_flattened().iter();
        let has_normals = corners().any(|c| c.normal != NO_INDEX);
        let has_uvs = corners().any(|c| c.uv != NO_INDEX);

        // A corner that gets the normal of its face is not shared between faces.
        let face_of =
            |corner: &Corner, face| if has_normals && corner.normal == NO_INDEX { face } else { NO_INDEX };
        let keyed = (0u32..).zip(triangles).map(|(face, t)| t.map(|c| (c.position, (c, face_of(&c, face)))));
        let split = self.splitter.split(keyed);

        let position = |c: Corner| positions[c.position as usize];
        let face_normal = |face: u32| area_normal(triangles[face as usize].map(position)).try_normalize();
        let vertices = || split.vertices.iter().map(|&(_, key)| key);
        let mut mesh =
            MeshData { positions: vertices().map(|(c, _)| position(c)).collect(), ..MeshData::default() };
        mesh.colors = vertices().filter_map(|(c, _)| colors.get(c.position as usize).copied()).collect();
        if has_normals {
            let normal = |(c, face): (Corner, u32)| {
                let given = normals.get(c.normal as usize).copied();
                given.or_else(|| face_normal(face)).unwrap_or(Vec3::Y)
            };
            mesh.normals = vertices().map(normal).collect();
        }
        if has_uvs {
            mesh.uv0 =
                vertices().map(|(c, _)| uvs.get(c.uv as usize).copied().unwrap_or(Vec2::ZERO)).collect();
        }
        mesh.triangles = split.triangles;
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::vec2;

    #[test]
    fn equal_corners_share_and_missing_normals_are_flat() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X + Vec3::Y];
        let uvs = [vec2(0.25, 0.5), vec2(0.75, 0.5)];
        let arrays = AttributeArrays {
            positions: &positions,
            uvs: &uvs,
            normals: &[Vec3::X],
            ..AttributeArrays::default()
        };
        let mut welder = VertexWelder::new(arrays);
        let corner = |position, uv, normal| Corner { position, uv, normal };
        let first = [corner(0, 0, 0), corner(1, 0, 0), corner(2, 0, 0)];
        let second = [corner(2, 0, 0), corner(1, 1, 0), corner(3, NO_INDEX, NO_INDEX)];
        for _ in 0..2 {
            let mesh = welder.mesh(&[first, second]);
            assert_eq!(mesh.triangles, [[0, 1, 2], [2, 3, 4]]);
            assert_eq!(mesh.positions[3], Vec3::X);
            assert_eq!(mesh.uv0[1..], [uvs[0], uvs[0], uvs[1], Vec2::ZERO]);
            assert_eq!(mesh.normals[3..], [Vec3::X, Vec3::Z]);
            assert!(mesh.colors.is_empty());
        }
    }
}
