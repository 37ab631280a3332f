//! Bilinear patches: two triangles each if they are flat, else a grid.

use sunfleck_math::{Vec2, Vec3};
use sunfleck_scene::MeshData;

/// Squares along each axis of a patch that is not flat.
const SQUARES: u8 = 16;

/// Adds a patch to a mesh.
///
/// * `corners`, `normals`, `uv` — values at (u, v) = (0, 0), (1, 0), (0, 1), (1, 1); texture coordinates of pbrt.
pub(super) fn add(data: &mut MeshData, corners: [Vec3; 4], normals: Option<[Vec3; 4]>, uv: [Vec2; 4]) {
    let squares = if is_flat(corners) { 1 } else { SQUARES };
    let first = u32::try_from(data.positions.len()).unwrap_or(u32::MAX);
    for j in 0..=squares {
        for i in 0..=squares {
            let at = [i, j].map(|step| f32::from(step) / f32::from(squares));
            data.positions.push(bilinear(corners, at));
            let [u, v] = at;
            // ∂p/∂u × ∂p/∂v [PBRT4, §6.6]
            let along_u = (corners[1] - corners[0]) * (1.0 - v) + (corners[3] - corners[2]) * v;
            let along_v = (corners[2] - corners[0]) * (1.0 - u) + (corners[3] - corners[1]) * u;
            let normal = match normals {
                Some(normals) => bilinear(normals, at),
                None => along_u.cross(along_v),
            };
            data.normals.push(normal.normalize_or(along_u.cross(along_v).normalize_or(Vec3::Z)));
            data.uv0.push(bilinear(uv, at));
        }
    }
    let row = u32::from(squares) + 1;
    for j in 0..u32::from(squares) {
        for i in 0..u32::from(squares) {
            let corner = first + j * row + i;
            data.triangles.push([corner, corner + 1, corner + row + 1]);
            data.triangles.push([corner, corner + row + 1, corner + row]);
        }
    }
}

fn bilinear<V>([a, b, c, d]: [V; 4], [u, v]: [f32; 2]) -> V
where
    V: std::ops::Mul<f32, Output = V> + std::ops::Add<Output = V>,
{
    (a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v
}

/// Returns whether the corners are in one plane.
fn is_flat([a, b, c, d]: [Vec3; 4]) -> bool {
    let normal = (d - a).cross(c - b);
    let size = (d - a).length().max((c - b).length());
    let height = (b - a).dot(normal.normalize_or_zero()).abs();
    height <= 1e-5 * size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normals::area_normal;
    use sunfleck_math::vec3;

    const UVS: [Vec2; 4] = [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE];

    #[test]
    fn a_flat_patch_is_two_triangles() {
        let mut data = MeshData::default();
        add(&mut data, [Vec3::ZERO, Vec3::X, Vec3::Y, vec3(1.0, 1.0, 0.0)], None, UVS);
        assert_eq!(data.triangles, [[0, 1, 3], [0, 3, 2]]);
        assert_eq!((data.normals, data.uv0), (vec![Vec3::Z; 4], UVS.to_vec()));
    }

    /// The surface z = x y, whose normal is (−y, −x, 1).
    #[test]
    fn a_saddle_is_a_grid() {
        let mut data = MeshData::default();
        add(&mut data, [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE], None, UVS);
        assert_eq!(data.triangles.len(), 2 * 16 * 16);
        for (p, n) in data.positions.iter().zip(&data.normals) {
            assert!((p.z - p.x * p.y).abs() < 1e-6);
            assert!(n.abs_diff_eq(vec3(-p.y, -p.x, 1.0).normalize_or_zero(), 1e-5));
        }
        for triangle in &data.triangles {
            assert!(area_normal(triangle.map(|v| data.positions[v as usize])).z > 0.0);
        }
    }
}
