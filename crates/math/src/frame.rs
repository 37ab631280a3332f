//! Orthonormal frames around surface normals, in which bsdfs and warps are evaluated.

use glam::Vec3;
use sunfleck_constants::math::LEAST_SINE;

/// Orthonormal, right-handed frame whose z axis is `normal`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// x axis.
    pub tangent: Vec3,
    /// y axis.
    pub bitangent: Vec3,
    /// z axis.
    pub normal: Vec3,
}

impl Frame {
    /// Returns a frame around the unit normal `n`, by the branch-free method of [Duff17, Listing 3].
    #[inline(always)]
    pub fn from_normal(n: Vec3) -> Self {
        let sign = 1.0f32.copysign(n.z);
        let a = -1.0 / (sign + n.z);
        let b = n.x * n.y * a;
        Self {
            tangent: Vec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
            bitangent: Vec3::new(b, sign + n.y * n.y * a, -n.y),
            normal: n,
        }
    }

    /// Returns the frame around the unit normal `n` whose tangent is the projection of `towards` onto the plane
    /// perpendicular to `n`, for anisotropic surfaces.
    ///
    /// If `towards` is parallel to the normal, zero or not finite, the result is that of
    /// [`Frame::from_normal`].
    #[inline(always)]
    pub fn from_normal_and_tangent(n: Vec3, towards: Vec3) -> Self {
        let across = towards - n * n.dot(towards);
        let (length, least) = (across.length(), LEAST_SINE * towards.length());
        if length > least && length.is_finite() {
            // Orthogonalise a second time [Giraud05]: if `across` is short, rounding leaves a component along the
            // normal.
            let across = across / length;
            let tangent = (across - n * n.dot(across)).normalize_or(across);
            Self { tangent, bitangent: n.cross(tangent), normal: n }
        } else {
            Self::from_normal(n)
        }
    }

    /// Transforms a vector from the local frame to world space.
    #[inline(always)]
    pub fn world_from_local(&self, v: Vec3) -> Vec3 {
        self.tangent * v.x + self.bitangent * v.y + self.normal * v.z
    }

    /// Transforms a vector from world space to the local frame.
    #[inline(always)]
    pub fn local_from_world(&self, v: Vec3) -> Vec3 {
        Vec3::new(v.dot(self.tangent), v.dot(self.bitangent), v.dot(self.normal))
    }
}

#[cfg(test)]
mod tests {
    use glam::vec3;
    use proptest::prelude::*;

    use super::*;

    /// Returns unit vectors, whose components may be as small as subnormal numbers.
    fn normal() -> impl Strategy<Value = Vec3> {
        let component = (-1.0f32..1.0, 0u32..150).prop_map(|(x, shift)| x * 0.5f32.powi(shift as i32));
        let direction = prop::array::uniform3(component);
        direction.prop_filter_map("zero", |d| {
            let d = Vec3::from(d);
            (d / d.abs().max_element()).try_normalize()
        })
    }

    #[track_caller]
    fn assert_orthonormal(f: &Frame) {
        let Frame { tangent: t, bitangent: b, normal: n } = *f;
        for (u, v, expected) in [(t, t, 1.0), (b, b, 1.0), (n, n, 1.0), (t, b, 0.0), (b, n, 0.0), (n, t, 0.0)]
        {
            assert!((u.dot(v) - expected).abs() < 1e-6, "{u} · {v} in {f:?}");
        }
        assert!(t.cross(b).abs_diff_eq(n, 1e-6), "right-handed: {f:?}");
    }

    #[test]
    fn frames_of_normals_along_and_near_the_axes() {
        let least = f32::from_bits(1);
        for n in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z] {
            assert_orthonormal(&Frame::from_normal(n));
            for nudge in [vec3(least, -least, least), vec3(-1e-20, 1e-30, -1e-38), vec3(1e-8, 1e-8, -1e-8)] {
                assert_orthonormal(&Frame::from_normal(n + nudge));
            }
        }
        assert_orthonormal(&Frame::from_normal(vec3(1.0, 0.0, -0.0)));
    }

    #[test]
    fn undefined_tangents_are_replaced() {
        for towards in [Vec3::ZERO, Vec3::Y * 5.0, Vec3::NAN, Vec3::INFINITY] {
            let frame = Frame::from_normal_and_tangent(Vec3::Y, towards);
            assert_eq!(frame, Frame::from_normal(Vec3::Y), "{towards}");
        }
    }

    proptest! {
        #[test]
        fn frames_are_orthonormal(n in normal()) {
            assert_orthonormal(&Frame::from_normal(n));
        }

        #[test]
        fn frames_with_a_tangent_are_orthonormal_and_follow_it(n in normal(), towards in normal(), size in 1e-3f32..1e3) {
            let frame = Frame::from_normal_and_tangent(n, towards * size);
            assert_orthonormal(&frame);
            let sine = n.cross(towards).length();
            prop_assert!(sine < 1e-4 || frame.tangent.dot(towards) > 0.0, "{frame:?} towards {towards}");
            prop_assert!(sine < 1e-4 || frame.bitangent.dot(towards).abs() < 1e-6, "{frame:?} towards {towards}");
        }

        #[test]
        fn round_trip(n in normal(), v in normal()) {
            let frame = Frame::from_normal(n);
            prop_assert!(frame.world_from_local(frame.local_from_world(v)).abs_diff_eq(v, 2e-6), "round trip");
            prop_assert!(frame.local_from_world(n).abs_diff_eq(Vec3::Z, 1e-6), "the normal is the local z axis");
        }
    }
}
