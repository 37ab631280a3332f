//! Shading normals for meshes whose file has none.

use sunfleck_math::Vec3;

/// Crease angle: faces that meet at a smaller angle are smoothed across their edge.
pub(crate) const CREASE_DEGREES: u32 = 60;
const CREASE_COS: f32 = 0.5;

/// Vertices with more faces are smoothed over all of them, since comparing all pairs takes quadratic time.
const MAX_FACES_TO_COMPARE: usize = 256;

/// Normals, and the index of the normal of each corner of each triangle.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct CornerNormals {
    pub(crate) normals: Vec<Vec3>,
    pub(crate) corners: Vec<[u32; 3]>,
}

/// Returns whether a normal of a file has a direction: it is finite, and neither too short nor too long to be
/// normalised.
pub(crate) fn is_direction(normal: Vec3) -> bool {
    normal.try_normalize().is_some()
}

/// Returns a normal of a triangle with the length of twice its area; zero if the triangle is degenerate or not finite.
pub(crate) fn area_normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    let normal = (b - a).cross(c - a);
    if normal.is_finite() { normal } else { Vec3::ZERO }
}

/// Computes area-weighted smooth normals with creases where faces meet at more than [`CREASE_DEGREES`].
///
/// The normal of a corner is the mean over the faces of its vertex whose normals are within the crease angle of that of
/// the corner's face. All normals have length 1; the normal of a vertex with only degenerate faces is +y.
/// Panics if a triangle has a vertex index out of range.
pub(crate) fn smooth_with_creases(positions: &[Vec3], triangles: &[[u32; 3]]) -> CornerNormals {
    let by_area: Vec<Vec3> =
        triangles.iter().map(|t| area_normal(t.map(|v| positions[v as usize]))).collect();
    let unit: Vec<Vec3> = by_area.iter().map(|n| n.normalize_or_zero()).collect();
    let corners_by_vertex = CornersByVertex::new(positions.len(), triangles);
    let mut result = CornerNormals { normals: Vec::new(), corners: vec![[0; 3]; triangles.len()] };
    for vertex in 0..positions.len() {
        let vertex_corners = corners_by_vertex.of(vertex);
        let first = result.normals.len();
        let smooth_all = vertex_corners.len() > MAX_FACES_TO_COMPARE;
        let sum_if = |near: &dyn Fn(Vec3) -> bool| -> Vec3 {
            let faces =
                vertex_corners.iter().map(|&(face, _)| face as usize).filter(|&face| near(unit[face]));
            faces.map(|face| by_area[face]).sum()
        };
        let sum_of_all = if smooth_all { sum_if(&|_| true) } else { Vec3::ZERO };
        for &(triangle, corner) in vertex_corners {
            let own = unit[triangle as usize];
            let near = |n: Vec3| own == Vec3::ZERO || n.dot(own) >= CREASE_COS;
            let sum = if smooth_all { sum_of_all } else { sum_if(&near) };
            let normal = sum.try_normalize().unwrap_or(if own == Vec3::ZERO { Vec3::Y } else { own });
            let known = result.normals[first..].iter().rposition(|&n| n == normal);
            let index = known.map_or(result.normals.len(), |i| first + i);
            if known.is_none() {
                result.normals.push(normal);
            }
            result.corners[triangle as usize][corner as usize] = u32::try_from(index).unwrap_or(u32::MAX);
        }
    }
    result
}

/// Computes the normals of smoothing groups [Wavefront]: faces of group 0 are flat; the normal of a corner of another
/// group is the mean over the faces of its vertex in the same group.
///
/// Faces are weighted by their angles at the vertex, so that the normals of a cube do not depend on the diagonals of
/// its squares. All normals have length 1. Panics if a triangle has a vertex index out of range.
pub(crate) fn smooth_in_groups(positions: &[Vec3], triangles: &[[u32; 3]], groups: &[u32]) -> CornerNormals {
    let corners_of = |triangle: u32| triangles[triangle as usize].map(|v| positions[v as usize]);
    let unit = |triangle| area_normal(corners_of(triangle)).normalize_or_zero();
    let group = |triangle: u32| groups[triangle as usize];
    let corners_by_vertex = CornersByVertex::new(positions.len(), triangles);
    let mut result = CornerNormals { normals: Vec::new(), corners: vec![[0; 3]; triangles.len()] };
    let mut by_group = Vec::new();
    for vertex in 0..positions.len() {
        by_group.clear();
        by_group.extend_from_slice(corners_by_vertex.of(vertex));
        by_group.sort_by_key(|&(triangle, _)| group(triangle));
        for corners in by_group.chunk_by(|&(a, _), &(b, _)| group(a) == group(b)) {
            let weighted =
                |&(triangle, corner): &(u32, u8)| unit(triangle) * angle(corners_of(triangle), corner);
            let smooth: Vec3 = corners.iter().map(weighted).sum();
            let mut last = None;
            for &(triangle, corner) in corners {
                let own = unit(triangle);
                let sum = if group(triangle) == 0 { own } else { smooth };
                let normal = sum.try_normalize().or(own.try_normalize()).unwrap_or(Vec3::Y);
                if last != Some(normal) {
                    result.normals.push(normal);
                    last = Some(normal);
                }
                let index = u32::try_from(result.normals.len() - 1).unwrap_or(u32::MAX);
                result.corners[triangle as usize][usize::from(corner)] = index;
            }
        }
    }
    result
}

/// Returns the angle of a triangle at one of its corners, in radians.
fn angle(positions: [Vec3; 3], corner: u8) -> f32 {
    let [a, b, c] = [0, 1, 2].map(|i| positions[(usize::from(corner) + i) % 3]);
    let [to_b, to_c] = [(b - a).normalize_or_zero(), (c - a).normalize_or_zero()];
    sunfleck_math::acos(to_b.dot(to_c).clamp(-1.0, 1.0))
}

/// Corners of triangles by their vertex, in the order of the triangles.
struct CornersByVertex {
    /// Offset of the corners of each vertex in `corners`, followed by the number of corners.
    starts: Vec<usize>,
    corners: Vec<(u32, u8)>,
}

impl CornersByVertex {
    fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let mut starts = vec![0; vertices + 1];
        for &v in triangles.as_flattened() {
            starts[v as usize + 1] += 1;
        }
        for i in 0..vertices {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut corners = vec![(0, 0); triangles.len() * 3];
        for (t, triangle) in (0u32..).zip(triangles) {
            for (corner, &v) in (0u8..).zip(triangle) {
                corners[next[v as usize]] = (t, corner);
                next[v as usize] += 1;
            }
        }
        Self { starts, corners }
    }

    fn of(&self, vertex: usize) -> &[(u32, u8)] {
        &self.corners[self.starts[vertex]..self.starts[vertex + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::vec3;

    /// Two unit squares that share the edge from the origin along +x; `up` is the direction of the second one.
    fn hinge(up: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let front = vec3(0.0, 0.0, 1.0);
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::X + front, front, up, Vec3::X + up];
        (positions, vec![[0, 3, 2], [0, 2, 1], [1, 5, 4], [1, 4, 0]])
    }

    #[test]
    fn flat_edges_are_shared_and_right_angles_are_creases() {
        let (positions, triangles) = hinge(vec3(0.0, 0.0, -1.0));
        let flat = smooth_with_creases(&positions, &triangles);
        assert_eq!(flat.normals, [Vec3::Y; 6]);
        let (positions, triangles) = hinge(vec3(0.0, 1.0, 0.0));
        let sharp = smooth_with_creases(&positions, &triangles);
        let normal = |t: usize, c: usize| sharp.normals[sharp.corners[t][c] as usize];
        for corner in 0..3 {
            assert_eq!(normal(0, corner), Vec3::Y);
            assert_eq!(normal(2, corner), Vec3::Z);
        }
        assert_eq!(sharp.normals.len(), 8, "the two shared vertices have two normals each");
    }

    #[test]
    fn gentle_angles_are_smooth() {
        let (positions, triangles) = hinge(vec3(0.0, 0.5f32.sqrt(), -(0.5f32.sqrt())));
        let smooth = smooth_with_creases(&positions, &triangles);
        let normal = smooth.normals[smooth.corners[1][2] as usize];
        let upper = vec3(0.0, 0.5f32.sqrt(), 0.5f32.sqrt());
        // At 45°. Vertex 1 has one triangle of the first square and two of the second, all of the same area.
        assert!(normal.distance((Vec3::Y + 2.0 * upper).normalize_or_zero()) < 1e-6);
        assert_eq!(smooth.normals.len(), 6);
    }

    #[test]
    fn a_crowded_vertex_is_smooth_all_around() {
        // A flat cone of 1000 faces around the z axis.
        let n = 1000u16;
        let rim = (0..n).map(|i| {
            let (sin, cos) = sunfleck_math::sin_cos(f32::from(i) / f32::from(n) * std::f32::consts::TAU);
            vec3(cos, sin, -2.0)
        });
        let positions: Vec<Vec3> = std::iter::once(Vec3::ZERO).chain(rim).collect();
        let next = |i: u16| u32::from(i % n) + 1;
        let triangles: Vec<[u32; 3]> = (0..n).map(|i| [0, next(i), next(i + 1)]).collect();
        let smooth = smooth_with_creases(&positions, &triangles);
        let tip = smooth.corners[0][0];
        assert!(smooth.corners.iter().all(|corners| corners[0] == tip));
        assert!(smooth.normals[tip as usize].distance(Vec3::Z) < 1e-3);
    }

    #[test]
    fn groups_are_smooth_across_right_angles_and_group_0_is_flat() {
        let (positions, triangles) = hinge(vec3(0.0, 1.0, 0.0));
        let normal =
            |result: &CornerNormals, t: usize, c: usize| result.normals[result.corners[t][c] as usize];
        let smooth = smooth_in_groups(&positions, &triangles, &[1; 4]);
        let diagonal = (Vec3::Y + Vec3::Z).normalize_or_zero();
        for (t, c) in [(0, 0), (1, 0), (1, 2), (2, 0), (3, 0), (3, 2)] {
            assert!(
                normal(&smooth, t, c).distance(diagonal) < 1e-6,
                "{t} {c}: the angles, not the areas, count"
            );
        }
        assert_eq!((normal(&smooth, 0, 1), normal(&smooth, 2, 1)), (Vec3::Y, Vec3::Z));
        assert_eq!(smooth.normals.len(), 6);
        for groups in [[0; 4], [1, 1, 2, 2]] {
            let sharp = smooth_in_groups(&positions, &triangles, &groups);
            for corner in 0..3 {
                assert_eq!([0, 1].map(|t| normal(&sharp, t, corner)), [Vec3::Y; 2]);
                assert_eq!([2, 3].map(|t| normal(&sharp, t, corner)), [Vec3::Z; 2]);
            }
        }
    }

    #[test]
    fn directions_can_be_normalised() {
        for normal in [Vec3::Y, Vec3::splat(1e-15), Vec3::splat(-1e15)] {
            assert!(is_direction(normal), "{normal}");
        }
        for x in [0.0, 1e-30, 1e30, f32::NAN, f32::INFINITY] {
            assert!(!is_direction(vec3(x, 0.0, 0.0)), "{x}");
        }
    }

    #[test]
    fn degenerate_faces_have_a_normal() {
        let result = smooth_with_creases(&[Vec3::ZERO; 3], &[[0, 1, 2], [0, 0, 0]]);
        assert!(result.normals.iter().all(|n| *n == Vec3::Y));
    }
}
