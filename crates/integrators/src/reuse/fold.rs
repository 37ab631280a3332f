//! Transforms of points to where they seem to be, in a mirror or behind glass.

use sunfleck_math::{Affine3, Mat3, Vec3};

/// Returns the reflection at a plane.
pub(super) fn mirrored(position: Vec3, normal: Vec3) -> Affine3 {
    let [x, y, z] = normal.to_array().map(|n| normal * (-2.0 * n));
    let matrix = Mat3::from_cols(x + Vec3::X, y + Vec3::Y, z + Vec3::Z);
    about(position, matrix)
}

/// Returns the rotation about a point that turns one direction into another.
pub(super) fn bent(position: Vec3, from: Vec3, to: Vec3) -> Affine3 {
    let (axis, cos) = (from.cross(to), from.dot(to));
    if cos <= -0.999 {
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
        let at_x = mirrored(vec3(2.0, 5.0, -3.0), Vec3::X);
        assert!((at_x.transform_point3(vec3(0.5, 1.0, 4.0)) - vec3(3.5, 1.0, 4.0)).length() < 1e-6);
    }

    #[test]
    fn bending_turns_about_a_point() {
        let (from, to) = (vec3(0.6, 0.8, 0.0), vec3(0.0, 0.6, -0.8));
        let (at, bend) = (vec3(1.0, 2.0, 3.0), bent(vec3(1.0, 2.0, 3.0), from, to));
        assert!((bend.transform_vector3(from) - to).length() < 1e-6);
        assert!((bend.transform_point3(at + from * 2.0) - (at + to * 2.0)).length() < 1e-5);
        assert!((bend.matrix3.determinant() - 1.0).abs() < 1e-5, "a rotation");
    }
}
