//! Fresnel reflectance of dielectrics, and Schlick's approximation.

use sunfleck_math::Vec3;

/// Reflection and refraction of a ray at a smooth dielectric interface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interface {
    /// Reflected fraction of unpolarised light, in [0, 1]; 1 for total internal reflection.
    pub(crate) reflectance: f32,
    /// Cosine between the refracted ray and the inverted normal, ≥ 0; 0 for total internal reflection.
    pub(crate) cos_t: f32,
}

/// Evaluates Fresnel's equations for a dielectric [PBRT4, Eq. 9.6].
///
/// * `cos_i` — cosine between the incident ray and the normal on its side, in [0, 1].
/// * `eta` — index of refraction of the far side divided by that of the incident side, > 0.
#[inline(always)]
pub(crate) fn dielectric(cos_i: f32, eta: f32) -> Interface {
    let sin2_t = (1.0 - cos_i * cos_i) / (eta * eta);
    if sin2_t >= 1.0 {
        return Interface { reflectance: 1.0, cos_t: 0.0 };
    }
    let cos_t = (1.0 - sin2_t).sqrt();
    let parallel = (eta * cos_i - cos_t) / (eta * cos_i + cos_t);
    let perpendicular = (cos_i - eta * cos_t) / (cos_i + eta * cos_t);
    Interface { reflectance: 0.5 * (parallel * parallel + perpendicular * perpendicular), cos_t }
}

/// Evaluates Fresnel's equations for a conductor in each colour component [PBRT4, §9.3.6]: the reflectance of
/// unpolarised light that arrives from air.
///
/// * `cos` — cosine between the incident ray and the normal, in [0, 1].
/// * `eta`, `k` — real and imaginary part of the index of refraction.
#[inline(always)]
pub(crate) fn conductor(cos: f32, eta: Vec3, k: Vec3) -> Vec3 {
    Vec3::new(
        conductor_channel(cos, eta.x, k.x),
        conductor_channel(cos, eta.y, k.y),
        conductor_channel(cos, eta.z, k.z),
    )
}

/// Evaluates [`conductor`] in real numbers: `a² + b²` is the squared modulus of `√((η + ik)² - sin²)`, and `a` its real
/// part.
#[inline(always)]
fn conductor_channel(cos: f32, eta: f32, k: f32) -> f32 {
    let cos2 = cos * cos;
    let sin2 = 1.0 - cos2;
    let real = eta * eta - k * k - sin2;
    let imaginary = 2.0 * eta * k;
    let modulus = (real * real + imaginary * imaginary).sqrt();
    let a = (0.5 * (modulus + real)).max(0.0).sqrt();
    let sum = modulus + cos2;
    let mixed = 2.0 * cos * a;
    let perpendicular = (sum - mixed) / (sum + mixed).max(f32::MIN_POSITIVE);
    let sum = modulus * cos2 + sin2 * sin2;
    let mixed = mixed * sin2;
    let parallel = perpendicular * ((sum - mixed) / (sum + mixed).max(f32::MIN_POSITIVE));
    0.5 * (perpendicular + parallel)
}

/// Evaluates Schlick's approximation [Schlick94, Eq. 15]: `f0` at normal incidence, 1 at grazing incidence.
#[inline(always)]
pub(crate) fn schlick(f0: Vec3, cos: f32) -> Vec3 {
    f0 + (Vec3::ONE - f0) * fifth_power(cos)
}

/// Evaluates [`schlick`] of one colour component.
#[inline(always)]
pub(crate) fn schlick_scalar(f0: f32, cos: f32) -> f32 {
    f0 + (1.0 - f0) * fifth_power(cos)
}

/// Returns `(1 - cos)⁵`, the share of grazing incidence in Schlick's approximation.
#[inline(always)]
pub(crate) fn fifth_power(cos: f32) -> f32 {
    let m = (1.0 - cos).clamp(0.0, 1.0);
    let m2 = m * m;
    m2 * m2 * m
}

/// Returns the cosine-weighted mean of [`schlick`] over the hemisphere: `2 ∫ F(μ) μ dμ = f0 + (1 - f0) / 21`.
#[inline(always)]
pub(crate) fn schlick_average(f0: Vec3) -> Vec3 {
    f0 + (Vec3::ONE - f0) * (1.0 / 21.0)
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    reason = "f64 functions are the reference"
)]
mod tests {
    use super::*;

    #[test]
    fn normal_incidence() {
        // ((1.5 - 1) / (1.5 + 1))²
        assert!((dielectric(1.0, 1.5).reflectance - 0.04).abs() < 1e-7);
        assert!((dielectric(1.0, 1.0 / 1.5).reflectance - 0.04).abs() < 1e-7, "reflectance from inside");
        assert_eq!(dielectric(1.0, 1.0), Interface { reflectance: 0.0, cos_t: 1.0 });
    }

    #[test]
    fn brewster_angle_polarises() {
        // At tan θ = η the parallel part vanishes; the perpendicular one is ((1 - η²) / (1 + η²))².
        for eta in [1.33f64, 1.5, 2.4] {
            let cos_i = eta.atan().cos();
            let expected = 0.5 * ((1.0 - eta * eta) / (1.0 + eta * eta)).powi(2);
            let found = f64::from(dielectric(cos_i as f32, eta as f32).reflectance);
            assert!((found - expected).abs() < 1e-6, "η = {eta}: {found}, not {expected}");
        }
    }

    #[test]
    fn total_internal_reflection_begins_at_the_critical_angle() {
        let critical = (1.0f64 / 1.5).asin();
        assert_eq!(dielectric((critical + 1e-3).cos() as f32, 1.0 / 1.5).reflectance, 1.0);
        assert!(dielectric((critical - 1e-3).cos() as f32, 1.0 / 1.5).reflectance < 0.9);
    }

    #[test]
    fn grazing_reflects_all_and_reversal_changes_nothing() {
        assert!((dielectric(0.0, 1.5).reflectance - 1.0).abs() < 1e-6);
        let there = dielectric(0.4, 1.5);
        let back = dielectric(there.cos_t, 1.0 / 1.5);
        assert!((there.reflectance - back.reflectance).abs() < 1e-6);
        assert!((back.cos_t - 0.4).abs() < 1e-6);
    }

    #[test]
    fn schlick_average_is_the_integral() {
        let f0 = Vec3::new(0.04, 0.5, 1.0);
        let steps = 10_000;
        let sum: Vec3 = (0..steps)
            .map(|i| (i as f32 + 0.5) / steps as f32)
            .map(|mu| schlick(f0, mu) * (2.0 * mu / steps as f32))
            .sum();
        assert!((sum - schlick_average(f0)).abs().max_element() < 1e-4, "{sum}");
    }
}
