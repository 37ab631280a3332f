//! Transforms of directives, composed in double precision.

use glam::{DAffine3, DMat3};
use sunfleck_math::{Affine3, DVec3, sin_cos};

/// Returns the rotation about an axis through the origin (Rodrigues); `None` if the axis has no direction.
pub(super) fn rotation(degrees: f64, axis: DVec3) -> Option<DAffine3> {
    let axis = axis.try_normalize()?;
    // Quarter turns are exact
    let (sin, cos) = match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        other => {
            #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
            let (sin, cos) = sin_cos(other.to_radians() as f32);
            (f64::from(sin), f64::from(cos))
        }
    };
    let column = |v: DVec3| v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos));
    Some(DAffine3::from_mat3(DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))))
}

/// Returns the transform from the world to the space of a camera: x to the right, y up, z forward [PBRT4, §3.9.7].
/// `None`: the points and the direction do not define one.
pub(super) fn look_at(eye: DVec3, target: DVec3, up: DVec3) -> Option<DAffine3> {
    let forward = (target - eye).try_normalize()?;
    let right = up.cross(forward).try_normalize()?;
    let world_from_camera = DMat3::from_cols(right, forward.cross(right), forward);
    inverse(&DAffine3::from_mat3_translation(world_from_camera, eye))
}

/// Returns the transform of a list of 16 numbers, column after column; `None` if it is not affine.
pub(super) fn of_columns(m: &[f64; 16]) -> Option<DAffine3> {
    let is_affine = [m[3], m[7], m[11]] == [0.0; 3] && m[15] != 0.0;
    let column = |i: usize| DVec3::new(m[4 * i], m[4 * i + 1], m[4 * i + 2]) / m[15];
    let linear = DMat3::from_cols(column(0), column(1), column(2));
    is_affine.then(|| DAffine3::from_mat3_translation(linear, column(3)))
}

/// Returns the inverse; `None` if there is none.
pub(super) fn inverse(transform: &DAffine3) -> Option<DAffine3> {
    Some(transform.inverse()).filter(|inverse| inverse.is_finite())
}

/// Returns the transform in single precision; `None` if a value is not finite in it.
pub(super) fn single(transform: &DAffine3) -> Option<Affine3> {
    let DMat3 { x_axis, y_axis, z_axis } = transform.matrix3;
    let [x, y, z, w] = [x_axis, y_axis, z_axis, transform.translation].map(|column| column.as_vec3());
    Some(Affine3::from_cols(x, y, z, w)).filter(Affine3::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_are_counter_clockwise() {
        let turn = rotation(90.0, DVec3::Z * 3.0).unwrap();
        assert_eq!(turn.transform_point3(DVec3::X), DVec3::Y);
        let back = rotation(-90.0, DVec3::Z).unwrap();
        assert_eq!(back.transform_point3(DVec3::Y), DVec3::X);
        let third = rotation(120.0, DVec3::ONE).unwrap();
        assert!(third.transform_point3(DVec3::X).abs_diff_eq(DVec3::Y, 1e-6));
        assert_eq!(rotation(10.0, DVec3::ZERO), None);
    }

    #[test]
    fn cameras_look_along_z_with_x_to_the_right() {
        let camera_from_world =
            look_at(DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, 2.0, 0.0), DVec3::Y).unwrap();
        let ahead = camera_from_world.transform_point3(DVec3::new(1.0, 2.0, -2.0));
        assert!(ahead.abs_diff_eq(DVec3::new(0.0, 0.0, 5.0), 1e-12), "{ahead}");
        // The world is left-handed
        let aside = camera_from_world.transform_vector3(DVec3::X);
        assert!(aside.abs_diff_eq(DVec3::NEG_X, 1e-12), "{aside}");
        assert_eq!(look_at(DVec3::X, DVec3::X, DVec3::Y), None);
        assert_eq!(look_at(DVec3::X, DVec3::ZERO, DVec3::X), None);
    }

    #[test]
    fn matrices_are_lists_of_columns() {
        let mut m = [0.0; 16];
        (m[0], m[5], m[10], m[14], m[15]) = (1.0, 1.0, -1.0, 6.8, 1.0);
        let transform = of_columns(&m).unwrap();
        assert_eq!(transform.transform_point3(DVec3::new(1.0, 2.0, 3.0)), DVec3::new(1.0, 2.0, 3.8));
        m[3] = 1.0;
        assert_eq!(of_columns(&m), None);
        assert_eq!(inverse(&DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0))), None);
    }
}
