//! Watertightness of closed meshes: rays from inside hit in every direction, in closest-hit and occlusion queries.

use crate::common::meshes::{cube, sphere, torus};
use crate::common::{Mesh, Random, random_transform, world, world_of};
use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::Tlas;
use sunfleck_math::{Affine3, Ray, Vec3};

const RAYS: u64 = 200_000;
/// Number of rays of the ignored tests.
const MANY: u64 = 100_000_000;

/// Asserts that rays from inside hit. One fifth each is aimed at vertices, midpoints of edges and points of edges,
/// runs along the axes and their diagonals, and has a random direction.
fn assert_closed(
    mesh: &Mesh,
    tlas: &Tlas,
    world_from_object: &Affine3,
    inside: fn(&mut Random) -> Vec3,
    rays: u64,
) {
    let leaks =
        dispatch!(Level::new(), simd => count_leaks(simd, mesh, tlas, world_from_object, inside, rays));
    assert_eq!(leaks.0, 0, "{} of {rays} rays leak, such as {:?}", leaks.0, leaks.1);
}

#[inline(always)]
fn count_leaks<S: Simd>(
    simd: S,
    mesh: &Mesh,
    tlas: &Tlas,
    world_from_object: &Affine3,
    inside: fn(&mut Random) -> Vec3,
    rays: u64,
) -> (u64, Option<Ray>) {
    let mut random = Random(99);
    let (mut leaks, mut example) = (0, None);
    for i in 0..rays {
        let origin = world_from_object.transform_point3(inside(&mut random));
        let [a, b, _] =
            mesh.corners(random.below(mesh.triangles.len())).map(|p| world_from_object.transform_point3(p));
        let direction = match i % 5 {
            0 => a - origin,
            1 => (a + b) * 0.5 - origin,
            2 => a + (b - a) * random.unit() - origin,
            3 => match (random.cube() * 1.5).round() {
                Vec3::ZERO => Vec3::X,
                diagonal => diagonal,
            },
            _ => random.direction(),
        };
        let ray = Ray::new(origin, direction);
        if tlas.intersect(simd, &ray).is_none() || !tlas.occluded(simd, &ray) {
            leaks += 1;
            example = Some(ray);
        }
    }
    (leaks, example)
}

fn near_center(random: &mut Random) -> Vec3 {
    random.cube() * 0.4
}

/// Returns a point whose coordinates are multiples of 1/8: rays between such points pass exactly through vertices and
/// edges of the cube.
fn lattice(random: &mut Random) -> Vec3 {
    (random.cube() * 7.0).round() * 0.125
}

fn inside_tube(random: &mut Random) -> Vec3 {
    let around = random.direction() * Vec3::new(1.0, 1.0, 0.0);
    let ring = around.try_normalize().unwrap_or(Vec3::X) * 2.0;
    ring + random.cube() * 0.3
}

fn subdivided_cube(rays: u64) {
    let mesh = cube(16);
    assert_closed(&mesh, &world_of(&mesh), &Affine3::IDENTITY, lattice, rays / 2);
    assert_closed(&mesh, &world_of(&mesh), &Affine3::IDENTITY, near_center, rays / 2);
}

fn subdivided_sphere(rays: u64) {
    let mesh = sphere(5);
    assert_closed(&mesh, &world_of(&mesh), &Affine3::IDENTITY, near_center, rays);
}

fn tessellated_torus(rays: u64) {
    let mesh = torus(64);
    assert_closed(&mesh, &world_of(&mesh), &Affine3::IDENTITY, inside_tube, rays);
}

#[test]
fn cube_is_closed() {
    subdivided_cube(RAYS);
}

#[test]
fn sphere_is_closed() {
    subdivided_sphere(RAYS);
}

#[test]
fn torus_is_closed() {
    tessellated_torus(RAYS);
}

#[test]
fn both_windings_mixed() {
    let mut mesh = sphere(4);
    mesh.triangles.iter_mut().step_by(3).for_each(|t| t.swap(0, 2));
    assert_closed(&mesh, &world_of(&mesh), &Affine3::IDENTITY, near_center, RAYS);
}

#[test]
fn transformed_instances_are_closed() {
    let mesh = sphere(3);
    let mut random = Random(1);
    for round in 0..20 {
        let stretch = if round % 4 == 0 { 100.0 } else { 1.0 };
        let world_from_object =
            random_transform(&mut random) * Affine3::from_scale(Vec3::new(1.0, stretch, 1.0));
        let tlas =
            world(vec![crate::common::blas(&mesh)], vec![crate::common::instance(0, world_from_object)]);
        assert_closed(&mesh, &tlas, &world_from_object, near_center, RAYS / 20);
    }
}

#[test]
fn far_away_and_at_every_scale() {
    for (scale, offset) in [(1e-15, 0.0), (1e15, 0.0), (1.0, 1e4), (1e-3, 10.0)] {
        let mesh = sphere(3).mapped(|p| p * scale + offset);
        let tlas = world_of(&mesh);
        let mut random = Random(3);
        for _ in 0..RAYS / 10 {
            let origin = random.cube() * (0.4 * scale) + offset;
            let target = mesh.corners(random.below(mesh.triangles.len()))[0];
            let ray = Ray::new(origin, target - origin);
            assert!(
                crate::common::intersect(&tlas, &ray).is_some(),
                "{ray:?} leaks at scale {scale:e}, offset {offset}"
            );
        }
    }
}

#[test]
#[ignore = "100 million rays: minutes"]
fn cube_is_closed_to_a_hundred_million_rays() {
    subdivided_cube(MANY);
}

#[test]
#[ignore = "100 million rays: minutes"]
fn sphere_is_closed_to_a_hundred_million_rays() {
    subdivided_sphere(MANY);
}

#[test]
#[ignore = "100 million rays: minutes"]
fn torus_is_closed_to_a_hundred_million_rays() {
    tessellated_torus(MANY);
}
