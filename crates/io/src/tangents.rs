//! `MikkTSpace` tangents [Mikkelsen08], the tangent space that normal maps are baked for.

use bevy_mikktspace::{Geometry, Ops, TangentSpace, generate_tangents};
use sunfleck_math::{Vec2, Vec3, Vec4};
use sunfleck_scene::MeshData;

/// Mesh for which tangents are computed. The vertex arrays have equal lengths; all indices are in range.
#[derive(Debug)]
pub(crate) struct TangentInput<'a> {
    pub(crate) positions: &'a [Vec3],
    pub(crate) normals: &'a [Vec3],
    pub(crate) uvs: &'a [Vec2],
    pub(crate) triangles: &'a [[u32; 3]],
}

/// Computes a tangent for each corner of each triangle; w = ±1 is the handedness, as in glTF.
pub(crate) fn tangents_of_corners(mesh: &TangentInput<'_>) -> Vec<[Vec4; 3]> {
    let tangents = mesh.triangles.iter().map(|t| t.map(|v| any_tangent(mesh.normals[v as usize]))).collect();
    let mut geometry = MikkTSpaceGeometry { mesh, tangents };
    match generate_tangents(&mut geometry) {
        Ok(()) => geometry.tangents,
        // The error type has no values.
        Err(_) => geometry.tangents,
    }
}

/// Returns an arbitrary unit vector perpendicular to `normal`, for degenerate texture coordinates.
pub(crate) fn any_tangent(normal: Vec3) -> Vec4 {
    let normal = normal.normalize_or(Vec3::Z);
    let axis = if normal.x.abs() < 0.5 { Vec3::X } else { Vec3::Y };
    (axis - normal * axis.dot(normal)).normalize_or(Vec3::X).extend(1.0)
}

/// Direction of the y axis of normal maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum YAxis {
    /// That in which v ascends.
    OfUv,
    /// Normal × tangent, whichever way v goes.
    RightHanded,
}

/// Computes tangents of a mesh that has normals and texture coordinates; each vertex gets that of one of its corners.
/// Vertices are not split, since only glTF defines the tangent space of normal maps.
pub(crate) fn add_tangents(data: &mut MeshData, y_axis: YAxis) {
    let MeshData { positions, normals, uv0: uvs, triangles, .. } = &*data;
    let corners = tangents_of_corners(&TangentInput { positions, normals, uvs, triangles });
    let mut tangents: Vec<Vec4> = normals.iter().map(|&normal| any_tangent(normal)).collect();
    for (&vertex, &tangent) in triangles.as_flattened().iter().zip(corners.as_flattened()) {
        let w = if y_axis == YAxis::OfUv { tangent.w } else { 1.0 };
        tangents[vertex as usize] = tangent.truncate().extend(w);
    }
    data.tangents = tangents;
}

struct MikkTSpaceGeometry<'a> {
    mesh: &'a TangentInput<'a>,
    tangents: Vec<[Vec4; 3]>,
}

impl MikkTSpaceGeometry<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.mesh.triangles[face][corner] as usize
    }
}

impl Geometry<PortableOps> for MikkTSpaceGeometry<'_> {
    fn num_faces(&self) -> usize {
        self.mesh.triangles.len()
    }

    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.mesh.positions[self.vertex(face, corner)].to_array()
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.mesh.normals[self.vertex(face, corner)].normalize_or(Vec3::Z).to_array()
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        // The algorithm is defined for texture coordinates with v upwards; in glTF, v points down.
        let uv = self.mesh.uvs[self.vertex(face, corner)];
        [uv.x, 1.0 - uv.y]
    }

    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, corner: usize) {
        if let Some(space) = space {
            let tangent = Vec4::from_array(space.tangent_encoded());
            if tangent.is_finite() && tangent.truncate() != Vec3::ZERO {
                self.tangents[face][corner] = tangent;
            }
        }
    }
}

/// Elementary functions whose results have the same bits on every platform.
struct PortableOps;

impl Ops for PortableOps {
    fn sqrt(x: f32) -> f32 {
        x.sqrt()
    }

    fn acos(x: f32) -> f32 {
        sunfleck_math::acos(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sunfleck_math::{vec2, vec3, vec4};

    #[test]
    fn tangent_points_along_u_and_handedness_follows_v() {
        // A square in the xy plane, seen from +z; u grows to the right, v downwards: the glTF bitangent
        // cross(n, t) * w must point up, the direction in which v decreases.
        let positions = [vec3(0., 0., 0.), vec3(1., 0., 0.), vec3(1., 1., 0.), vec3(0., 1., 0.)];
        let uvs = positions.map(|p| vec2(p.x, 1.0 - p.y));
        let mirrored = uvs.map(|uv| vec2(1.0 - uv.x, uv.y));
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let tangents = |uvs: &[Vec2]| {
            let normals = &[Vec3::Z; 4];
            tangents_of_corners(&TangentInput { positions: &positions, normals, uvs, triangles: &triangles })
        };
        assert_eq!(tangents(&uvs), [[vec4(1., 0., 0., 1.); 3]; 2]);
        assert_eq!(tangents(&mirrored), [[vec4(-1., 0., 0., -1.); 3]; 2]);
        assert_eq!(
            tangents(&[Vec2::ZERO; 4]),
            [[vec4(1., 0., 0., 1.); 3]; 2],
            "degenerate texture coordinates: an arbitrary tangent"
        );
    }

    proptest! {
        /// Tangents are finite for arbitrary, degenerate and repeated vertices, and nothing panics.
        #[test]
        fn wild_meshes_have_finite_tangents(
            vertices in prop::collection::vec(prop::array::uniform8(prop_oneof![
                Just(0.0f32), Just(1.0f32), -1.0f32..1.0, Just(1e-30f32), Just(3e38f32), Just(-3e38f32), any::<f32>()
            ]), 1..12),
            corners in prop::collection::vec(prop::array::uniform3(any::<u32>()), 0..40),
        ) {
            let finite = |v: f32| if v.is_finite() { v } else { 0.0 };
            let vertices: Vec<[f32; 8]> = vertices.into_iter().map(|v| v.map(finite)).collect();
            let n = u32::try_from(vertices.len()).unwrap();
            let mesh = TangentInput {
                positions: &vertices.iter().map(|v| vec3(v[0], v[1], v[2])).collect::<Vec<_>>(),
                normals: &vertices.iter().map(|v| vec3(v[3], v[4], v[5])).collect::<Vec<_>>(),
                uvs: &vertices.iter().map(|v| vec2(v[6], v[7])).collect::<Vec<_>>(),
                triangles: &corners.iter().map(|c| c.map(|v| v % n)).collect::<Vec<_>>(),
            };
            for tangent in tangents_of_corners(&mesh).as_flattened() {
                prop_assert!(tangent.is_finite() && tangent.w.abs() == 1.0);
            }
        }
    }
}
