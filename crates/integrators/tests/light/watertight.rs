//! Watertightness: every ray that starts inside of a closed mesh hits it, in closest-hit and in any-hit queries,
//! whether its direction is random or exactly towards a vertex or the midpoint of an edge.
//!
//! The tests of the kernel do this for spheres, cubes and tori; here it is tested on a sphere, a cube and the teapot of
//! `sunfleck_models`. The three parts of the teapot are also tested one by one, since a part could hide a hole of
//! another.

#![allow(clippy::cast_possible_truncation, reason = "indices of small meshes")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fearless_simd::{Level, Simd, dispatch};
use rayon::prelude::*;
use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
use sunfleck_math::{Aabb, Affine3, DVec3, Ray, Vec3};
use sunfleck_models::teapot;
use sunfleck_sampling::rng::{pcg4d, unit_f32};
use sunfleck_sampling::warp;
use sunfleck_scene::MeshData;
use sunfleck_testkit::{Random, Uniforms};

use crate::common::sphere;

const RAYS: u32 = 200_000;
const MANY: u32 = 100_000_000;

#[test]
fn sphere_is_watertight() {
    ClosedMesh::of(sphere(5, false, false)).assert_watertight(RAYS);
}

#[test]
fn subdivided_cube_is_watertight() {
    ClosedMesh::of(cube(12)).assert_watertight(RAYS);
}

#[test]
fn teapot_is_watertight() {
    ClosedMesh::of(teapot(12)).assert_watertight(RAYS);
}

#[test]
fn each_part_of_the_teapot_is_watertight() {
    let parts = parts(&teapot(12));
    assert_eq!(parts.len(), 3, "body, handle, spout");
    for part in parts {
        ClosedMesh::of(part).assert_watertight(RAYS);
    }
}

#[test]
fn a_missing_triangle_is_detected() {
    let closed = ClosedMesh::of(sphere(3, false, false));
    let mut mesh = closed.mesh.clone();
    mesh.triangles.swap_remove(200);
    let open = ClosedMesh { tlas: world_of(&mesh), mesh, balls: closed.balls };
    assert!(
        open.leaks(RAYS).0 > 0,
        "no ray leaves through the missing one of {} triangles",
        open.mesh.triangles.len() + 1
    );
}

#[test]
#[ignore = "100 million rays, minutes"]
fn sphere_is_watertight_to_a_hundred_million_rays() {
    ClosedMesh::of(sphere(5, false, false)).assert_watertight(MANY);
}

#[test]
#[ignore = "100 million rays, minutes"]
fn subdivided_cube_is_watertight_to_a_hundred_million_rays() {
    ClosedMesh::of(cube(12)).assert_watertight(MANY);
}

#[test]
#[ignore = "100 million rays, minutes"]
fn teapot_is_watertight_to_a_hundred_million_rays() {
    ClosedMesh::of(teapot(12)).assert_watertight(MANY);
}

#[test]
#[ignore = "100 million rays for each part, minutes"]
fn each_part_of_the_teapot_is_watertight_to_a_hundred_million_rays() {
    for part in parts(&teapot(12)) {
        ClosedMesh::of(part).assert_watertight(MANY);
    }
}

/// Closed mesh, with balls inside of it at which rays start.
struct ClosedMesh {
    mesh: MeshData,
    tlas: Tlas,
    balls: Vec<Ball>,
}

/// Centre and radius of a ball that is completely inside of the mesh.
#[derive(Clone, Copy, Debug)]
struct Ball(Vec3, f32);

impl ClosedMesh {
    fn of(mesh: MeshData) -> Self {
        assert!(is_closed(&mesh), "an edge of `{}` belongs to one triangle", mesh.name);
        let bounds = Aabb::from_points(mesh.positions.iter().copied());
        let mut random = Random::new(1);
        let mut place = || bounds.min + Vec3::draw(&mut random) * bounds.size();
        let candidates: Vec<Vec3> = (0..4000).map(|_| place()).collect();
        let inside = |center: &Vec3| (winding_number(&mesh, *center) - 1.0).abs() < 1e-6;
        let ball = |center: Vec3| Ball(center, 0.5 * clearance(&mesh, center));
        let balls: Vec<Ball> =
            candidates.into_par_iter().filter(inside).map(ball).filter(|ball| ball.1 > 0.0).collect();
        assert!(balls.len() >= 16, "too few balls inside `{}`: {balls:?}", mesh.name);
        Self { tlas: world_of(&mesh), mesh, balls }
    }

    fn assert_watertight(&self, rays: u32) {
        let (leaks, example) = self.leaks(rays);
        assert_eq!(leaks, 0, "{leaks} of {rays} rays leave `{}`, such as {example:?}", self.mesh.name);
    }

    /// Returns the number of rays that miss in one of the two queries, and the first of them.
    fn leaks(&self, rays: u32) -> (u32, Option<Ray>) {
        const CHUNK: u32 = 1 << 16;
        let chunks = (0..rays.div_ceil(CHUNK)).into_par_iter();
        let leaks = chunks.map(|chunk| {
            let rays = chunk * CHUNK..rays.min((chunk + 1) * CHUNK);
            dispatch!(Level::new(), simd => self.leaks_among(simd, rays))
        });
        leaks.reduce(|| (0, None), |a, b| (a.0 + b.0, a.1.or(b.1)))
    }

    #[inline(always)]
    fn leaks_among<S: Simd>(&self, simd: S, rays: std::ops::Range<u32>) -> (u32, Option<Ray>) {
        let (mut leaks, mut first) = (0, None);
        for index in rays {
            let ray = self.ray(index);
            if self.tlas.intersect(simd, &ray).is_none() || !self.tlas.occluded(simd, &ray) {
                leaks += 1;
                first = first.or(Some(ray));
            }
        }
        (leaks, first)
    }

    /// Returns a ray by its index. A third each of the rays points at a vertex, at the midpoint of an edge, and in a
    /// random direction.
    fn ray(&self, index: u32) -> Ray {
        let [ball, x, y, z] = pcg4d([index, 0, 0, 0]);
        let [target, side, u, v] = pcg4d([index, 1, 0, 0]);
        let Ball(center, radius) = self.balls[below(ball, self.balls.len())];
        let in_cube = Vec3::new(unit_f32(x), unit_f32(y), unit_f32(z)) * 2.0 - 1.0;
        // The corners of the cube of origins are on the sphere of the ball
        let origin = center + in_cube * (radius / 3f32.sqrt());
        let corners = self.mesh.triangles[below(target, self.mesh.triangles.len())];
        let corner = |i: usize| self.mesh.positions[corners[i % 3] as usize];
        let i = below(side, 3);
        let direction = match index % 3 {
            0 => corner(i) - origin,
            1 => (corner(i) + corner(i + 1)) * 0.5 - origin,
            _ => warp::uniform_sphere(sunfleck_math::vec2(unit_f32(u), unit_f32(v))),
        };
        Ray::new(origin, direction)
    }
}

/// Returns an index below `count` from 32 random bits.
fn below(bits: u32, count: usize) -> usize {
    ((u64::from(bits) * count as u64) >> 32) as usize
}

fn world_of(mesh: &MeshData) -> Tlas {
    let options = BuildOptions::default();
    let blas = Blas::build(&mesh.positions, &mesh.triangles, &options).unwrap();
    let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: u32::MAX, opaque: true };
    Tlas::build(vec![Arc::new(blas)], vec![instance], &options).unwrap()
}

/// Returns whether every edge belongs to two triangles that traverse it in opposite directions; vertices of equal
/// position count as one.
fn is_closed(mesh: &MeshData) -> bool {
    let place = |v: u32| (mesh.positions[v as usize] + 0.0).to_array().map(f32::to_bits);
    let edges = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]].map(|e| e.map(place)));
    let mut once = BTreeSet::new();
    edges.clone().all(|edge| once.insert(edge)) && edges.clone().all(|[a, b]| once.contains(&[b, a]))
}

/// Returns the winding number of a mesh about a point: its solid angle over 4π.
#[allow(clippy::disallowed_methods, reason = "a reference in f64")]
fn winding_number(mesh: &MeshData, from: Vec3) -> f64 {
    // [VanOosterom83]
    let solid_angle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize].as_dvec3() - from.as_dvec3());
        let [la, lb, lc] = [a, b, c].map(DVec3::length);
        2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    mesh.triangles.iter().map(solid_angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Returns a lower bound of the distance to the mesh: the least distance to bounding balls of triangles. It may be
/// negative.
fn clearance(mesh: &MeshData, from: Vec3) -> f32 {
    let distance_of_ball = |t: &[u32; 3]| {
        let corners = t.map(|v| mesh.positions[v as usize]);
        let center = corners.iter().sum::<Vec3>() / 3.0;
        let radius = corners.iter().map(|c| c.distance(center)).fold(0.0, f32::max);
        from.distance(center) - radius
    };
    mesh.triangles.iter().map(distance_of_ball).fold(f32::INFINITY, f32::min)
}

/// Returns the parts of a mesh that share no vertices, in the order of their first triangles.
fn parts(mesh: &MeshData) -> Vec<MeshData> {
    fn root(parent: &mut [u32], v: u32) -> u32 {
        let above = parent[v as usize];
        if above != v {
            parent[v as usize] = root(parent, above);
        }
        parent[v as usize]
    }
    let mut parent: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    for &[a, b, c] in &mesh.triangles {
        for other in [b, c] {
            let (from, to) = (root(&mut parent, other), root(&mut parent, a));
            parent[from as usize] = to;
        }
    }
    let mut parts: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
    for &triangle in &mesh.triangles {
        parts.entry(root(&mut parent, triangle[0])).or_default().push(triangle);
    }
    let part = |triangles: Vec<[u32; 3]>| {
        let positions = triangles.iter().flatten().map(|&v| mesh.positions[v as usize]).collect();
        let triangles = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        MeshData { name: format!("part of {}", mesh.name), positions, triangles, ..MeshData::default() }
    };
    parts.into_values().map(part).collect()
}

/// Returns the cube [-1, 1]³, each face with `n × n` squares of two triangles. Coordinates are rounded, but equal on
/// both sides of an edge.
fn cube(n: u32) -> MeshData {
    let mut mesh = MeshData { name: "cube".into(), ..MeshData::default() };
    let place = |i: u32| 2.0 * i as f32 / n as f32 - 1.0;
    for (axis, side) in [(0, 0), (1, 0), (2, 0), (0, n), (1, n), (2, n)] {
        for (i, j) in (0..n * n).map(|square| (square / n, square % n)) {
            let mut corner = |i: u32, j: u32| {
                let mut p = [0.0; 3];
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (place(side), place(i), place(j));
                mesh.positions.push(p.into());
                mesh.positions.len() as u32 - 1
            };
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            let outward = if side == 0 { [[a, c, b], [a, d, c]] } else { [[a, b, c], [a, c, d]] };
            mesh.triangles.extend(outward);
        }
    }
    mesh
}
