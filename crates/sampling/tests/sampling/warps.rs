//! The samples of every warp have the density that its `…_pdf` returns.

#![allow(missing_docs, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "f64 references")]

use std::f32::consts::PI;

use proptest::prelude::*;
use sunfleck_math::float::ONE_MINUS_EPSILON;
use sunfleck_math::{Frame, Vec2, Vec3, vec2, vec3};
use sunfleck_sampling::warp::{self, SphericalTriangle};
use sunfleck_testkit::chi2;

/// Number of tests, by which the significance level is corrected.
const WARPS: u32 = 12;

#[test]
fn disk() {
    chi2::unit_disk(warp::concentric_disk, warp::concentric_disk_pdf).tests(WARPS).check("concentric disk");
    let in_square = chi2::rectangle(-Vec2::ONE, Vec2::ONE, warp::concentric_disk, warp::concentric_disk_pdf);
    in_square.tests(WARPS).check("concentric disk in a square");
}

#[test]
fn hemispheres() {
    chi2::hemisphere(warp::cosine_hemisphere, warp::cosine_hemisphere_pdf)
        .tests(WARPS)
        .check("cosine hemisphere");
    chi2::sphere(warp::uniform_hemisphere, warp::uniform_hemisphere_pdf)
        .tests(WARPS)
        .check("uniform hemisphere");
}

#[test]
fn sphere() {
    chi2::sphere(warp::uniform_sphere, |_| warp::uniform_sphere_pdf()).tests(WARPS).check("uniform sphere");
}

#[test]
fn cones() {
    for one_minus_cos in [1e-7, 1e-3, 0.3, 1.7] {
        let sample = |u: Vec2| warp::uniform_cone(u, one_minus_cos);
        let pdf = |d: Vec3| warp::uniform_cone_pdf(d, one_minus_cos);
        // The cap is larger than the cone, so that it contains the boundary.
        let test = chi2::cap((1.5 * one_minus_cos).min(2.0), sample, pdf);
        test.tests(4 * WARPS).check(&format!("cone, 1 - cos = {one_minus_cos}"));
    }
}

#[test]
fn triangle() {
    chi2::unit_square(warp::uniform_triangle, warp::uniform_triangle_pdf)
        .tests(WARPS)
        .check("uniform triangle");
}

#[test]
fn tent() {
    chi2::interval(-1.0, 1.0, warp::tent, warp::tent_pdf).tests(WARPS).check("tent");
}

#[test]
fn gaussian() {
    let six = Vec2::splat(6.0);
    chi2::rectangle(-six, six, warp::gaussian, warp::gaussian_pdf).tests(WARPS).check("gaussian");
}

/// Returns whether a ray from the origin hits the triangle, in f64.
fn hits_triangle(corners: [Vec3; 3], direction: Vec3) -> bool {
    let [a, b, c] = corners.map(|corner| corner.as_dvec3());
    let d = direction.as_dvec3();
    let sides = [d.dot(a.cross(b)), d.dot(b.cross(c)), d.dot(c.cross(a))];
    let orientation = a.dot(b.cross(c)).signum();
    sides.iter().all(|side| side * orientation >= 0.0)
}

/// Returns triangles as seen from the origin: small, large, thin, obtuse, almost a half space, almost a lune.
fn triangles() -> Vec<(&'static str, [Vec3; 3])> {
    let around = |size: f32, distance: f32| {
        let tilt = Frame::from_normal(vec3(0.36, -0.48, 0.8));
        [vec2(1.0, 0.1), vec2(-0.6, 0.9), vec2(-0.5, -0.7)]
            .map(|corner| tilt.world_from_local((corner * size).extend(distance)))
    };
    vec![
        ("octant", [Vec3::X, Vec3::Y, Vec3::Z]),
        ("octant, other orientation", [Vec3::Y, Vec3::X, Vec3::Z]),
        ("medium", around(1.0, 1.0)),
        ("almost the half space", around(1.0, 0.01)),
        ("small", around(0.02, 1.0)),
        ("far and sampled by area", around(1.0, 1000.0)),
        (
            "corners at very different distances",
            [vec3(0.1, 0.0, 0.1), vec3(0.0, 30.0, 1.0), vec3(-5.0, -5.0, 5.0)],
        ),
        ("thin", [vec3(1.0, -1.0, 0.5), vec3(1.0, 1.0, 0.5), vec3(1.0, 0.0, 0.55)]),
        ("seen along an edge", [vec3(-1.0, 0.01, 0.0), vec3(1.0, 0.01, 0.0), vec3(0.0, 0.3, 1.0)]),
        ("obtuse at the first corner", [vec3(0.0, 0.0, 1.0), vec3(3.0, 0.2, 0.5), vec3(-3.0, 0.2, 0.5)]),
    ]
}

#[test]
fn spherical_triangles() {
    for (name, corners) in triangles() {
        let triangle = SphericalTriangle::new(Vec3::ZERO, corners).expect("a visible triangle");
        // A cap around the centre of the triangle that contains all of it, so that small triangles cover many cells
        let middle =
            corners.iter().map(|corner| corner.normalize_or_zero()).sum::<Vec3>().normalize_or(Vec3::Z);
        let frame = Frame::from_normal(middle);
        let farthest = corners.iter().map(|c| 0.5 * (c.normalize_or_zero() - middle).length_squared());
        let one_minus_cos = (1.2 * farthest.fold(0.0, f32::max)).min(2.0);
        let sample = |u: Vec2| frame.local_from_world(triangle.sample(u).direction);
        let pdf = |d: Vec3| {
            let direction = frame.world_from_local(d);
            if hits_triangle(corners, direction) { triangle.pdf_solid_angle(direction) } else { 0.0 }
        };
        let test = chi2::cap(one_minus_cos, sample, pdf).cells(48, 48);
        test.tests(10).check(&format!("{name}, {} sr", triangle.solid_angle()));
    }
}

#[test]
fn solid_angles_in_closed_form() {
    let solid_angle =
        |corners| SphericalTriangle::new(Vec3::ZERO, corners).expect("a visible triangle").solid_angle();
    let octant = solid_angle([Vec3::X, Vec3::Y, Vec3::Z]);
    assert!((octant - PI / 2.0).abs() < 1e-6, "an eighth of the sphere: {octant}");
    // The face of a cube is a sixth of the sphere; a diagonal halves it
    let half_face = solid_angle([vec3(-1.0, -1.0, 1.0), vec3(1.0, -1.0, 1.0), vec3(1.0, 1.0, 1.0)]);
    assert!((half_face - PI / 3.0).abs() < 1e-6, "half the face of a cube: {half_face}");
    // A regular tetrahedron seen from its centre
    let face = solid_angle([vec3(1.0, 1.0, 1.0), vec3(1.0, -1.0, -1.0), vec3(-1.0, 1.0, -1.0)]);
    assert!((face - PI).abs() < 1e-6, "a face of a tetrahedron: {face}");
    // Far away: area / distance²
    let far = solid_angle([vec3(0.0, 0.0, 1000.0), vec3(1.0, 0.0, 1000.0), vec3(0.0, 1.0, 1000.0)]);
    assert!((far / 0.5e-6 - 1.0).abs() < 1e-5, "far away: {far}");
}

#[test]
fn invisible_triangles_are_none() {
    let new = |corners| SphericalTriangle::new(Vec3::ZERO, corners);
    assert_eq!(new([Vec3::X, Vec3::Y, Vec3::NEG_X]), None, "the origin is in the plane");
    assert_eq!(new([Vec3::ONE; 3]), None, "the triangle has no area");
    assert_eq!(new([Vec3::ZERO, Vec3::X, Vec3::Y]), None, "the origin is a corner");
    assert_eq!(new([Vec3::X, Vec3::Y, Vec3::NAN]), None, "a NaN coordinate");
    assert_eq!(new([Vec3::X, Vec3::Y, Vec3::INFINITY]), None, "an infinite coordinate");
}

#[test]
fn corners_of_the_square_are_warped_into_range() {
    for u in [0.0, 0.5, ONE_MINUS_EPSILON]
        .iter()
        .flat_map(|&x| [vec2(x, 0.0), vec2(x, 0.5), vec2(x, ONE_MINUS_EPSILON)])
    {
        for (name, direction) in [
            ("cosine", warp::cosine_hemisphere(u)),
            ("hemisphere", warp::uniform_hemisphere(u)),
            ("sphere", warp::uniform_sphere(u)),
            ("cone", warp::uniform_cone(u, 0.01)),
        ] {
            assert!((direction.length() - 1.0).abs() < 1e-6, "{name} at {u}: {direction}");
        }
        assert!(warp::cosine_hemisphere(u).z >= 0.0 && warp::uniform_hemisphere(u).z > 0.0, "{u}");
        assert!(warp::uniform_cone_pdf(warp::uniform_cone(u, 0.01), 0.01) > 0.0, "{u}");
        assert!(warp::concentric_disk_pdf(warp::concentric_disk(u)) > 0.0, "{u}");
        assert!(warp::uniform_triangle_pdf(warp::uniform_triangle(u)) > 0.0, "{u}");
        assert!(warp::gaussian(u).is_finite() && warp::tent(u.x).abs() <= 1.0, "{u}");
    }
}

fn uniforms() -> impl Strategy<Value = Vec2> {
    (0u32..1 << 24, 0u32..1 << 24).prop_map(|(x, y)| vec2(x as f32, y as f32) / 16_777_216.0)
}

fn corner() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-10.0f32..10.0).prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn samples_have_a_density(u in uniforms(), one_minus_cos in 1e-6f32..2.0) {
        prop_assert!(warp::uniform_cone_pdf(warp::uniform_cone(u, one_minus_cos), one_minus_cos) > 0.0, "cone");
        prop_assert!(warp::concentric_disk_pdf(warp::concentric_disk(u)) > 0.0, "disk");
        prop_assert!(warp::uniform_triangle_pdf(warp::uniform_triangle(u)) > 0.0, "triangle");
        prop_assert!(warp::uniform_hemisphere_pdf(warp::uniform_hemisphere(u)) > 0.0, "hemisphere");
        prop_assert!((warp::cosine_hemisphere(u).length() - 1.0).abs() < 1e-6, "unit");
    }

    #[test]
    fn samples_of_a_spherical_triangle_are_on_the_triangle(
        origin in corner(), corners in prop::array::uniform3(corner()), u in uniforms(),
    ) {
        let Some(triangle) = SphericalTriangle::new(origin, corners) else { return Ok(()) };
        prop_assume!(triangle.solid_angle() > 1e-4);
        let sample = triangle.sample(u);
        let [b, c] = sample.barycentrics.to_array();
        prop_assert!(b >= 0.0 && c >= 0.0 && b + c <= 1.0 + 1e-6, "barycentrics {b}, {c}");
        prop_assert!((sample.direction.length() - 1.0).abs() < 1e-5, "unit");
        prop_assert_eq!(sample.pdf_solid_angle, triangle.pdf_solid_angle(sample.direction));
        // Barycentric coordinates give the same point as direction and distance.
        let on_triangle = corners[0] * (1.0 - b - c) + corners[1] * b + corners[2] * c;
        let on_ray = origin + sample.direction * sample.distance;
        let grazing = triangle_cosine(origin, corners, sample.direction);
        prop_assert!(on_triangle.distance(on_ray) < 1e-4 / grazing * (1.0 + sample.distance), "{on_triangle}, {on_ray}");
    }
}

/// Returns a number in (0, 1] that is small if a direction or the origin is close to the plane of the triangle.
fn triangle_cosine(origin: Vec3, [a, b, c]: [Vec3; 3], direction: Vec3) -> f32 {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let height = (a - origin).dot(normal).abs() / (1.0 + (a - origin).length());
    (normal.dot(direction).abs() * height.min(1.0)).max(1e-6)
}
