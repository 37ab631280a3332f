//! Shapes against triangle meshes of them that are refined until both agree.

use rayon::prelude::*;
use sunfleck_kernel::{Blas, BuildOptions, Geometry, Shapes, Tlas};
use sunfleck_math::{Affine3, DVec3, Mat3, Ray, Shape, UnitShape, Vec3, vec3};
use sunfleck_testkit::shapes::{patches, unit_shapes};

use crate::common::{Random, instance, intersect};

/// Segments of a circle of the meshes.
const SEGMENTS: [u32; 3] = [32, 128, 512];

/// Points of a grid over a shape, as in no other code of the project: by angles in f64.
#[allow(clippy::disallowed_methods, reason = "independent of the functions that shapes use")]
fn point(unit: &UnitShape, a: f64, b: f64) -> Vec3 {
    let (sin, cos) = (a * std::f64::consts::TAU).sin_cos();
    let (sin_b, cos_b) = (b * std::f64::consts::PI).sin_cos();
    let [x, y, z] = match *unit {
        UnitShape::Sphere => [sin_b * cos, sin_b * sin, cos_b],
        UnitShape::Disk { hole } => {
            let radius = 1.0 - b * (1.0 - f64::from(hole));
            [radius * cos, radius * sin, 0.0]
        }
        UnitShape::Rectangle => [2.0 * a - 1.0, 2.0 * b - 1.0, 0.0],
        UnitShape::Cylinder => [cos, sin, b],
        UnitShape::Cone { top } => {
            let radius = 1.0 + (f64::from(top) - 1.0) * b;
            [radius * cos, radius * sin, b]
        }
        UnitShape::Cube => unreachable!("made of six rectangles"),
        UnitShape::Patch(ref patch) => {
            let choose = [1.0, 3.0, 3.0, 1.0];
            let power = |t: f64, k: usize| (0..k).map(|_| t).product::<f64>();
            let weight = |t: f64, k: usize| choose[k] * power(t, k) * power(1.0 - t, 3 - k);
            let points = patch.points().iter().enumerate();
            let sum: DVec3 = points.map(|(i, p)| p.as_dvec3() * (weight(a, i % 4) * weight(b, i / 4))).sum();
            sum.to_array()
        }
    };
    #[allow(clippy::cast_possible_truncation, reason = "vertices are in f32")]
    vec3(x as f32, y as f32, z as f32)
}

/// Returns the mesh of a shape with this many segments of a circle.
fn mesh(shape: &Shape, segments: u32) -> Blas {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    let is_patch = matches!(shape.unit, UnitShape::Patch(_));
    let mut add_grid = |columns: u32, rows: u32, at: &dyn Fn(f64, f64) -> Vec3| {
        let first = u32::try_from(positions.len()).unwrap();
        for (row, column) in (0..=rows).flat_map(|row| (0..=columns).map(move |column| (row, column))) {
            let column = if is_patch { column } else { column % columns };
            let p = at(f64::from(column) / f64::from(columns), f64::from(row) / f64::from(rows));
            positions.push(shape.object_from_unit.transform_point3(p));
        }
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let a = first + row * (columns + 1) + column;
            let [b, c, d] = [a + 1, a + columns + 2, a + columns + 1];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    };
    match &shape.unit {
        UnitShape::Rectangle => {
            // The last column is not the first one
            add_grid(2, 1, &|a, b| point(&UnitShape::Rectangle, 2.0 * a, b));
        }
        UnitShape::Cube => {
            for (axis, side) in (0..3).flat_map(|axis| [-1.0, 1.0].map(|side| (axis, side))) {
                add_grid(2, 1, &|a, b| {
                    let p = point(&UnitShape::Rectangle, 2.0 * a, b);
                    let mut corner = Vec3::ZERO;
                    (corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3]) = (side, p.x, p.y);
                    corner
                });
            }
        }
        UnitShape::Sphere => add_grid(segments, segments / 2, &|a, b| point(&UnitShape::Sphere, a, b)),
        unit @ UnitShape::Patch(_) => add_grid(segments, segments, &|a, b| point(unit, a, b)),
        unit => add_grid(segments, 1, &|a, b| point(unit, a, b)),
    }
    Blas::build(&positions, &triangles, &BuildOptions::default()).unwrap()
}

fn alone(geometry: Geometry) -> Tlas {
    Tlas::build(vec![geometry], vec![instance(0, Affine3::IDENTITY)], &BuildOptions::default()).unwrap()
}

/// Returns the fraction of rays that hit one and miss the other, and the largest distance between hits along the
/// normal, in units of the shape's size.
fn differences(shape: &Tlas, mesh: &Tlas, rays: u64, seed: u64) -> (f64, f32) {
    const CHUNK: u64 = 10_000;
    let of_chunk = |chunk: u64| {
        let mut random = Random(seed ^ (chunk + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (mut apart, mut farthest) = (0u64, 0f32);
        for _ in 0..CHUNK {
            let from = random.cube().normalize_or(Vec3::X) * 4.0;
            let ray = Ray::new(from, random.cube() * 1.5 - from);
            match (intersect(shape, &ray), intersect(mesh, &ray)) {
                (None, None) => {}
                (Some(a), Some(b)) => {
                    let cosine = a.ng.normalize_or(Vec3::X).dot(ray.direction).abs();
                    // Past a silhouette or a rim, one of them hits the far side
                    match (a.t - b.t).abs() * ray.direction.length() < 0.1 {
                        true if cosine > 0.25 * ray.direction.length() => {
                            farthest = farthest.max((a.t - b.t).abs() * cosine);
                        }
                        true => {}
                        false => apart += 1,
                    }
                }
                _ => apart += 1,
            }
        }
        (apart, farthest)
    };
    let sums = (0..rays.div_ceil(CHUNK)).into_par_iter().map(of_chunk);
    let (apart, farthest) = sums.reduce(|| (0, 0.0), |a, b| (a.0 + b.0, a.1.max(b.1)));
    (apart as f64 / rays as f64, farthest)
}

/// As the circles get four times as many segments, both kinds of differences fall to a sixteenth; flat shapes differ
/// only by the rounding of edges.
fn shapes_agree_with_meshes(rays_of_each: u64) {
    let mut random = Random(77);
    for unit in unit_shapes().into_iter().chain(patches().map(|patch| patch.unit)) {
        let axes = Mat3::from_cols(random.cube(), random.cube(), random.cube()) * 0.3 + Mat3::IDENTITY;
        let shape = Shape::new(unit.clone()).transformed(&Affine3::from_mat3(axes));
        let built =
            alone(Shapes::build(std::slice::from_ref(&shape), &BuildOptions::default()).unwrap().into());
        let found = SEGMENTS.map(|segments| {
            differences(&built, &alone(mesh(&shape, segments).into()), rays_of_each, u64::from(segments))
        });
        let is_round = !matches!(unit, UnitShape::Rectangle | UnitShape::Cube);
        let rounding = 2.0 / rays_of_each as f64 + 1e-6;
        if !is_round {
            assert!(found.iter().all(|&(apart, far)| apart <= rounding && far < 1e-5), "{unit:?}: {found:?}");
            continue;
        }
        for (coarse, fine) in found.iter().zip(&found[1..]) {
            assert!(fine.0 <= coarse.0 / 10.0 + 5.0 * rounding, "{unit:?}: {found:?}");
            assert!(fine.1 <= coarse.1 / 8.0 + 1e-5, "{unit:?}: {found:?}");
        }
        let (apart, far) = found[2];
        assert!(apart < 1e-4 && far < 2e-4, "{unit:?}: {found:?}");
    }
}

#[test]
fn shapes_agree_with_refined_meshes() {
    shapes_agree_with_meshes(20_000);
}

#[test]
#[ignore = "10⁸ rays: minutes on many cores"]
fn shapes_agree_with_refined_meshes_on_many_rays() {
    shapes_agree_with_meshes(100_000_000 / (3 * (unit_shapes().len() + patches().len()) as u64) + 1);
}
