//! Built trees: invariants, independence of the number of threads, and degenerate input.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::meshes::{grid, slivers, soup, sphere};
use crate::common::{
    Mesh, Random, assert_matches_brute_force, blas, instance, intersect, occluded, rays_at, world, world_of,
};
use sunfleck_kernel::{Blas, BuildError, BuildOptions, Instance, SkippedPrimitives, Tlas};
use sunfleck_math::{Aabb, Affine3, Mat3, Ray, Vec3, vec3};

fn build(mesh: &Mesh, options: &BuildOptions) -> Blas {
    let blas = Blas::build(&mesh.positions, &mesh.triangles, options).unwrap();
    blas.validate().unwrap();
    blas
}

#[test]
fn trees_are_valid_for_all_options() {
    for mesh in [soup(1000, 0.3, 1), grid(20), sphere(4), slivers(500, 1)] {
        for (max_leaf_size, bins, traversal_cost) in
            [(1, 2, 0.0), (4, 16, 1.0), (1000, 99, 100.0), (0, 0, f32::NAN)]
        {
            let options = BuildOptions { max_leaf_size, bins, traversal_cost, ..Default::default() };
            let stats = build(&mesh, &options).stats();
            assert_eq!(stats.primitives, mesh.triangles.len(), "each triangle once");
        }
    }
}

#[test]
fn same_tree_for_every_number_of_threads() {
    let mesh = soup(60_000, 0.05, 2);
    let tree = |threads: usize, parallel: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| format!("{:?}", build(&mesh, &BuildOptions { parallel, ..Default::default() })))
    };
    let serial = tree(1, false);
    for threads in [1, 2, 7] {
        assert!(tree(threads, true) == serial, "{threads} threads build another tree");
    }
}

#[test]
fn sah_cost_is_low() {
    // Tracing a large tree costs far less than testing a considerable part of its triangles.
    let stats = build(&sphere(6), &BuildOptions::default()).stats();
    assert_eq!(stats.primitives, 8 << 12, "an octahedron, subdivided six times");
    assert!(stats.sah_cost < 40.0, "{stats:?}");
    assert!(stats.depth < 16, "{stats:?}");
    assert!(stats.bytes < 100 * stats.primitives, "{stats:?}");
}

#[test]
fn empty_meshes_and_worlds() {
    let empty = blas(&Mesh::default());
    assert_eq!((empty.bounds(), empty.triangle_count()), (Aabb::EMPTY, 0), "the mesh is empty");
    let ray = Ray::new(Vec3::ZERO, Vec3::X);
    for tlas in [
        world(Vec::<Blas>::new(), vec![]),
        world(vec![empty.clone()], vec![]),
        world(vec![empty], vec![instance(0, Affine3::IDENTITY)]),
    ] {
        assert!(tlas.bounds().is_empty(), "no bounds");
        assert_matches_brute_force(&tlas, &[ray], "empty");
        assert!(!occluded(&tlas, &ray), "nothing to hit");
    }
}

#[test]
fn equal_centroids() {
    // Nested triangles around one centroid, and many copies of one triangle: no plane separates them.
    let mut mesh = Mesh::default();
    for i in 1..200 {
        let [a, b] = [vec3(1.0, -1.0, 1.0), vec3(-1.0, 1.0, 1.0)].map(|p| p * i as f32);
        mesh.push([a, b, -(a + b) * 0.5]);
        mesh.push([Vec3::X, Vec3::Y, Vec3::Z]);
    }
    let stats = blas(&mesh).stats();
    assert!(stats.depth < 12, "{stats:?}");
    assert_matches_brute_force(&world_of(&mesh), &rays_at(&mesh, 500, &mut Random(3)), "nested");
}

#[test]
fn exponentially_small_triangles_do_not_overflow_the_stack() {
    // Each split separates a single triangle: the worst case for the depth.
    let mut mesh = Mesh::default();
    let mut scale = 1e18f32;
    while scale > 1e-18 {
        let at = vec3(scale, scale * 0.5, 0.0);
        mesh.push([at, at + vec3(scale * 0.01, 0.0, scale), at + vec3(0.0, scale * 0.01, scale)]);
        scale *= 0.97;
    }
    let options = BuildOptions { max_leaf_size: 1, traversal_cost: 0.0, ..Default::default() };
    let stats = build(&mesh, &options).stats();
    assert!(stats.depth <= 64 + 32, "{stats:?}");
    assert_matches_brute_force(&world_of(&mesh), &rays_at(&mesh, 400, &mut Random(4)), "exponential");
}

#[test]
fn degenerate_triangles_are_skipped() {
    let mut mesh = grid(3);
    let live = mesh.triangles.len();
    let (a, b) = (vec3(1.0, 1.0, 1.0), vec3(2.0, 2.0, 1.0));
    mesh.push([a, a, a]);
    mesh.push([a, b, a]);
    mesh.push([a, b, (a + b) * 0.5]);
    mesh.triangles.push([3, 3, 5]);
    let blas = build(&mesh, &BuildOptions::default());
    assert_eq!(blas.triangle_count(), live + 4, "skipped triangles keep their index");
    assert_eq!(
        blas.stats().skipped,
        SkippedPrimitives { degenerate: 4, ..SkippedPrimitives::default() },
        "skipped triangles are counted"
    );
    let ray = Ray::new(vec3(1.5, 1.5, 2.0), Vec3::NEG_Z);
    assert_eq!(intersect(&world_of(&mesh), &ray).unwrap().t, 2.0, "a line is never hit");
}

#[test]
fn non_finite_vertices_are_skipped() {
    let mut mesh = grid(3);
    let live = mesh.triangles.len();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let mut corners = [Vec3::X, Vec3::Y, Vec3::Z];
            corners[axis][(axis + 1) % 3] = bad;
            mesh.push(corners);
        }
    }
    let blas = build(&mesh, &BuildOptions::default());
    assert_eq!(
        blas.stats().skipped,
        SkippedPrimitives { non_finite: 9, ..SkippedPrimitives::default() },
        "all nine"
    );
    assert_eq!(blas.stats().primitives, live, "the other triangles remain");
    assert_eq!(blas.bounds().max, vec3(3.0, 3.0, 0.0), "the bounds are those of the other triangles");
    let ray = Ray::new(vec3(0.3, 0.4, 2.0), Vec3::NEG_Z);
    assert_eq!(intersect(&world_of(&mesh), &ray).unwrap().t, 2.0, "the other triangles are hit");
    // The largest finite numbers are valid, although computations with them overflow.
    let huge = soup(50, 1.0, 5).mapped(|p| p * f32::MAX);
    assert_matches_brute_force(&world_of(&huge), &rays_at(&huge, 200, &mut Random(6)), "up to f32::MAX");
}

#[test]
fn invisible_instances_are_skipped() {
    let mesh = sphere(1);
    let good = instance(0, Affine3::IDENTITY);
    let flat = Affine3::from_mat3(Mat3::from_diagonal(vec3(1.0, 0.0, 1.0)));
    let nan = Affine3::from_translation(vec3(f32::NAN, 0.0, 0.0));
    let instances = vec![
        instance(0, flat),
        instance(0, nan),
        Instance { mask: 0, ..good },
        instance(1, Affine3::IDENTITY),
        good,
    ];
    let tlas = world(vec![blas(&mesh), blas(&Mesh::default())], instances);
    let expected = SkippedPrimitives { non_finite: 1, degenerate: 1, empty: 2 };
    assert_eq!(tlas.stats().skipped, expected, "one instance for each reason, and two empty ones");
    let hit = intersect(&tlas, &Ray::new(Vec3::ZERO, Vec3::X)).unwrap();
    assert_eq!((hit.inst_id, tlas.instances().len()), (4, 5), "skipped instances keep their index");
    assert_matches_brute_force(&tlas, &rays_at(&mesh, 300, &mut Random(8)), "invisible instances");
}

#[test]
fn wrong_indices_are_errors_that_name_them() {
    let mesh = Mesh { positions: vec![Vec3::ZERO; 3], triangles: vec![[0, 1, 2], [2, 3, 0], [9, 9, 9]] };
    let error = Blas::build(&mesh.positions, &mesh.triangles, &BuildOptions::default()).unwrap_err();
    assert_eq!(error, BuildError::VertexOutOfRange { triangle: 1, index: 3, vertex_count: 3 }, "the first");
    assert_eq!(error.to_string(), "triangle 1 refers to vertex 3, but there are only 3 vertices");
    let instances = vec![instance(0, Affine3::IDENTITY), instance(7, Affine3::IDENTITY)];
    let error = Tlas::build(vec![blas(&grid(1))], instances, &BuildOptions::default()).unwrap_err();
    assert_eq!(error, BuildError::BlasOutOfRange { instance: 1, blas: 7, blas_count: 1 }, "the second");
}

#[test]
#[ignore = "10 million triangles: seconds and about 2 GB"]
fn ten_million_triangles() {
    let mesh = grid(2300);
    let stats = build(&mesh, &BuildOptions::default()).stats();
    assert_eq!(stats.primitives, 2 * 2300 * 2300, "no triangle is skipped");
    assert!(stats.depth < 20, "{stats:?}");
}
