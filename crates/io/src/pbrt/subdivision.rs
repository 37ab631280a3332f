//! Loop subdivision surfaces [Loop87, subdivision rules] [PBRT3, §3.8].

use std::f32::consts::{PI, TAU};

use sunfleck_math::{Vec3, cos, sin_cos};
use sunfleck_scene::MeshData;

/// Triangles that any surface may have, the factor by which it may have more than its control mesh, and those that none
/// may have.
const MIN_TRIANGLES: usize = 1 << 17;
const MAX_FACTOR: usize = 64;
const MAX_TRIANGLES: usize = 1 << 22;

/// Edge between two vertices, the smaller index first.
#[derive(Clone, Copy, Debug)]
struct Edge {
    ends: [u32; 2],
    /// Vertices opposite to it in its first two triangles.
    opposite: [u32; 2],
    triangles: u32,
}

/// Subdivides a control mesh and moves its vertices to the limit surface. Returns it with its normals, and the number
/// of subdivisions, which is smaller than `levels` if there would be too many triangles.
///
/// The front is where the control mesh is clockwise: pbrt's normals point there. In contrast to pbrt, normals are those
/// of the limit surface, computed from the control points and not from the limit points.
pub(super) fn subdivide(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>, levels: u32) -> (MeshData, u32) {
    let most = MIN_TRIANGLES.max(MAX_TRIANGLES.min(MAX_FACTOR * triangles.len()));
    let (mut positions, mut triangles) = (positions, triangles);
    let mut done = 0;
    while done < levels && 4 * triangles.len() <= most {
        (positions, triangles) = refined(&positions, &triangles);
        done += 1;
    }
    let neighbors = Neighbors::new(&positions, &edges(&triangles));
    let limit: Vec<Vec3> = (0..positions.len()).map(|v| neighbors.limit(v, positions[v])).collect();
    let normals = normals(&positions, &triangles);
    triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
    (MeshData { positions: limit, normals, triangles, ..MeshData::default() }, done)
}

/// Returns the edges in ascending order.
fn edges(triangles: &[[u32; 3]]) -> Vec<Edge> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for &[a, b, c] in triangles {
        sides.extend(
            [(a, b, c), (b, c, a), (c, a, b)].map(|(p, q, opposite)| ([p.min(q), p.max(q)], opposite)),
        );
    }
    sides.sort_unstable();
    let groups = sides.chunk_by(|a, b| a.0 == b.0);
    groups
        .map(|group| {
            let opposite = [group[0].1, group.get(1).unwrap_or(&group[0]).1];
            let triangles = u32::try_from(group.len()).unwrap_or(u32::MAX);
            Edge { ends: group[0].0, opposite, triangles }
        })
        .collect()
}

/// One step: vertices move, each edge gets a vertex, each triangle becomes four.
fn refined(positions: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let edges = edges(triangles);
    let neighbors = Neighbors::new(positions, &edges);
    let mut points: Vec<Vec3> = (0..positions.len()).map(|v| neighbors.moved(v, positions[v])).collect();
    let at = |v: u32| positions[v as usize];
    points.extend(edges.iter().map(|edge| {
        let sum = at(edge.ends[0]) + at(edge.ends[1]);
        match edge.triangles {
            2 => sum * 0.375 + (at(edge.opposite[0]) + at(edge.opposite[1])) * 0.125,
            _ => sum * 0.5,
        }
    }));
    let on_edge = |p: u32, q: u32| {
        let found = edges.binary_search_by(|edge| edge.ends.cmp(&[p.min(q), p.max(q)])).unwrap_or(0);
        u32::try_from(positions.len() + found).unwrap_or(u32::MAX)
    };
    let mut fine = Vec::with_capacity(4 * triangles.len());
    for &[a, b, c] in triangles {
        let (ab, bc, ca) = (on_edge(a, b), on_edge(b, c), on_edge(c, a));
        fine.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    (points, fine)
}

/// Sums over the neighbours of each vertex.
struct Neighbors {
    /// Sum and number of all neighbours.
    all: Vec<(Vec3, u32)>,
    /// Sum and number of the neighbours along edges that do not have two triangles.
    on_boundary: Vec<(Vec3, u32)>,
}

impl Neighbors {
    fn new(positions: &[Vec3], edges: &[Edge]) -> Self {
        let mut all = vec![(Vec3::ZERO, 0); positions.len()];
        let mut on_boundary = all.clone();
        for Edge { ends: [p, q], triangles, .. } in edges {
            for (vertex, neighbor) in [(*p, *q), (*q, *p)] {
                let add = |(sum, count): &mut (Vec3, u32)| {
                    *sum += positions[neighbor as usize];
                    *count += 1;
                };
                add(&mut all[vertex as usize]);
                if *triangles != 2 {
                    add(&mut on_boundary[vertex as usize]);
                }
            }
        }
        Self { all, on_boundary }
    }

    /// Returns where a vertex moves in a step.
    fn moved(&self, vertex: usize, position: Vec3) -> Vec3 {
        self.weighted(vertex, position, beta, 1.0 / 8.0)
    }

    /// Returns the point of a vertex on the limit surface.
    fn limit(&self, vertex: usize, position: Vec3) -> Vec3 {
        self.weighted(vertex, position, |n| 1.0 / (n + 0.375 / beta(n)), 1.0 / 5.0)
    }

    /// Returns the mean of a vertex and its neighbours.
    ///
    /// * `interior` — weight of each of n neighbours. * `boundary` — weight of the two neighbours along the boundary.
    fn weighted(&self, vertex: usize, position: Vec3, interior: impl Fn(f32) -> f32, boundary: f32) -> Vec3 {
        let (sum, count, weight) = match (self.on_boundary[vertex], self.all[vertex]) {
            ((_, 0), (_, 0)) => return position,
            ((_, 0), (sum, count)) => (sum, count, interior(count as f32)),
            ((sum, 2), _) => (sum, 2, boundary),
            // Surfaces that touch in a vertex keep it
            _ => return position,
        };
        position * (1.0 - count as f32 * weight) + sum * weight
    }
}

/// Weight of each of n neighbours in a step: ³⁄₁₆ for 3, else 3 / (8 n) [PBRT3, §3.8.2].
fn beta(n: f32) -> f32 {
    if n == 3.0 { 3.0 / 16.0 } else { 3.0 / (8.0 * n) }
}

/// Returns the normals of the limit surface on the clockwise side of the triangles, of unit length.
fn normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    // Of each vertex, the pairs of neighbours that are next to each other, counter-clockwise
    let mut pairs: Vec<[u32; 3]> =
        triangles.iter().flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]]).collect();
    pairs.sort_unstable();
    let mut normals = vec![Vec3::Z; positions.len()];
    for of_vertex in pairs.chunk_by(|p, q| p[0] == q[0]) {
        let vertex = of_vertex[0][0] as usize;
        let (ring, is_closed) = ring(of_vertex);
        let ring: Vec<Vec3> = ring.into_iter().map(|v| positions[v as usize]).collect();
        let normal =
            if is_closed { normal_inside(&ring) } else { normal_on_boundary(&ring, positions[vertex]) };
        normals[vertex] = normal.normalize_or(Vec3::Z);
    }
    normals
}

/// Returns the neighbours of a vertex counter-clockwise, and whether they surround it.
fn ring(pairs: &[[u32; 3]]) -> (Vec<u32>, bool) {
    let after = |neighbor: u32| {
        pairs.binary_search_by(|pair| pair[1].cmp(&neighbor)).ok().map(|found| pairs[found][2])
    };
    let mut successors: Vec<u32> = pairs.iter().map(|pair| pair[2]).collect();
    successors.sort_unstable();
    let first = pairs.iter().map(|pair| pair[1]).find(|first| successors.binary_search(first).is_err());
    let begin = first.unwrap_or(pairs[0][1]);
    let mut ring = vec![begin];
    while let Some(next) = ring.last().copied().and_then(after)
        && next != begin
        && ring.len() <= pairs.len()
    {
        ring.push(next);
    }
    (ring, first.is_none())
}

/// Cross product of the tangents Σ cos(2πj/n) pⱼ and Σ sin(2πj/n) pⱼ [PBRT3, §3.8.3].
fn normal_inside(ring: &[Vec3]) -> Vec3 {
    let (mut s, mut t) = (Vec3::ZERO, Vec3::ZERO);
    for (j, &p) in ring.iter().enumerate() {
        let (sin, cos) = sin_cos(TAU * j as f32 / ring.len() as f32);
        s += p * cos;
        t += p * sin;
    }
    t.cross(s)
}

/// Cross product of the tangents along and across the boundary [PBRT3, §3.8.3].
fn normal_on_boundary(ring: &[Vec3], position: Vec3) -> Vec3 {
    let (first, last) = (ring[0], ring[ring.len() - 1]);
    let along = last - first;
    let across = match ring {
        [_] => return Vec3::Z,
        [a, b] => *a + *b - position * 2.0,
        [_, b, _] => *b - position,
        [a, b, c, d] => *b * 2.0 + *c * 2.0 - *a - *d - position * 2.0,
        _ => {
            let theta = PI / (ring.len() - 1) as f32;
            let mut sum = (first + last) * sin_cos(theta).0;
            for (k, &p) in ring.iter().enumerate().take(ring.len() - 1).skip(1) {
                sum += p * ((2.0 * cos(theta) - 2.0) * sin_cos(k as f32 * theta).0);
            }
            -sum
        }
    };
    along.cross(across)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normals::area_normal;
    use sunfleck_math::vec3;

    /// Octahedron, counter-clockwise seen from outside.
    fn octahedron() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let positions = vec![Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let triangles =
            vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [1, 0, 5], [2, 1, 5], [3, 2, 5], [0, 3, 5]];
        (positions, triangles)
    }

    /// With n = 4 neighbours that sum to 0, a vertex moves to 1 − 4 · 3/32 = 5/8 of its distance in a step, and to
    /// 1 − 4 γ in the limit, where γ = 1 / (4 + 4) = 1/8.
    #[test]
    fn an_octahedron_shrinks_as_computed_by_hand() {
        let (positions, triangles) = octahedron();
        let (limit, _) = subdivide(positions.clone(), triangles.clone(), 0);
        assert!(limit.positions[0].abs_diff_eq(Vec3::X * 0.5, 1e-6));
        let (fine, faces) = refined(&positions, &triangles);
        assert_eq!((fine.len(), faces.len()), (18, 32));
        assert!(fine[0].abs_diff_eq(Vec3::X * 0.625, 1e-6));
        // The limit point does not depend on the number of steps
        for levels in 1..5 {
            let (mesh, done) = subdivide(positions.clone(), triangles.clone(), levels);
            assert_eq!((done, mesh.triangles.len()), (levels, 8 << (2 * levels)));
            assert!(mesh.positions[0].abs_diff_eq(Vec3::X * 0.5, 1e-5), "{}", mesh.positions[0]);
            assert!(mesh.normals[0].abs_diff_eq(Vec3::NEG_X, 1e-5), "pbrt's normals point inwards");
        }
    }

    #[test]
    fn triangles_and_normals_agree() {
        let (positions, triangles) = octahedron();
        let (mesh, _) = subdivide(positions, triangles, 4);
        for triangle in &mesh.triangles {
            let of_face = area_normal(triangle.map(|v| mesh.positions[v as usize])).normalize_or_zero();
            for v in triangle {
                // The curvature has no bound in vertices with four neighbours
                assert!(mesh.normals[*v as usize].dot(of_face) > 0.9);
                assert!(mesh.normals[*v as usize].dot(mesh.positions[*v as usize]) < 0.0);
            }
        }
    }

    /// A flat control mesh stays flat, its normals are perpendicular to it, and the corners of a square move along its
    /// diagonals.
    #[test]
    fn boundaries_are_curves_of_their_own() {
        let positions: Vec<Vec3> = (0..16u8).map(|i| vec3(f32::from(i % 4), f32::from(i / 4), 1.0)).collect();
        let squares = (0..3u32).flat_map(|y| (0..3u32).map(move |x| 4 * y + x));
        let triangles: Vec<[u32; 3]> = squares.flat_map(|v| [[v, v + 1, v + 5], [v, v + 5, v + 4]]).collect();
        for levels in 0..3 {
            let (mesh, _) = subdivide(positions.clone(), triangles.clone(), levels);
            for (p, n) in mesh.positions.iter().zip(&mesh.normals) {
                assert!((p.z - 1.0).abs() < 1e-5 && n.abs_diff_eq(Vec3::NEG_Z, 1e-4), "{p} {n}");
            }
            // Uniform cubic B-spline through the corner: (1, 0), (0, 0), (0, 1) have the weights 1/6, 2/3, 1/6 in the
            // limit; pbrt's weight is 1/5 with any number of steps.
            let corner = mesh.positions[0];
            assert!((corner.x - corner.y).abs() < 1e-6 && corner.x > 0.1 && corner.x < 0.25, "{corner}");
        }
    }

    #[test]
    fn surfaces_that_are_not_manifold_do_no_harm() {
        // Three triangles on one edge, a triangle with the same corner twice, two that touch in a vertex
        let positions: Vec<Vec3> =
            (0..8u8).map(|i| vec3(f32::from(i), f32::from(i * i), f32::from(i % 3))).collect();
        let triangles = vec![[0, 1, 2], [0, 1, 3], [1, 0, 4], [5, 5, 6], [2, 6, 7]];
        let (mesh, done) = subdivide(positions, triangles, 2);
        assert_eq!((done, mesh.triangles.len()), (2, 80));
        assert!(mesh.positions.iter().chain(&mesh.normals).all(|v| v.is_finite()));
        let (mesh, done) = subdivide(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]], 4_000_000_000);
        assert_eq!((done, mesh.triangles.len()), (8, 1 << 16));
    }
}
