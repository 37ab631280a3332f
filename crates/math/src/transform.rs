//! Affine transforms, and the transformation of normals and of error bounds.
//!
//! The rotations have the same bits on every machine, unlike those of glam, which use the platform's sine and cosine.
//!
//! Coordinates are right-handed with y up. A positive angle turns counter-clockwise when the axis points at the
//! viewer.

use glam::{Affine3, Mat3, Quat, Vec3, vec3};

use crate::float::gamma;
use crate::{Frame, sin_cos};

/// Returns a rotation about the x axis, from y towards z.
pub fn rotation_x(angle_radians: f32) -> Affine3 {
    let (s, c) = sin_cos(angle_radians);
    Affine3::from_cols(Vec3::X, vec3(0.0, c, s), vec3(0.0, -s, c), Vec3::ZERO)
}

/// Returns a rotation about the y axis, from z towards x.
pub fn rotation_y(angle_radians: f32) -> Affine3 {
    let (s, c) = sin_cos(angle_radians);
    Affine3::from_cols(vec3(c, 0.0, -s), Vec3::Y, vec3(s, 0.0, c), Vec3::ZERO)
}

/// Returns a rotation about the z axis, from x towards y.
pub fn rotation_z(angle_radians: f32) -> Affine3 {
    let (s, c) = sin_cos(angle_radians);
    Affine3::from_cols(vec3(c, s, 0.0), vec3(-s, c, 0.0), Vec3::Z, Vec3::ZERO)
}

/// Returns a rotation about an axis of any length through the origin; the identity if the axis is zero or not finite.
pub fn rotation_about(axis: Vec3, angle_radians: f32) -> Affine3 {
    let Some(k) = unit(axis) else { return Affine3::IDENTITY };
    let (s, c) = sin_cos(angle_radians);
    // Rodrigues' formula, v cos + (k × v) sin + k (k · v) (1 - cos), for the three coordinate axes
    let rotated = |v: Vec3| v * c + k.cross(v) * s + k * (k.dot(v) * (1.0 - c));
    Affine3::from_cols(rotated(Vec3::X), rotated(Vec3::Y), rotated(Vec3::Z), Vec3::ZERO)
}

/// Returns the transform of a glTF node, which scales, then rotates, then translates.
///
/// * `rotation` — quaternion x, y, z, w. It is normalised; if it is zero or not finite, the rotation is the identity.
pub fn from_translation_rotation_scale(translation: Vec3, rotation: [f32; 4], scale: Vec3) -> Affine3 {
    let rotation = Quat::from_array(rotation);
    let length = rotation.length();
    let rotation = if length > 0.0 && length.is_finite() { rotation / length } else { Quat::IDENTITY };
    Affine3::from_scale_rotation_translation(scale, rotation, translation)
}

/// Returns `world_from_view` of a camera at `eye` whose -z axis points at `target` and whose y axis points towards
/// `up`.
///
/// For finite input the result is always a rotation followed by a translation: if `target` equals `eye`, the camera
/// looks along -z of the world; if `up` is zero or parallel to the view direction, an arbitrary perpendicular direction
/// replaces it.
pub fn look_at(eye: Vec3, target: Vec3, up: Vec3) -> Affine3 {
    let back = unit(eye - target).unwrap_or(Vec3::Z);
    // If the cross product of unit vectors is no longer than its rounding errors, its direction is undefined.
    let right = unit(up).map(|up| up.cross(back)).filter(|right| right.length() > gamma(8)).and_then(unit);
    let right = right.unwrap_or_else(|| Frame::from_normal(back).tangent);
    Affine3::from_cols(right, back.cross(right), back, eye)
}

/// Returns the rows of `m` with the translation as last column: the layout of transforms on GPUs.
pub fn rows(m: &Affine3) -> [[f32; 4]; 3] {
    let [x, y, z, t] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis, m.translation];
    [0, 1, 2].map(|axis: usize| [x[axis], y[axis], z[axis], t[axis]])
}

/// Returns the normal `n` of a surface transformed by `m`; in general not of unit length.
///
/// It has the direction of the inverse transpose of `m` times `n`. It is computed from the cofactor matrix, which also
/// exists for singular `m`. If `m` mirrors, the normal stays on the same side of the surface.
#[inline(always)]
pub fn transform_normal(m: &Affine3, n: Vec3) -> Vec3 {
    let Mat3 { x_axis: x, y_axis: y, z_axis: z } = m.matrix3;
    let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
    let cofactors_n = yz * n.x + zx * n.y + xy * n.z;
    if x.dot(yz) < 0.0 { -cofactors_n } else { cofactors_n }
}

/// Returns the point `p` transformed by `m`, and the absolute bound per axis of its error [PBRT4, §6.8.5].
///
/// * `p_error` — absolute bound per axis of the error of `p`, ≥ 0.
///
/// The elements of `m` are treated as exact. In contrast to the book, γ(4) replaces γ(3), since glam adds from left to
/// right.
#[inline(always)]
pub fn transform_point_with_error(m: &Affine3, p: Vec3, p_error: Vec3) -> (Vec3, Vec3) {
    let Mat3 { x_axis: x, y_axis: y, z_axis: z } = m.matrix3;
    let absolute = |v: Vec3| x.abs() * v.x + y.abs() * v.y + z.abs() * v.z;
    let error = absolute(p_error) * (1.0 + gamma(4)) + (absolute(p.abs()) + m.translation.abs()) * gamma(4);
    // The computation of the bound has rounding errors, too.
    (m.transform_point3(p), error * (1.0 + gamma(8)))
}

/// Returns the unit vector in the direction of `v`, or `None` if `v` is zero or not finite.
///
/// Dividing by the largest component first avoids overflow and underflow of the length.
fn unit(v: Vec3) -> Option<Vec3> {
    (v / v.abs().max_element()).try_normalize()
}

#[cfg(test)]
mod tests {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_3, TAU};

    use glam::DVec3;
    use proptest::prelude::*;

    use super::*;

    fn vector(size: f32) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    fn affine() -> impl Strategy<Value = Affine3> {
        prop::array::uniform4(vector(10.0)).prop_map(|[x, y, z, w]| Affine3::from_cols(x, y, z, w))
    }

    fn is_rotation(m: &Affine3) -> bool {
        let product = m.matrix3.transpose() * m.matrix3;
        product.abs_diff_eq(Mat3::IDENTITY, 2e-6) && m.matrix3.determinant() > 0.0
    }

    #[test]
    fn rotations_permute_the_axes() {
        for (m, from, to) in [
            (rotation_x(FRAC_PI_2), Vec3::Y, Vec3::Z),
            (rotation_y(FRAC_PI_2), Vec3::Z, Vec3::X),
            (rotation_z(FRAC_PI_2), Vec3::X, Vec3::Y),
            (rotation_about(Vec3::Z * 7.0, FRAC_PI_2), Vec3::X, Vec3::Y),
            // 120° about the diagonal
            (rotation_about(Vec3::ONE, TAU / 3.0), Vec3::X, Vec3::Y),
        ] {
            assert!(m.transform_vector3(from).abs_diff_eq(to, 1e-6), "{from} to {to}");
        }
    }

    #[test]
    fn degenerate_rotations_are_the_identity() {
        for axis in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
            assert_eq!(rotation_about(axis, 1.0), Affine3::IDENTITY, "{axis}");
        }
        for q in [[0.0; 4], [f32::NAN; 4], [f32::INFINITY, 0.0, 0.0, 1.0]] {
            let m = from_translation_rotation_scale(Vec3::ZERO, q, Vec3::ONE);
            assert_eq!(m, Affine3::IDENTITY, "{q:?}");
        }
    }

    #[test]
    fn scale_comes_before_rotation_before_translation() {
        // Quaternion of 60° about z, of length 2
        let half = FRAC_PI_3 / 2.0;
        let (s, c) = sin_cos(half);
        let m = from_translation_rotation_scale(
            vec3(1.0, 2.0, 3.0),
            [0.0, 0.0, 2.0 * s, 2.0 * c],
            vec3(2.0, 1.0, 1.0),
        );
        let expected = vec3(1.0, 2.0, 3.0) + 2.0 * vec3(0.5, 0.75f32.sqrt(), 0.0);
        assert!(m.transform_point3(Vec3::X).abs_diff_eq(expected, 1e-6), "{m:?}");
    }

    #[test]
    fn look_at_of_simple_and_degenerate_cameras() {
        let m = look_at(vec3(0.0, 0.0, 5.0), Vec3::ZERO, Vec3::Y);
        assert_eq!(m, Affine3::from_translation(vec3(0.0, 0.0, 5.0)), "the axes stay, the origin moves");
        for (target, up) in [
            (Vec3::ONE, Vec3::Y),
            (Vec3::ONE * 2.0, Vec3::ONE),
            (Vec3::ONE * 2.0, Vec3::ZERO),
            (vec3(1.0, 3.0, 1.0), Vec3::Y),
            (vec3(1.0, -3.0, 1.0), Vec3::Y),
            (vec3(1e30, 1.0, 1.0), Vec3::Y * 1e-30),
        ] {
            assert!(is_rotation(&look_at(Vec3::ONE, target, up)), "{target}, {up}");
        }
    }

    #[test]
    fn normals_of_mirrored_and_flattened_surfaces() {
        let mirror = Affine3::from_scale(vec3(-1.0, 1.0, 1.0));
        assert_eq!(transform_normal(&mirror, Vec3::Y), Vec3::Y, "the normal of a floor stays");
        assert_eq!(transform_normal(&mirror, Vec3::X), Vec3::NEG_X, "the normal of a wall is mirrored");
        let flat = Affine3::from_scale(vec3(1.0, 0.0, 1.0));
        assert_eq!(transform_normal(&flat, Vec3::Y), Vec3::Y, "the normal of a flattened surface");
    }

    proptest! {
        #[test]
        fn rotations_about_an_axis_keep_it(axis in vector(1.0), angle in -10.0f32..10.0) {
            let Some(axis) = axis.try_normalize() else { return Ok(()) };
            let m = rotation_about(axis, angle);
            prop_assert!(is_rotation(&m), "{m:?}");
            prop_assert!(m.transform_vector3(axis).abs_diff_eq(axis, 1e-6), "the axis is invariant");
            prop_assert!((rotation_about(axis, -angle) * m).abs_diff_eq(Affine3::IDENTITY, 2e-6), "the inverse");
        }

        #[test]
        fn look_at_looks_at_the_target(eye in vector(100.0), target in vector(100.0), up in vector(1.0)) {
            let view = target - eye;
            prop_assume!(view.length() > 1e-2 && up.length() > 1e-2);
            prop_assume!(view.cross(up).length() > 1e-2 * view.length() * up.length());
            let world_from_view = look_at(eye, target, up);
            prop_assert!(is_rotation(&world_from_view), "{world_from_view:?}");
            prop_assert_eq!(world_from_view.translation, eye);
            let ahead = world_from_view.transform_vector3(Vec3::NEG_Z);
            prop_assert!(ahead.dot(view) >= view.length() * (1.0 - 1e-6), "ahead is {ahead}");
            prop_assert!(world_from_view.matrix3.y_axis.dot(up) > 0.0, "up points upwards");
            prop_assert!(world_from_view.matrix3.x_axis.dot(up).abs() < 1e-5, "the horizon is level");
        }

        #[test]
        fn transformed_normals_stay_perpendicular(m in affine(), a in vector(1.0), b in vector(1.0)) {
            let n = a.cross(b);
            prop_assume!(n.length() > 0.1 && m.matrix3.determinant().abs() > 1.0);
            let Some(n) = unit(transform_normal(&m, n)) else { return Err(TestCaseError::fail("no normal")) };
            for tangent in [a, b] {
                let t = m.transform_vector3(tangent);
                prop_assert!(n.dot(t).abs() < 1e-3 * t.length().max(1.0), "{n} against {t}");
            }
            // A point above the surface stays above it.
            prop_assert!(n.dot(m.transform_vector3(a.cross(b))) > 0.0, "the side has changed");
        }

        #[test]
        fn the_error_bound_holds_and_is_tight(
            m in affine(), p in vector(100.0), error in vector(1e-3), at in vector(1.0), exact_input: bool,
        ) {
            // If `p` is exact, only the rounding errors of the transform remain.
            let error = if exact_input { Vec3::ZERO } else { error.abs() };
            let (got, bound) = transform_point_with_error(&m, p, error);
            // A point within the error of p, transformed in f64
            let exact_p = p.as_dvec3() + (error * at).as_dvec3();
            let Mat3 { x_axis: x, y_axis: y, z_axis: z } = m.matrix3;
            let column = |axis: Vec3, scale: f64| axis.as_dvec3() * scale;
            let exact: DVec3 =
                column(x, exact_p.x) + column(y, exact_p.y) + column(z, exact_p.z) + m.translation.as_dvec3();
            let deviation = (got.as_dvec3() - exact).abs();
            prop_assert!(deviation.cmple(bound.as_dvec3()).all(), "{deviation} exceeds {bound}");
            let size = x.abs() + y.abs() + z.abs();
            prop_assert!(bound.cmple(size * (error.max_element() * 1.001 + 1e-4) + 1e-5).all(), "{bound} is loose");
        }
    }
}
