//! Bicubic patches: points and normals of hits, closed surfaces of patches, collapsed edges, rays within a patch, and all
//! ways of tracing against brute force.

use crate::common::{Random, assert_matches_brute_force, instance, intersect, random_transform, world};
use sunfleck_kernel::{BuildOptions, Geometry, Shapes, Tlas};
use sunfleck_math::{Affine3, Ray, Shape, Vec3, vec2, vec3};
use sunfleck_testkit::shapes::{patch, patches};

fn build(shapes: &[Shape]) -> Geometry {
    let built = Shapes::build(shapes, &BuildOptions::default()).unwrap();
    built.validate().unwrap();
    built.into()
}

fn alone(shapes: &[Shape]) -> Tlas {
    world(vec![build(shapes)], vec![instance(0, Affine3::IDENTITY)])
}

/// Each hit is the point of its location, with the normal there, and rays to points of the patch hit it there or before.
#[test]
fn hits_are_points_of_the_patch() {
    let mut random = Random(41);
    let mut hits = 0;
    for patch in patches() {
        for round in 0..20 {
            let transform = if round == 0 { Affine3::IDENTITY } else { random_transform(&mut random) };
            let shape = patch.transformed(&transform);
            let tlas = alone(std::slice::from_ref(&shape));
            let size = shape.bounds().size().max_element();
            for i in 0..200 {
                let grid = vec2((random.unit() * 16.0).round(), (random.unit() * 16.0).round()) / 16.0;
                let aimed = if i % 2 == 0 { vec2(random.unit(), random.unit()) } else { grid };
                let target = shape.point_at(aimed).corners[0];
                let direction = random.direction();
                let ray = Ray::new(target - direction * size * 2.0, direction);
                let cosine = shape.normal_at(aimed).dot(direction).abs();
                let on_edge = aimed.min_element() == 0.0 || aimed.max_element() == 1.0;
                let Some(hit) = intersect(&tlas, &ray) else {
                    assert!(on_edge || cosine < 0.02, "{aimed} of {shape:?} along {direction} is missed");
                    continue;
                };
                hits += 1;
                if !on_edge && cosine > 0.02 {
                    assert!(
                        hit.t < size * 2.0 * (1.0 + 1e-5),
                        "{aimed}: the hit at {} is behind the point",
                        hit.t
                    );
                }
                let location = vec2(hit.u, hit.v);
                let apart = (shape.point_at(location).corners[0] - ray.at(hit.t)).length();
                assert!(apart < 2e-6 * size, "{shape:?}: the point of the location is {apart} from the ray");
                let normal = shape.normal_at(location);
                let cosine = hit.ng.normalize_or(Vec3::ZERO).dot(normal);
                assert!(cosine > 0.9999, "{shape:?} at {location}: {} and {normal}", hit.ng);
            }
        }
    }
    assert!(hits > 25_000, "only {hits} hits");
}

/// Six patches over the sides of a cube whose edges are common to two of them.
fn closed_surface() -> Vec<Shape> {
    let bulged = |p: Vec3| {
        let bulge = |a: f32, b: f32, c: f32| a * (1.3 - 0.25 * (b * b + c * c));
        vec3(bulge(p.x, p.y, p.z), bulge(p.y, p.z, p.x), bulge(p.z, p.x, p.y))
    };
    let side = |axis: usize, sign: f32| {
        patch(|x, y| {
            let mut p = Vec3::ZERO;
            (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (sign, x, y);
            bulged(p)
        })
    };
    (0..3).flat_map(|axis| [side(axis, 1.0), side(axis, -1.0)]).collect()
}

/// Rays from inside hit in every direction, also those to points of common edges, to corners, and to edges of pieces.
#[test]
fn closed_surfaces_have_no_gaps() {
    let mut random = Random(42);
    let sides = closed_surface();
    for transform in [Affine3::IDENTITY, random_transform(&mut random), random_transform(&mut random)] {
        let tlas = world(vec![build(&sides)], vec![instance(0, transform)]);
        for i in 0..20_000 {
            let origin = random.cube() * 0.4;
            let at = vec2(random.unit(), random.unit());
            let at = match i % 4 {
                0 => at.with_x(0.0),
                1 => at.with_y(1.0),
                2 => (at * 16.0).round() / 16.0,
                _ => at,
            };
            let target = sides[random.below(6)].point_at(at).corners[0];
            let ray =
                Ray::new(transform.transform_point3(origin), transform.transform_vector3(target - origin));
            let hit = intersect(&tlas, &ray);
            assert!(hit.is_some_and(|hit| (hit.t - 1.0).abs() < 1e-4), "{ray:?}: {hit:?}");
        }
    }
}

/// Rays to the point into which an edge is collapsed, and to its neighbourhood, hit with a normal.
#[test]
fn collapsed_edges_are_hit() {
    // The edge v = 1 is the point (0, 0, 1), and the row before it is at the same height.
    let cap = patch(|x, y| {
        let radius = 0.5 * (1.0 - y);
        vec3(
            radius * x,
            radius * 0.7 * (1.0 - x * x) - radius * 0.5,
            1.0 - 0.5 * radius * (radius - 1.0 / 3.0),
        )
    });
    let tlas = alone(std::slice::from_ref(&cap));
    let (mut hits, mut random) = (0, Random(43));
    for i in 0..2000 {
        let distance = [0.0, 1e-7, 1e-5, 1e-3][i % 4];
        let beside = vec3(0.0, 0.1, 1.0) * random.direction() * distance;
        let direction = vec3(0.3, 0.2, -1.0);
        let target = vec3(0.0, 0.0, 1.0) + beside;
        if let Some(hit) = intersect(&tlas, &Ray::new(target - direction, direction)) {
            hits += 1;
            let normal = hit.ng.normalize_or(Vec3::ZERO);
            assert!(normal.z.abs() > 0.9, "the normal at {target} is {normal}");
            let shading = cap.normal_at(vec2(hit.u, hit.v));
            assert!(shading.dot(normal) > 0.99, "{shading} is not {normal}");
        }
    }
    assert!(hits > 500, "only {hits} hits");
}

/// A ray within a flat patch has no single crossing. It may miss the patch, in finite time.
#[test]
fn rays_within_a_patch_end() {
    let flat = patch(|x, y| vec3(x, y, 0.0));
    let tlas = alone(&[flat, patch(|x, y| vec3(x + 3.0, y, 0.5 * x * x))]);
    for direction in [Vec3::X, vec3(1.0, 0.3, 0.0), vec3(-0.7, 1.0, 0.0)] {
        for start in [-2.0, -0.5, 0.0] {
            intersect(&tlas, &Ray::new(direction * start, direction));
        }
    }
}

/// Several crossings, rays along edges of pieces, and instances: the same hits in every form of query and on every SIMD
/// level as by brute force.
#[test]
fn every_form_of_query_finds_the_same_hits() {
    let mut random = Random(44);
    let geometries = vec![build(&patches()), build(&closed_surface())];
    let instances = (0..10).map(|i| instance(i % 2, random_transform(&mut random))).collect();
    let tlas = world(geometries, instances);
    let camera = (0..1024u16).map(|i| {
        let pixel = vec3(f32::from(i % 32) / 8.0 - 2.0, f32::from(i / 32) / 8.0 - 2.0, 0.3);
        let eye = vec3(0.1, 0.2, 9.0);
        Ray::new(eye, pixel - eye)
    });
    let mut rays: Vec<Ray> = camera.collect();
    rays.extend((0..2000).map(|_| Ray::new(random.cube() * 5.0, random.direction())));
    let hits = assert_matches_brute_force(&tlas, &rays, "patches");
    assert!(hits > 800, "only {hits} hits");
}
