//! Triangles whose corners name position, texture coordinate and normal separately, as OBJ has them.

use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::MeshData;

use crate::normals::area_normal;
use crate::split::Splitter;

/// Stands for "none" in a [`Corner`].
pub(crate) const NONE: u32 = u32::MAX;

/// What a corner of a triangle uses; the last two may be [`NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corner {
    pub(crate) position: u32,
    pub(crate) uv: u32,
    pub(crate) normal: u32,
}

/// What corners refer to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pools<'a> {
    pub(crate) positions: &'a [Vec3],
    /// Empty, or one for each position.
    pub(crate) colors: &'a [Vec4],
    pub(crate) uvs: &'a [Vec2],
    pub(crate) normals: &'a [Vec3],
}

/// Makes meshes with one index per corner. Equal corners share a vertex; vertices stand in the order of first use.
#[derive(Debug)]
pub(crate) struct Unifier<'a> {
    pools: Pools<'a>,
    splitter: Splitter,
}

impl<'a> Unifier<'a> {
    pub(crate) fn new(pools: Pools<'a>) -> Self {
        Self { pools, splitter: Splitter::new(pools.positions.len()) }
    }

    /// A mesh of some triangles, whose corners must be in range; without name and slots.
    ///
    /// It has normals if any corner has one; the others then get the normal of their face, which is what no normal
    /// means. Texture coordinates that are missing become (0, 0).
    pub(crate) fn mesh(&mut self, triangles: &[[Corner; 3]]) -> MeshData {
        let Pools { positions, colors, uvs, normals } = self.pools;
        let corners = || triangles.as_flattened().iter();
        let has_normals = corners().any(|c| c.normal != NONE);
        let has_uvs = corners().any(|c| c.uv != NONE);

        // A corner that takes the normal of its face is not shared between faces.
        let face_of = |corner: &Corner, face| if has_normals && corner.normal == NONE { face } else { NONE };
        let keyed = (0u32..).zip(triangles).map(|(face, t)| t.map(|c| (c.position, (c, face_of(&c, face)))));
        let split = self.splitter.split(keyed);

        let position = |c: Corner| positions[c.position as usize];
        let face_normal = |face: u32| area_normal(triangles[face as usize].map(position)).try_normalize();
        let made = || split.vertices.iter().map(|&(_, key)| key);
        let mut mesh =
            MeshData { positions: made().map(|(c, _)| position(c)).collect(), ..MeshData::default() };
        mesh.colors = made().filter_map(|(c, _)| colors.get(c.position as usize).copied()).collect();
        if has_normals {
            let normal = |(c, face): (Corner, u32)| {
                let given = normals.get(c.normal as usize).copied();
                given.or_else(|| face_normal(face)).unwrap_or(Vec3::Y)
            };
            mesh.normals = made().map(normal).collect();
        }
        if has_uvs {
            mesh.uv0 = made().map(|(c, _)| uvs.get(c.uv as usize).copied().unwrap_or(Vec2::ZERO)).collect();
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
        let pools = Pools { positions: &positions, uvs: &uvs, normals: &[Vec3::X], ..Pools::default() };
        let mut unifier = Unifier::new(pools);
        let corner = |position, uv, normal| Corner { position, uv, normal };
        let first = [corner(0, 0, 0), corner(1, 0, 0), corner(2, 0, 0)];
        let second = [corner(2, 0, 0), corner(1, 1, 0), corner(3, NONE, NONE)];
        for _ in 0..2 {
            let mesh = unifier.mesh(&[first, second]);
            assert_eq!(mesh.triangles, [[0, 1, 2], [2, 3, 4]]);
            assert_eq!(mesh.positions[3], Vec3::X);
            assert_eq!(mesh.uv0[1..], [uvs[0], uvs[0], uvs[1], Vec2::ZERO]);
            assert_eq!(mesh.normals[3..], [Vec3::X, Vec3::Z]);
            assert!(mesh.colors.is_empty());
        }
    }
}
