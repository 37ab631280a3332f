//! Floating-point error bounds, offsets of ray origins, and differences of products without cancellation.

use glam::Vec3;

pub use sunfleck_constants::math::ONE_MINUS_EPSILON;

/// Returns γ(n) = n ε / (1 - n ε) with ε = 2⁻²⁴, a bound of the relative error of `n` roundings [PBRT4, §6.8.1].
#[inline]
pub const fn gamma(n: u32) -> f32 {
    let ne = n as f32 * (f32::EPSILON / 2.0);
    ne / (1.0 - ne)
}

/// Returns `a * b - c * d` with an error of at most 1.5 ulp even under cancellation, if nothing over- or underflows.
///
/// Kahan's algorithm; the bound is proved in [Jeannerod13, abstract].
#[inline(always)]
pub fn difference_of_products(a: f32, b: f32, c: f32, d: f32) -> f32 {
    let cd = c * d;
    let rounding_of_cd = c.mul_add(-d, cd);
    a.mul_add(b, -cd) + rounding_of_cd
}

/// Returns the origin of a ray that leaves a surface at `position`, offset along the normal just far enough that the
/// ray does not hit the surface again [PBRT4, §6.8.6].
///
/// * `position_error` — absolute bound per axis of the error of `position`, ≥ 0. A position without error is not moved.
/// * `ng` — unit geometric normal, on either side.
/// * `direction` — direction of the ray.
#[inline(always)]
pub fn offset_ray_origin(position: Vec3, position_error: Vec3, ng: Vec3, direction: Vec3) -> Vec3 {
    let distance = ng.abs().dot(position_error);
    let offset = if direction.dot(ng) < 0.0 { -ng * distance } else { ng * distance };
    // Round away from the surface, so that the rounding of the sum cannot move the origin back onto it
    let step = |p: f32, o: f32| {
        let moved = p + o;
        if o > 0.0 {
            moved.next_up()
        } else if o < 0.0 {
            moved.next_down()
        } else {
            moved
        }
    };
    Vec3::new(step(position.x, offset.x), step(position.y, offset.y), step(position.z, offset.z))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the signed distance from the plane through the origin, in f64.
    fn height(p: Vec3, ng: Vec3) -> f64 {
        p.as_dvec3().dot(ng.as_dvec3())
    }

    fn unit_vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0f32..1.0).prop_filter_map("too short", |v| Vec3::from(v).try_normalize())
    }

    #[test]
    fn gamma_bounds_repeated_roundings() {
        assert_eq!(gamma(0), 0.0, "no rounding");
        let once = f64::from(f32::EPSILON) / 2.0;
        for n in 1..100 {
            assert!(f64::from(gamma(n)) >= (1.0 + once).powi(n as i32) - 1.0, "{n} roundings up");
        }
        assert_eq!(ONE_MINUS_EPSILON.next_up(), 1.0, "the largest float below 1");
    }

    #[test]
    fn exact_positions_are_not_moved() {
        let p = Vec3::new(1.0, 2.0, 3.0);
        assert_eq!(offset_ray_origin(p, Vec3::ZERO, Vec3::Y, Vec3::Y), p, "the position is exact");
    }

    proptest! {
        #[test]
        fn difference_of_products_is_within_one_and_a_half_ulp(
            a in -1e3f32..1e3, b in -1e3f32..1e3, c in -1e3f32..1e3, nudge in -4i32..4,
        ) {
            prop_assume!(a.abs() > 1e-3 && b.abs() > 1e-3 && c.abs() > 1e-3);
            // d is so close to a b / c that nearly everything cancels.
            let d = f32::from_bits((a * b / c).to_bits().wrapping_add_signed(nudge));
            // Products of two floats are exact in f64, and so is the difference of products that are this
            // close.
            let exact = f64::from(a) * f64::from(b) - f64::from(c) * f64::from(d);
            let got = f64::from(difference_of_products(a, b, c, d));
            prop_assert!((got - exact).abs() <= 1.5 * f64::from(f32::EPSILON) * exact.abs(), "{got}, not {exact}");
        }

        #[test]
        fn offset_origin_is_beyond_the_error_on_the_side_of_the_ray(
            ng in unit_vector(), direction in unit_vector(), along in prop::array::uniform3(-100.0f32..100.0),
            error in prop::array::uniform3(1e-7f32..1e-4),
        ) {
            prop_assume!(direction.dot(ng).abs() > 1e-4);
            // A point of the plane through the origin, rounded to f32; this rounding is part of the error.
            let along = Vec3::from(along).as_dvec3();
            let plane_normal = ng.as_dvec3();
            let exact = along - plane_normal * (along.dot(plane_normal) / plane_normal.length_squared());
            let position = exact.as_vec3();
            let error = Vec3::from(error) + position.abs() * gamma(1);
            let origin = offset_ray_origin(position, error, ng, direction);
            let side = f64::from(direction.dot(ng).signum());
            // All points within the error of `position` are behind the plane through the offset origin.
            let moved = side * (height(origin, ng) - height(position, ng));
            let reach = f64::from(ng.x.abs() * error.x + ng.y.abs() * error.y + ng.z.abs() * error.z);
            prop_assert!(moved >= reach * (1.0 - 1e-6), "moved {moved}, error {reach}");
            prop_assert!(side * height(origin, ng) > 0.0, "the origin is on the wrong side of the plane");
            // The offset is at most three times the error and a few ulp.
            prop_assert!(moved <= 3.0 * reach + 4.0 * f64::from(origin.abs().max_element() * f32::EPSILON), "too far");
        }
    }
}
