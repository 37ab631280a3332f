//! Points, normals and boxes of shapes, at points that are uniform over their areas.

#![allow(missing_docs, reason = "a test")]

use std::sync::Arc;

use proptest::prelude::*;
use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, BezierPatch, Mat3, Shape, UnitShape, Vec3, vec2, vec3};
use sunfleck_sampling::warp::unit_shape;
use sunfleck_testkit::shapes::{patches, unit_shapes};

/// Returns unit shapes and patches.
fn units() -> Vec<UnitShape> {
    unit_shapes().into_iter().chain(patches().map(|patch| patch.unit)).collect()
}

proptest! {
    #[test]
    fn locations_lead_back_to_the_point(kind in 0usize..16, a in 0f32..1.0, b in 0f32..1.0) {
        let unit = units()[kind].clone();
        let p = unit_shape(&unit, vec2(b, a)).position;
        let point = Shape::new(unit.clone()).point_at(unit.location_of(p.as_dvec3()));
        prop_assert!(point.corners[0].abs_diff_eq(p, 1.5e-6), "{unit:?}: {p} became {}", point.corners[0]);
    }

    /// Finite differences of the texture coordinates of points of the surface.
    #[test]
    fn the_triangle_has_the_slope_of_the_texture_coordinates(kind in 0usize..16, a in 0.05f32..0.95, b in 0.1f32..0.9) {
        let unit = units()[kind].clone();
        let at = |a, b| {
            let p = unit_shape(&unit, vec2(b, a)).position;
            Shape::new(unit.clone()).point_at(unit.location_of(p.as_dvec3()))
        };
        let (here, h) = (at(a, b), 1e-3);
        let [p, q, r] = here.corners;
        for there in [at(a + h, b), at(a, b + h)] {
            let way = there.corners[0] - p;
            prop_assume!(way.length() < 0.1 && (there.uv[0] - here.uv[0]).length() < 0.1);
            // The way in the basis of the triangle's edges, which are neither unit vectors nor orthogonal on patches
            let (e1, e2) = (q - p, r - p);
            let [a, b, c] = [e1.dot(e1), e1.dot(e2), e2.dot(e2)];
            let [x, y] = [way.dot(e1), way.dot(e2)];
            let weights = vec2(c * x - b * y, a * y - b * x) / (a * c - b * b);
            let predicted = (here.uv[1] - here.uv[0]) * weights.x + (here.uv[2] - here.uv[0]) * weights.y;
            let found = there.uv[0] - here.uv[0];
            prop_assert!((predicted - found).length() < 2e-4, "{unit:?}: {predicted} but {found}");
        }
    }

    #[test]
    fn normals_point_outwards_whatever_the_transform(kind in 0usize..16, a in 0f32..1.0, b in 0.01f32..0.99, mirrored: bool, flipped: bool) {
        let unit = units()[kind].clone();
        let scale = vec3(if mirrored { -2.0 } else { 2.0 }, 0.5, 1.5);
        let object_from_unit = rotation_y(0.7) * Affine3::from_scale(scale);
        let shape = Shape { unit: unit.clone(), object_from_unit, flipped };
        let p = unit_shape(&unit, vec2(b, a)).position;
        let location = unit.location_of(p.as_dvec3());
        let n = unit.normal_of(p.as_dvec3()).as_vec3();
        let expected = object_from_unit.matrix3.inverse().transpose() * n * if flipped { -1.0 } else { 1.0 };
        let normal = shape.normal_at(location);
        prop_assert!(normal.dot(expected.normalize_or(Vec3::Z)) > 0.9999, "{shape:?}: {normal} is not {expected}");
    }

    #[test]
    fn points_are_within_the_bounds(kind in 0usize..16, a in 0f32..1.0, b in 0f32..1.0, m in prop::array::uniform9(-2f32..2.0), t in prop::array::uniform3(-9f32..9.0)) {
        let unit = units()[kind].clone();
        let matrix3 = Mat3::from_cols_array(&m);
        let shape = Shape { unit: unit.clone(), object_from_unit: Affine3 { matrix3, translation: t.into() }, flipped: false };
        let p = shape.object_from_unit.transform_point3(unit_shape(&unit, vec2(b, a)).position);
        let bounds = shape.bounds();
        prop_assert!(bounds.contains(p), "{p} is outside of {bounds:?}");
    }

    /// No point of the surface is farther, and the point is on the surface: a box around the shape in rotated axes
    /// touches it.
    #[test]
    fn no_point_is_beyond_the_farthest_one(kind in 0usize..16, a in 0f32..1.0, b in 0f32..1.0, m in prop::array::uniform9(-2f32..2.0), d in prop::array::uniform3(-1f32..1.0)) {
        let (unit, direction) = (units()[kind].clone(), Vec3::from(d));
        let shape = Shape { unit: unit.clone(), object_from_unit: Affine3::from_mat3(Mat3::from_cols_array(&m)), flipped: false };
        prop_assume!(shape.object_from_unit.matrix3.determinant().abs() > 0.1);
        let farthest = shape.farthest_point(direction);
        let p = shape.object_from_unit.transform_point3(unit_shape(&unit, vec2(b, a)).position);
        prop_assert!(p.dot(direction) <= farthest.dot(direction) + 1e-5, "{shape:?}: {p} is beyond {farthest}");
        let on_unit = shape.object_from_unit.inverse().transform_point3(farthest);
        let nearest = Shape::new(unit.clone()).point_at(unit.location_of(on_unit.as_dvec3())).corners[0];
        prop_assert!(nearest.abs_diff_eq(on_unit, 1e-4), "{shape:?}: {on_unit} is not on the surface");
    }
}

#[test]
fn the_box_of_a_tilted_disk_is_tight() {
    let axis = vec3(1.0, 2.0, 3.0).normalize_or(Vec3::Z);
    let shape = Shape::about_axis(UnitShape::Disk { hole: 0.0 }, Vec3::ZERO, axis, 2.0);
    let extent = axis.to_array().map(|a| 2.0 * (1.0 - a * a).sqrt());
    assert!(shape.bounds().max.abs_diff_eq(Vec3::from_array(extent), 1e-5), "{:?}", shape.bounds());
}

/// A cubic in Bézier form whose second and third coefficients are those of `1 - (t - a)²`, raised in degree.
fn parabola(a: f32) -> [f32; 4] {
    [1.0 - a * a, 1.0 - a * a + 2.0 * a / 3.0, 2.0 / 3.0 - a * a + 4.0 * a / 3.0, 2.0 * a - a * a]
}

/// The top of `z = 2 - (u - a)² - (v - b)²`, wherever it is.
#[test]
fn the_farthest_point_of_a_patch_is_its_top() {
    for (a, b) in [(0.515_625, 0.484_375), (0.1, 0.95), (0.7, 0.0), (0.333, 1.0)] {
        let (along_u, along_v) = (parabola(a), parabola(b));
        let points = std::array::from_fn(|i| {
            let (u, v) = ((i % 4) as f32 / 3.0, (i / 4) as f32 / 3.0);
            vec3(u, v, along_u[i % 4] + along_v[i / 4])
        });
        let shape = Shape::new(UnitShape::Patch(Arc::new(BezierPatch::new(points))));
        let top = shape.farthest_point(Vec3::Z);
        assert!((top.z - 2.0).abs() < 3e-6, "{a} {b}: {top}");
        assert!(top.abs_diff_eq(vec3(a, b, 2.0), 3e-3), "{a} {b}: {top}");
        let below = shape.farthest_point(Vec3::NEG_Z);
        let corner = [0.0, 1.0].map(|u| [0.0, 1.0].map(|v| 2.0 - (u - a) * (u - a) - (v - b) * (v - b)));
        let lowest = corner.into_iter().flatten().fold(f32::INFINITY, f32::min);
        assert!((below.z - lowest).abs() < 3e-6, "{a} {b}: {below}");
    }
}

/// The tangent across a doubled row of control points is zero, but has a direction.
#[test]
fn doubled_rows_have_tangents_and_texture_coordinates() {
    let doubled = &patches()[7];
    for u in [0.0, 0.25, 0.6, 1.0] {
        for v in [0.0, 1e-30, 1e-9, 1e-5] {
            let (point, beside) = (doubled.point_at(vec2(u, v)), doubled.point_at(vec2(u, 1e-3)));
            assert!(point.uv.iter().all(|uv| uv.is_finite()), "{u} {v}: {point:?}");
            assert!(doubled.normal_at(vec2(u, v)).dot(doubled.normal_at(vec2(u, 1e-3))) > 0.999, "{u} {v}");
            for i in [1, 2] {
                let edge = |point: &sunfleck_math::ShapePoint| {
                    (point.corners[i] - point.corners[0]).normalize_or(Vec3::ZERO)
                };
                let cosine = edge(&point).dot(edge(&beside));
                assert!(cosine > 0.999, "edge {i} at {u} {v}: {cosine}");
            }
        }
    }
}
