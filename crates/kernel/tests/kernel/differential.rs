//! Every SIMD level against brute force, bit by bit, on difficult geometry.

use crate::common::meshes::{cube, grid, slivers, soup, sphere};
use crate::common::{
    Mesh, Random, assert_matches_brute_force, blas, instance, random_transform, rays_at, world, world_of,
};
use proptest::prelude::*;
use sunfleck_kernel::{BuildOptions, Tlas, brute_force};
use sunfleck_math::{Affine3, Ray, Vec3};

fn check(mesh: &Mesh, what: &str) {
    let rays = rays_at(mesh, 3000, &mut Random(7));
    let hits = assert_matches_brute_force(&world_of(mesh), &rays, what);
    assert!(hits > 300, "{what}: only {hits} of {} rays hit, which is too few", rays.len());
}

#[test]
fn triangle_soups() {
    for (count, size) in [(1, 1.0), (5, 1.0), (300, 0.5), (500, 2.0)] {
        check(&soup(count, size, 11), &format!("{count} triangles of size {size}"));
    }
}

#[test]
fn flat_grids_and_closed_meshes() {
    check(&grid(12), "grid");
    check(&cube(6), "cube");
    check(&sphere(3), "sphere");
}

#[test]
fn long_thin_triangles() {
    check(&slivers(400, 3), "slivers");
    // Rays along the slivers: computed hits may be anywhere on a sliver.
    let mesh = slivers(400, 5);
    let mut random = Random(9);
    let rays: Vec<Ray> = (0..6000)
        .map(|_| {
            let [a, b, _] = mesh.corners(random.below(400));
            let origin = a - (b - a) * random.unit() + random.cube() * 1e-6;
            Ray::new(origin, b - a + random.cube() * 1e-6)
        })
        .collect();
    let tlas = world_of(&mesh);
    let hits = assert_matches_brute_force(&tlas, &rays, "along slivers");
    assert!(hits > 100, "only {hits} hits");
}

/// Rays at slivers in thin boxes: rounding changes the computed `t` by far more than the box is thick. With an interval
/// of just that `t`, the box must still be visited.
#[test]
fn computed_hits_stay_in_their_boxes() {
    let mut random = Random(10);
    let mut mesh = Mesh::default();
    for _ in 0..50 {
        let (at, end) = (random.cube(), Vec3::Z + random.cube() * 1e-4);
        mesh.push([at - end, at + end, at + end * 0.3 + random.cube() * 1e-6]);
    }
    let tlas = world_of(&mesh);
    let rays: Vec<Ray> = (0..4000)
        .filter_map(|_| {
            let [a, b, c] = mesh.corners(random.below(50));
            let target = a + (b - a) * random.unit() * 0.6 + (c - a) * 0.3;
            let origin = target - random.direction();
            let ray = Ray::new(origin, target - origin);
            brute_force::intersect(&tlas, &ray).map(|hit| Ray { t_near: hit.t, t_far: hit.t, ..ray })
        })
        .collect();
    assert!(rays.len() > 100, "only {} hits", rays.len());
    let hits = assert_matches_brute_force(&tlas, &rays, "at the hit");
    assert_eq!(hits, rays.len(), "all of them hit again");
}

#[test]
fn tiny_and_huge_scales() {
    for scale in [1e-20, 1e-12, 1e-6, 1e6, 1e12, 1e20] {
        check(&soup(200, 0.7, 21).mapped(|p| p * scale), &format!("scale {scale:e}"));
        check(&sphere(2).mapped(|p| p * scale), &format!("sphere of radius {scale:e}"));
    }
    // Scaled origins, unscaled directions
    let mesh = soup(200, 0.7, 22);
    for scale in [1e-20, 1e20] {
        let rays: Vec<Ray> = rays_at(&mesh, 2000, &mut Random(3))
            .iter()
            .map(|ray| Ray { origin: ray.origin * scale, ..*ray })
            .collect();
        assert_matches_brute_force(&world_of(&mesh.mapped(|p| p * scale)), &rays, "scaled origins");
    }
}

#[test]
fn far_from_the_origin() {
    for offset in [1e3, 1e6] {
        check(&soup(300, 0.5, 31).mapped(|p| p + offset), &format!("at {offset}"));
        check(&sphere(3).mapped(|p| p * (offset * 1e-5) - offset), &format!("small, at -{offset}"));
    }
}

#[test]
fn coplanar_duplicates() {
    // Each triangle three times, in an order that neither leaves nor threads preserve
    let base = grid(6);
    let mut mesh = base.clone();
    mesh.triangles.extend(base.triangles.iter().rev().map(|&[a, b, c]| [b, c, a]));
    mesh.triangles.extend(base.triangles.iter().map(|&[a, b, c]| [c, b, a]));
    check(&mesh, "three grids in one place");
    // And three instances in one place
    let tlas = world(vec![blas(&base)], vec![instance(0, Affine3::IDENTITY); 3]);
    let rays = rays_at(&base, 2000, &mut Random(5));
    assert_matches_brute_force(&tlas, &rays, "three instances in one place");
}

#[test]
fn transformed_instances() {
    let meshes = [soup(60, 0.8, 41), sphere(1), slivers(30, 2)];
    let mut random = Random(43);
    let mut instances = vec![instance(1, Affine3::IDENTITY)];
    instances.extend((0..40).map(|i| instance(i % 3, random_transform(&mut random))));
    instances.push(instance(1, Affine3::from_scale(Vec3::new(-1.0, 1.0, 1.0))));
    instances.push(instance(0, Affine3::from_scale(Vec3::new(5.0, 0.01, 5.0))));
    let tlas = world(meshes.iter().map(blas).collect(), instances);
    let bounds = Mesh {
        positions: vec![tlas.bounds().min, tlas.bounds().max, Vec3::ZERO],
        triangles: vec![[0, 1, 2]],
    };
    let rays = rays_at(&bounds, 3000, &mut random);
    let hits = assert_matches_brute_force(&tlas, &rays, "instances");
    assert!(hits > 300, "only {hits} hits");
}

/// Rays from far away that graze the silhouette of transformed objects: a tight world-space box would cull them.
#[test]
fn grazing_rays_at_instances() {
    let cube = cube(1);
    let mut random = Random(47);
    for round in 0..60 {
        let stretch = [1.0, 1.0, 30.0][round % 3];
        let scale = Affine3::from_scale(Vec3::new(1.0, stretch, 1.0));
        let placed = random_transform(&mut random) * scale;
        let tlas = world(vec![blas(&cube)], vec![instance(0, placed)]);
        let world_cube = cube.mapped(|p| placed.transform_point3(p));
        let rays = rays_at(&world_cube, 400, &mut random);
        assert_matches_brute_force(&tlas, &rays, "grazing");
    }
}

/// Thin objects far away, seen from the origin: the padding of the top level has to come from the instances, since that
/// of the ray would be too small.
#[test]
fn flat_instances_seen_from_the_origin() {
    let sheet = grid(2);
    let mut random = Random(53);
    let mut hits = 0;
    for _ in 0..100 {
        let turn = random_transform(&mut random).matrix3;
        let placed = Affine3::from_mat3_translation(turn, random.direction() * 1000.0);
        let tlas = world(vec![blas(&sheet)], vec![instance(0, placed)]);
        let rays: Vec<Ray> = (0..100)
            .map(|i| {
                let [a, b, _] = sheet.corners(random.below(sheet.triangles.len()));
                let target = if i % 2 == 0 { a } else { a + (b - a) * random.unit() };
                Ray::new(Vec3::ZERO, placed.transform_point3(target))
            })
            .collect();
        hits += assert_matches_brute_force(&tlas, &rays, "sheet");
    }
    assert!(hits > 3000, "only {hits} hits");
}

fn any_triangle() -> impl Strategy<Value = [Vec3; 3]> {
    // There are few distinct coordinates, so that shared vertices, edge-on and degenerate triangles are common.
    let coordinate = prop_oneof![4 => (-4i8..=4).prop_map(|x| f32::from(x) * 0.25), 1 => -1.0f32..1.0];
    prop::array::uniform3(prop::array::uniform3(coordinate).prop_map(Vec3::from_array))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn lattice_triangles(triangles in prop::collection::vec(any_triangle(), 1..40), seed in 1u64..1000,
                         max_leaf_size in 1usize..40, bins in 1usize..40) {
        let mut mesh = Mesh::default();
        triangles.into_iter().for_each(|t| mesh.push(t));
        let options = BuildOptions { max_leaf_size, bins, ..Default::default() };
        let blas = sunfleck_kernel::Blas::build(&mesh.positions, &mesh.triangles, &options).unwrap();
        prop_assert_eq!(blas.validate(), Ok(()));
        let tlas = Tlas::build(vec![blas], vec![instance(0, Affine3::IDENTITY)], &options).unwrap();
        let mut random = Random(seed);
        let mut rays = rays_at(&mesh, 60, &mut random);
        // Between lattice points: along edges, through vertices, inside faces
        rays.extend((0..60).map(|_| {
            let point = |r: &mut Random| (r.cube() * 4.0).round() * 0.25;
            Ray::new(point(&mut random), point(&mut random))
        }));
        assert_matches_brute_force(&tlas, &rays, "lattice");
    }
}
