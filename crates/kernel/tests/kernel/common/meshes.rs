//! Procedural meshes.
#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    unreachable_pub,
    reason = "the same mesh need not have the same bits on different machines"
)]

use std::collections::BTreeMap;

use super::Random;
use sunfleck_math::{Aabb, Vec3, vec3};

#[derive(Clone, Debug, Default)]
pub struct Mesh {
    pub positions: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|i| self.positions[i as usize])
    }

    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.positions.iter().copied())
    }

    pub fn mapped(&self, f: impl Fn(Vec3) -> Vec3) -> Self {
        Self { positions: self.positions.iter().map(|&p| f(p)).collect(), triangles: self.triangles.clone() }
    }

    pub fn push(&mut self, corners: [Vec3; 3]) {
        let first = self.positions.len() as u32;
        self.positions.extend(corners);
        self.triangles.push([first, first + 1, first + 2]);
    }
}

/// Unconnected triangles in the cube `[-1, 1]^3`.
pub fn soup(count: usize, size: f32, seed: u64) -> Mesh {
    let mut random = Random(seed);
    let mut mesh = Mesh::default();
    for _ in 0..count {
        let at = random.cube();
        mesh.push([at, at + random.cube() * size, at + random.cube() * size]);
    }
    mesh
}

/// Long triangles, a million times longer than wide, in all directions.
pub fn slivers(count: usize, seed: u64) -> Mesh {
    let mut random = Random(seed);
    let mut mesh = Mesh::default();
    for _ in 0..count {
        let (at, along) = (random.cube(), random.cube());
        mesh.push([at - along, at + along, at + random.cube() * 1e-6]);
    }
    mesh
}

/// Grid of `n × n` squares of two triangles each in the plane z = 0, with shared vertices.
pub fn grid(n: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for y in 0..=n {
        mesh.positions.extend((0..=n).map(|x| vec3(x as f32, y as f32, 0.0)));
    }
    for (x, y) in (0..n * n).map(|i| (i % n, i / n)) {
        let at = |x: u32, y: u32| y * (n + 1) + x;
        let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
        // The winding alternates.
        mesh.triangles.extend(if (x + y) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[b, a, d], [b, c, d]] });
    }
    mesh
}

/// Surface of the cube `[-1, 1]^3`: six grids of `n × n` squares with shared vertices. All coordinates are exact.
pub fn cube(n: i32) -> Mesh {
    let mut mesh = Mesh::default();
    let mut index = BTreeMap::new();
    for face in 0..6 {
        let axis = face % 3;
        for i in 0..n {
            for j in 0..n {
                let mut corner = |i: i32, j: i32| {
                    let mut p = [0; 3];
                    (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (if face < 3 { n } else { 0 }, i, j);
                    *index.entry(p).or_insert_with(|| {
                        mesh.positions.push(Vec3::from_array(p.map(|x| 2.0 * x as f32 / n as f32 - 1.0)));
                        mesh.positions.len() as u32 - 1
                    })
                };
                let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    mesh
}

/// Unit sphere: an octahedron whose triangles are split into four `levels` times.
pub fn sphere(levels: u32) -> Mesh {
    let positions = vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    let triangles =
        vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    let mut mesh = Mesh { positions, triangles };
    for _ in 0..levels {
        let mut middles = BTreeMap::new();
        let mut split = Vec::new();
        for &[a, b, c] in &mesh.triangles {
            let mut middle = |a: u32, b: u32| {
                *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    let p = mesh.positions[a as usize] + mesh.positions[b as usize];
                    mesh.positions.push(p / p.length());
                    mesh.positions.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            split.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        mesh.triangles = split;
    }
    mesh
}

/// Torus around z with radii 2 and 1: `n` rings of `n` squares.
pub fn torus(n: u32) -> Mesh {
    let mut mesh = Mesh::default();
    let angle = |i: u32| f64::from(i) / f64::from(n) * std::f64::consts::TAU;
    for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
        let (around, tube) = (angle(i), angle(j));
        let r = 2.0 + tube.cos();
        mesh.positions.push(vec3((r * around.cos()) as f32, (r * around.sin()) as f32, tube.sin() as f32));
        let at = |i: u32, j: u32| i % n * n + j % n;
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    mesh
}
