//! Rays that start at the entry points of their groups against rays that start at the root: the hits are the same, bit
//! for bit.

use std::sync::Arc;

use sunfleck_gpu::{AdapterChoice, Gpu, Mirror, RayBatch, Tracer};
use sunfleck_kernel::Tlas;
use sunfleck_math::{Affine3, Ray, Vec3, vec3};
use sunfleck_shaders::layout;

use crate::traversal::{blas, gpu, instance, point, scattered, soup, world};

/// Number of rays that share a beam.
const GROUP: u32 = 64;

/// A group of rays of about the same origin and direction, within the given widths.
fn bundle(group: u32, origin: f32, slope: f32, rays: u32) -> Vec<Ray> {
    let from = point(group, 10) * 3.0;
    let to = match group % 4 {
        // Along an axis: slopes of both signs around 0
        0 => [Vec3::X, Vec3::NEG_Y, Vec3::Z][(group / 4 % 3) as usize],
        1 => (-from).normalize_or(Vec3::X),
        // Two axes are equally dominant
        2 => vec3(1.0, -1.0, 0.1 * point(group, 12).x),
        _ => point(group, 11),
    };
    let ray = |i: u32| {
        let i = group * GROUP + i;
        Ray::new(from + point(i, 13) * origin, to + point(i, 14) * slope)
    };
    (0..rays).map(ray).collect()
}

/// Rays towards one point, which they reach.
fn to_one_point(group: u32) -> Vec<Ray> {
    let (target, around) = (point(group, 15) * 2.0, point(group, 16));
    let ray = |i: u32| {
        let from = around + point(group * GROUP + i, 17) * 0.2;
        Ray { t_far: 0.999, ..Ray::new(from, target - from) }
    };
    (0..GROUP).map(ray).collect()
}

fn compare(name: &str, world: &Tlas, rays: &[Ray]) {
    let gpu = gpu();
    let mirror = Mirror::new(&gpu, world).unwrap();
    let tracer = Tracer::new(&gpu, &mirror).unwrap();
    let rays: Vec<layout::Ray> = rays.iter().map(layout::Ray::from).collect();
    let alone = RayBatch::new(&gpu, &rays).unwrap();
    let together = RayBatch::coherent(&gpu, &rays).unwrap();
    let expected = tracer.closest(&mirror, &alone).unwrap();
    let found = tracer.closest(&mirror, &together).unwrap();
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let words = |hit: &layout::Hit| bytemuck::bytes_of(hit).to_vec();
        assert_eq!(words(found), words(expected), "{name}, ray {i}: {found:?} for {expected:?}");
    }
    let hits = expected.iter().filter(|hit| hit.prim_id != layout::Hit::MISS).count();
    assert!(hits * 50 > rays.len(), "{name}: {hits} of {} rays hit anything", rays.len());
    let any = tracer.occluded(&mirror, &together).unwrap();
    assert_eq!(any, tracer.occluded(&mirror, &alone).unwrap(), "{name}");
}

/// Groups of all widths, from a line to beyond what a beam can bound.
fn bundles() -> Vec<Ray> {
    let widths = [0.0, 1e-6, 1e-3, 0.02, 0.1, 0.4, 2.0];
    let all = widths.iter().flat_map(|&origin| widths.iter().map(move |&slope| (origin, slope)));
    let of = |((origin, slope), first): ((f32, f32), u32)| {
        (first..first + 12).flat_map(move |group| bundle(group, origin, slope, GROUP))
    };
    all.zip((0..).step_by(12)).flat_map(of).chain((0..200).flat_map(to_one_point)).collect()
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn meshes_are_hit_as_from_the_root() {
    for (count, size) in [(1, 1.0), (7, 1.0), (100, 0.3), (20_000, 0.04)] {
        let world = world(vec![blas(soup(count, size))], vec![instance(0, Affine3::IDENTITY)]);
        compare(&format!("{count} triangles"), &world, &bundles());
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn instances_are_hit_as_from_the_root() {
    compare("instances", &scattered(1.0), &bundles());
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_gpu_without_subgroups_traces_all_from_the_root() {
    let world = scattered(1.0);
    let rays: Vec<layout::Ray> = bundles().iter().map(layout::Ray::from).collect();
    let hits = |gpu: Gpu| {
        let gpu = Arc::new(gpu);
        let mirror = Mirror::new(&gpu, &world).unwrap();
        let batch = RayBatch::coherent(&gpu, &rays).unwrap();
        Tracer::new(&gpu, &mirror).unwrap().closest(&mirror, &batch).unwrap()
    };
    let [found, expected] = [Gpu::open_without_features(AdapterChoice::Best), Gpu::open(AdapterChoice::Best)];
    let [found, expected] = [hits(found.unwrap()), hits(expected.unwrap())];
    assert!(found == expected, "hits differ");
}

/// No ray of a stream in which some `t_near` is negative may start at the entry points of its beam.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn rays_with_negative_t_near_are_hit_as_from_the_root() {
    let world = world(vec![blas(soup(3000, 0.3))], vec![instance(0, Affine3::IDENTITY)]);
    for t_near in [-0.0, -2.0] {
        let behind = |(i, ray): (usize, Ray)| if i % 64 == 7 { Ray { t_near, ..ray } } else { ray };
        let rays: Vec<Ray> = bundles().into_iter().enumerate().map(behind).collect();
        compare(&format!("from {t_near}"), &world, &rays);
    }
}

/// Flat boxes with rays in their planes; far from the origin, where coordinates are coarse.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn walls_are_hit_as_from_the_root() {
    for far in [0.0, 1000.0] {
        let corner = |i: u32| {
            let at = point(i / 3, 0) * 2.0 + point(i, 1) * 0.7;
            let on = [Vec3::X, Vec3::Y, Vec3::Z][(i / 3 % 3) as usize];
            at * (Vec3::ONE - on) + on * (at * 2.0).round() * 0.5
        };
        let positions: Vec<Vec3> = (0..3000).map(|i| corner(i) + far).collect();
        let triangles = (0..1000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let world = world(vec![blas((positions, triangles))], vec![instance(0, Affine3::IDENTITY)]);
        let moved = |ray: Ray| {
            // Origins in the planes of walls
            let origin = (ray.origin * 4.0).round() * 0.25 + far;
            Ray { origin, ..ray }
        };
        let rays: Vec<Ray> = bundles().into_iter().map(moved).collect();
        compare(&format!("walls {far} away"), &world, &rays);
    }
}

/// Rays through vertices and edges hit several triangles at the same distance: the one with the smallest number is the
/// hit, in whatever order they are found. The walls are flat, since otherwise, by rounding, a ray might enter the box
/// of one triangle only after it hits another one.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn equal_distances_are_resolved_by_triangle_number() {
    const CELLS: u32 = 128;
    const SIDE: u32 = CELLS + 1;
    let vertex = |axis: u32, [x, y]: [u32; 2]| {
        let at = vec3(x as f32 * 0.037 + 0.1, y as f32 * 0.029 + 0.2, 0.3);
        [at, vec3(at.z, at.x, at.y), vec3(at.y, at.z, at.x)][axis as usize]
    };
    let corner = |i: u32| vertex(i / (SIDE * SIDE), [i % SIDE, i / SIDE % SIDE]);
    let positions: Vec<Vec3> = (0..3 * SIDE * SIDE).map(corner).collect();
    let cell = |i: u32| {
        let at = i / (CELLS * CELLS) * SIDE * SIDE + i / CELLS % CELLS * SIDE + i % CELLS;
        [[at, at + 1, at + SIDE], [at + 1, at + SIDE + 1, at + SIDE]]
    };
    let triangles: Vec<[u32; 3]> = (0..3 * CELLS * CELLS).flat_map(cell).collect();
    let world = world(vec![blas((positions, triangles))], vec![instance(0, Affine3::IDENTITY)]);
    for eye in [vec3(3.7, 2.9, 3.3), vec3(5.1, 4.7, 9.3), vec3(1.3, 7.7, 2.2)] {
        // Tiles of 8 × 8 vertices, and of the middles of edges
        let ray = |i: u32| {
            let (tile, place) = (i / GROUP, i % GROUP);
            let (axis, onwards, tile) = (tile / 512, tile / 256 % 2, tile % 256);
            let [x, y] = [tile % 16 * 8 + place % 8, tile / 16 * 8 + place / 8];
            let [from, to] = [[x, y], [x + onwards, y]].map(|at| vertex(axis, at));
            Ray::new(eye, 0.5 * (from + to) - eye)
        };
        let rays: Vec<Ray> = (0..1536 * GROUP).map(ray).collect();
        compare(&format!("vertices and edges from {eye}"), &world, &rays);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn groups_may_contain_invalid_rays() {
    let mut rays = Vec::new();
    for group in 0..64 {
        let mut some = bundle(group, 0.01, 0.02, GROUP);
        let wrong = (group % GROUP) as usize;
        match group % 8 {
            0 => some[wrong].direction = Vec3::NAN,
            1 => some[wrong].direction = Vec3::ZERO,
            2 => (some[wrong].t_near, some[wrong].t_far) = (2.0, 1.0),
            3 => some[wrong].t_near = -5.0,
            4 => some[wrong].direction = -some[wrong].direction,
            5 => some.iter_mut().for_each(|ray| ray.t_far = f32::NAN),
            6 => some[wrong].origin = Vec3::splat(1e30),
            _ => some[wrong].direction *= 1e20,
        }
        rays.extend(some);
    }
    // The last group is not full
    rays.extend(bundle(70, 0.01, 0.01, 7));
    let world = world(vec![blas(soup(20_000, 0.1))], vec![instance(0, Affine3::IDENTITY)]);
    compare("invalid rays", &world, &rays);
}
