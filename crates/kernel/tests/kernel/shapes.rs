//! Shapes against closed forms, and against their implicit equations along rays.

use crate::common::shapes::random_shapes;
use crate::common::{Random, instance, intersect, world};
use sunfleck_kernel::{BuildOptions, Faces, Geometry, Query, Shapes, brute_force};
use sunfleck_math::{Affine3, DMat3, DVec3, Ray, Shape, UnitShape, Vec3, float, vec2, vec3};
use sunfleck_testkit::shapes::unit_shapes;

fn build(shapes: &[Shape]) -> Geometry {
    Shapes::build(shapes, &BuildOptions::default()).unwrap().into()
}

#[test]
fn spheres_agree_with_the_closed_form() {
    let mut random = Random(73);
    for round in 0..3000 {
        let radius = [1.0f32, 1e-3, 1e6][round % 3];
        let center = random.cube() * radius * [0.0, 3.0, 1000.0][round / 3 % 3];
        let tlas = world(vec![build(&[Shape::sphere(center, radius)])], vec![instance(0, Affine3::IDENTITY)]);
        let inside = round % 2 == 0;
        let origin = center + random.direction() * radius * if inside { 0.7 } else { 2.5 };
        let target = center + random.direction() * radius * 0.8;
        let ray = Ray::new(origin, target - origin);
        // Solves |f + t d|² = r² in f64; the simple formula is well-conditioned here.
        let (f, d) = (origin.as_dvec3() - center.as_dvec3(), ray.direction.as_dvec3());
        let (a, b, c) = (d.dot(d), f.dot(d), f.dot(f) - f64::from(radius).powi(2));
        let root = (b * b - a * c).sqrt();
        let t = if inside { (root - b) / a } else { (-root - b) / a };
        let hit = intersect(&tlas, &ray).expect("towards the sphere");
        assert!((f64::from(hit.t) - t).abs() <= 1e-7 * t, "t {} instead of {t}", hit.t);
        let normal: DVec3 = f + d * t;
        assert!((hit.ng.as_dvec3() - normal).length() < 1e-6 * normal.length(), "{} and {normal}", hit.ng);
        let point = Shape::sphere(center, radius).point_at(vec2(hit.u, hit.v)).corners[0].as_dvec3();
        let expected = center.as_dvec3() + normal;
        assert!((point - expected).length() < 3e-7 * (normal.length() + expected.length()), "{point}");
        assert_eq!(hit.prim_id, 0);
    }
}

#[test]
fn spheres_are_hit_from_both_sides() {
    let placed = Affine3::from_scale(vec3(-2.0, 2.0, 2.0));
    let sphere = Shape::sphere(Vec3::ZERO, 1.0);
    let tlas = world(vec![build(&[sphere])], vec![instance(0, placed)]);
    let t = |faces: Faces, origin: f32| {
        let ray = Ray::new(Vec3::X * origin, Vec3::NEG_X);
        brute_force::intersect_with(&tlas, &ray, &Query::ALL.with_faces(faces)).map(|hit| hit.t)
    };
    assert_eq!(
        [Faces::Both, Faces::Front, Faces::Back].map(|f| t(f, 5.0)),
        [Some(3.0), Some(3.0), Some(7.0)]
    );
    assert_eq!([Faces::Both, Faces::Front, Faces::Back].map(|f| t(f, 0.0)), [Some(2.0), None, Some(2.0)]);
}

/// Returns a function of points in unit space that is 0 on the surface, if it has no ends.
fn implicit(unit: &UnitShape, p: DVec3) -> f64 {
    match *unit {
        UnitShape::Sphere => p.length_squared() - 1.0,
        UnitShape::Disk { .. } | UnitShape::Rectangle => p.z,
        UnitShape::Cylinder => p.x * p.x + p.y * p.y - 1.0,
        UnitShape::Cone { top } => {
            let radius = 1.0 + (f64::from(top) - 1.0) * p.z;
            p.x * p.x + p.y * p.y - radius * radius
        }
        UnitShape::Cube => p.abs().max_element() - 1.0,
        UnitShape::Patch(_) => unreachable!("has no equation here"),
    }
}

/// Returns whether a point of the endless surface is between its ends, enlarged by `by`.
fn is_between_ends(unit: &UnitShape, p: DVec3, by: f64) -> bool {
    match *unit {
        UnitShape::Sphere | UnitShape::Cube | UnitShape::Patch(_) => true,
        UnitShape::Rectangle => p.x.abs().max(p.y.abs()) <= 1.0 + by,
        UnitShape::Disk { hole } => (f64::from(hole) - by..=1.0 + by).contains(&p.truncate().length()),
        UnitShape::Cylinder | UnitShape::Cone { .. } => (-by..=1.0 + by).contains(&p.z),
    }
}

/// Each hit is a root of the implicit equation between the ends, its location leads to the same point, and its normal is
/// the gradient; and where the equation changes its sign between the ends, there is a hit.
#[test]
fn hits_are_all_roots_of_the_implicit_equation() {
    const STEPS: u32 = 400;
    let mut random = Random(31);
    let (mut found, mut missed) = (0, 0);
    for shape in unit_shapes().map(Shape::new).into_iter().chain(random_shapes(200, &mut random)) {
        let tlas = world(vec![build(std::slice::from_ref(&shape))], vec![instance(0, Affine3::IDENTITY)]);
        let m = shape.object_from_unit;
        let [x, y, z] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis].map(Vec3::as_dvec3);
        let inverse = DMat3::from_cols(x, y, z).inverse();
        let unit_from_object = |p: DVec3| inverse * (p - m.translation.as_dvec3());
        let size = shape.bounds().size().max_element();
        // The rounding of `t` to f32 in unit space, where a thin shape is large
        let stretch: f64 = inverse.to_cols_array().iter().map(|x| x.abs()).fold(0.0, f64::max);
        let rounding = 3e-6 * f64::from(size) * stretch;
        for _ in 0..100 {
            let target = shape.bounds().center() + random.cube() * shape.bounds().size() * 0.5;
            let origin = target + random.direction() * size * 2.0;
            let ray = Ray::new(origin, (target - origin).normalize_or(Vec3::X));
            let at = |t: f64| ray.origin.as_dvec3() + ray.direction.as_dvec3() * t;
            let value = |t: f64| implicit(&shape.unit, unit_from_object(at(t)));

            // All hits, one after the other
            let (mut hits, mut rest) = (Vec::new(), ray);
            while let Some(hit) = intersect(&tlas, &rest) {
                let p = unit_from_object(at(hit.t.into()));
                assert!(value(hit.t.into()).abs() < rounding, "{shape:?}: {p} is not on the surface");
                assert!(is_between_ends(&shape.unit, p, rounding), "{shape:?}: {p} is beyond an end");
                let point = shape.point_at(vec2(hit.u, hit.v)).corners[0];
                let apart = (point.as_dvec3() - at(hit.t.into())).length();
                assert!(apart < 1e-5 * f64::from(size), "{shape:?}: {point} is {apart} away");
                let normal = shape.normal_at(vec2(hit.u, hit.v));
                let cosine = normal.dot(hit.ng.normalize_or(Vec3::X));
                assert!(cosine > 0.9999, "{shape:?}: the normal at the location is {normal}, not {}", hit.ng);
                hits.push(f64::from(hit.t));
                rest.t_near = hit.t.next_up();
                found += 1;
            }
            assert!(hits.len() <= 2, "{shape:?}: {hits:?}");

            let step = f64::from(size) * 4.0 / f64::from(STEPS);
            for i in 0..STEPS {
                let (mut a, mut b) = (f64::from(i) * step, f64::from(i + 1) * step);
                if value(a) * value(b) >= 0.0 {
                    continue;
                }
                for _ in 0..50 {
                    let middle = 0.5 * (a + b);
                    if value(a) * value(middle) <= 0.0 { b = middle } else { a = middle }
                }
                if is_between_ends(&shape.unit, unit_from_object(at(a)), -rounding) {
                    let is_hit = hits.iter().any(|t| (t - a).abs() < 1e-5 * f64::from(size) * 4.0);
                    missed += u32::from(!is_hit);
                }
            }
        }
    }
    assert!(found > 10_000, "only {found} hits");
    assert_eq!(missed, 0, "crossings without a hit");
}

/// Rays that leave a closed, convex shape outwards never hit it again, when they start at the point of the location.
#[test]
fn leaving_a_shape_with_an_offset_never_returns() {
    let mut random = Random(83);
    for unit in [UnitShape::Sphere, UnitShape::Cube] {
        for (radius, offset) in [(1.0, 0.0), (1e-3, 1.0), (1e4, 1e4)] {
            for stretch in [Vec3::ONE, vec3(1.0, 0.3, 2.0)] {
                let center = random.cube() * offset;
                let placed = Affine3::from_translation(center) * Affine3::from_scale(stretch * radius);
                let shape = Shape::new(unit.clone()).transformed(&placed);
                let tlas =
                    world(vec![build(std::slice::from_ref(&shape))], vec![instance(0, Affine3::IDENTITY)]);
                for _ in 0..1000 {
                    let inside =
                        Ray::new(center + random.cube() * 0.3 * stretch * radius, random.direction());
                    let hit = intersect(&tlas, &inside).expect("closed");
                    let ng = hit.ng / hit.ng.length();
                    let corners = shape.point_at(vec2(hit.u, hit.v)).corners;
                    let largest = corners.iter().fold(0.0f32, |l, c| l.max(c.abs().max_element()));
                    let error = Vec3::splat(largest * float::gamma(16));
                    let mut direction = random.direction();
                    direction *= direction.dot(ng).signum();
                    let origin = float::offset_ray_origin(corners[0], error, ng, direction);
                    let again = intersect(&tlas, &Ray::new(origin, direction));
                    assert_eq!(again, None, "{shape:?}: from {} towards {direction}", corners[0]);
                }
            }
        }
    }
}
