//! Transforms of points to their virtual images in a plane mirror or behind glass.

use sunfleck_constants::reuse::LEAST_ROTATION_COS;
use sunfleck_math::{Affine3, Mat3, Vec3};

/// Returns the reflection at a plane.
///
/// * `normal` — its unit normal.
pub(super) fn reflection_at(position: Vec3, normal: Vec3) -> Affine3 {
    let [x, y, z] = normal.to_array().map(|n| normal * (-2.0 * n));
    let matrix = Mat3::from_cols(x + Vec3::X, y + Vec3::Y, z + Vec3::Z);
    about(position, matrix)
}

/// Returns the rotation about a point that turns one unit direction into another; the identity if they are nearly
/// opposite.
pub(super) fn rotation_about(position: Vec3, from: Vec3, to: Vec3) -> Affine3 {
    let (axis, cos) = (from.cross(to), from.dot(to));
    if cos <= LEAST_ROTATION_COS {
        return Affine3::IDENTITY;
    }
    // Rodrigues' formula with v = from × to: 1 + [v] + [v]² / (1 + cos)
    let column = |e: Vec3| e + axis.cross(e) + axis.cross(axis.cross(e)) / (1.0 + cos);
    about(position, Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z)))
}

/// Returns the transform by a matrix with `position` as its fixed point.
fn about(position: Vec3, matrix: Mat3) -> Affine3 {
    Affine3 { matrix3: matrix, translation: position - matrix * position }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;

    use super::*;

    #[test]
    fn images_in_a_plane_mirror_lie_behind_it() {
        let image = reflection_at(vec3(2.0, 5.0, -3.0), Vec3::X);
        assert!((image.transform_point3(vec3(0.5, 1.0, 4.0)) - vec3(3.5, 1.0, 4.0)).length() < 1e-6);
    }

    #[test]
    fn rotations_turn_about_a_point() {
        let (from, to) = (vec3(0.6, 0.8, 0.0), vec3(0.0, 0.6, -0.8));
        let at = vec3(1.0, 2.0, 3.0);
        let rotation = rotation_about(at, from, to);
        assert!((rotation.transform_vector3(from) - to).length() < 1e-6);
        assert!((rotation.transform_point3(at + from * 2.0) - (at + to * 2.0)).length() < 1e-5);
        assert!((rotation.matrix3.determinant() - 1.0).abs() < 1e-5, "a rotation");
    }

    #[test]
    fn opposite_directions_have_no_rotation() {
        assert_eq!(rotation_about(Vec3::ONE, Vec3::X, Vec3::NEG_X), Affine3::IDENTITY);
    }
}
