//! Streams of coherent rays through worlds of many instances and through split triangles, against brute force.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::meshes::{slivers, soup, sphere, torus};
use crate::common::shapes::random_shapes;
use crate::common::{Random, assert_matches_brute_force, blas, instance, random_transform, world};
use sunfleck_kernel::{Blas, BuildOptions, Geometry, Shapes};
use sunfleck_math::{Affine3, Ray, Vec3, vec3};

/// Returns camera rays through a square in tiles of 8 × 8, and shadow rays from the points of the square to a light:
/// packets of one class.
fn coherent_rays(eye: Vec3, spread: f32, light: Vec3) -> Vec<Ray> {
    let pixel = |i: usize| {
        let (tile, within) = (i / 64, i % 64);
        let (x, y) = (tile % 4 * 8 + within % 8, tile / 4 * 8 + within / 8);
        vec3((x as f32 / 16.0 - 1.0) * spread, (y as f32 / 16.0 - 1.0) * spread, 0.3)
    };
    let camera = (0..1024).map(|i| Ray::new(eye, pixel(i) - eye));
    let to_light = (0..1024).map(|i| Ray { t_far: 1.0, ..Ray::new(pixel(i), light - pixel(i)) });
    camera.chain(to_light).collect()
}

fn geometry_of_all_kinds(random: &mut Random) -> Vec<Geometry> {
    let shapes = random_shapes(40, random);
    let inner = world(
        vec![blas(&torus(8)), blas(&soup(60, 0.3, 4))],
        vec![instance(0, random_transform(random)), instance(1, random_transform(random))],
    );
    vec![
        blas(&sphere(3)).into(),
        blas(&soup(300, 0.3, 2)).into(),
        Shapes::build(&shapes, &BuildOptions::default()).unwrap().into(),
        inner.into(),
    ]
}

#[test]
fn packets_enter_instances_of_all_kinds() {
    let mut random = Random(21);
    let geometries = geometry_of_all_kinds(&mut random);
    let instances = (0..24).map(|i| instance(i % 4, random_transform(&mut random))).collect();
    let rays = coherent_rays(vec3(0.1, 0.2, 6.0), 3.0, vec3(1.0, 5.0, 2.0));
    let hits = assert_matches_brute_force(&world(geometries, instances), &rays, "a world of many kinds");
    assert!(hits > 500, "only {hits} hits");
}

/// Several identical instances: the smallest index wins, independently of the tree.
#[test]
fn ties_between_instances_go_to_the_smallest() {
    let mut random = Random(22);
    let geometries = geometry_of_all_kinds(&mut random);
    let transforms: Vec<Affine3> = (0..4).map(|_| random_transform(&mut random)).collect();
    let instances = (0..16).map(|i| instance(i % 4, transforms[i as usize % 4])).rev().collect();
    let rays = coherent_rays(vec3(-0.2, 0.1, 7.0), 2.0, vec3(-3.0, 1.0, 4.0));
    let hits = assert_matches_brute_force(&world(geometries, instances), &rays, "each instance four times");
    assert!(hits > 200, "only {hits} hits");
}

/// Several meshes with the identity transform, as in scenes whose movable parts are separate instances.
#[test]
fn worlds_of_identity_transforms() {
    let geometries: Vec<_> = (0..6).map(|i| blas(&soup(80, 0.4, 30 + i))).collect();
    let instances = (0..6).map(|i| instance(i, Affine3::IDENTITY)).collect();
    let rays = coherent_rays(vec3(0.1, -0.2, 5.0), 1.0, vec3(0.5, 3.0, 1.0));
    let hits = assert_matches_brute_force(&world(geometries, instances), &rays, "identity transforms");
    assert!(hits > 500, "only {hits} hits");
}

/// Slivers up to a million times longer than thick, split into parts, hit at grazing angles, along their length and
/// from afar.
#[test]
fn split_slivers_are_hit() {
    let mut random = Random(23);
    for thickness in [1e-2, 1e-4, 1e-6] {
        let mut mesh = slivers(150, 7);
        for i in 0..150 {
            let [a, b, _] = mesh.corners(i);
            mesh.push([a, a + (b - a) * 8.0, a + (b - a) * 4.0 + random.direction() * thickness]);
        }
        let options = BuildOptions { duplicates_percent: 400, ..BuildOptions::BEST };
        let split = Blas::build(&mesh.positions, &mesh.triangles, &options).unwrap();
        split.validate().unwrap();
        let (stats, count) = (split.stats(), mesh.triangles.len());
        assert!(stats.references > count * 5 / 4, "{} parts of {count} slivers", stats.references);
        let rays: Vec<Ray> = (0..3000)
            .map(|i| {
                let [a, b, c] = mesh.corners(random.below(count));
                let on = a + (b - a) * random.unit() + (c - a) * (0.5 * random.unit());
                let nearly_along = (b - a) + random.cube() * [1e-1, 1e-3, 1e-5][i % 3];
                let direction = if i % 2 == 0 { random.direction() } else { nearly_along };
                Ray::new(on - direction * (1.0 + 30.0 * random.unit()), direction)
            })
            .collect();
        let tlas = world(vec![split], vec![instance(0, Affine3::IDENTITY)]);
        let hits = assert_matches_brute_force(&tlas, &rays, "split slivers");
        assert!(hits > 300, "only {hits} hits at {thickness}");
    }
}
