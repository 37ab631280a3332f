//! Clear coating of the principled model.

use std::f32::consts::{PI, TAU};

use sunfleck_constants::bsdf::{COAT_ALPHA_GLOSSY, COAT_ALPHA_ROUGH, COAT_F0, COAT_MASKING_ALPHA};
use sunfleck_math::{Vec2, Vec3, exp, log, sin_cos};

use super::fresnel;
use super::ggx::Ggx;

/// Reflection by a coating with the distribution of normals GTR1, whose tails are longer than those of GGX, and with a
/// masking of its own [Burley12, §5.4 and §5.6].
#[derive(Clone, Copy, Debug)]
pub(super) struct Clearcoat {
    /// Factor of the reflection.
    strength: f32,
    alpha2: f32,
}

impl Clearcoat {
    /// Returns the coating.
    ///
    /// * `clearcoat`, `gloss` — see [`super::PrincipledParameters`].
    #[inline]
    pub(super) fn new(clearcoat: f32, gloss: f32) -> Self {
        let alpha = (COAT_ALPHA_GLOSSY - COAT_ALPHA_ROUGH).mul_add(gloss, COAT_ALPHA_ROUGH);
        Self { strength: 0.25 * clearcoat, alpha2: alpha * alpha }
    }

    /// Returns the factor of the reflection, which is also the weight with which it is sampled.
    #[inline]
    pub(super) fn strength(self) -> f32 {
        self.strength
    }

    /// Evaluates the bsdf at the half vector `h`. In contrast to other microfacets there is no divisor `4 cos cos`.
    #[inline]
    pub(super) fn eval(self, wo: Vec3, wi: Vec3, h: Vec3) -> f32 {
        let ggx = Ggx::from_alphas(COAT_MASKING_ALPHA, COAT_MASKING_ALPHA);
        let masking = ggx.masking_over_cos(wo) * wo.z * (ggx.masking_over_cos(wi) * wi.z);
        self.strength * fresnel::schlick_scalar(COAT_F0, wo.dot(h)) * self.distribution(h) * masking
    }

    /// Returns the density of facet normals, GTR1: `(α² - 1) / (π ln α² (1 + (α² - 1) cos²))` [Burley12, appendix B].
    #[inline]
    fn distribution(self, h: Vec3) -> f32 {
        // 1 + (α² - 1) cos² without cancellation
        let t = self.alpha2.mul_add(h.z * h.z, h.x * h.x + h.y * h.y);
        (self.alpha2 - 1.0) / (PI * log(self.alpha2) * t)
    }

    /// Samples a facet normal with the density [`pdf_normal`](Self::pdf_normal) [Burley12, appendix B].
    #[inline]
    pub(super) fn sample_normal(self, u: Vec2) -> Vec3 {
        let cos2 = (1.0 - exp(log(self.alpha2) * (1.0 - u.y))) / (1.0 - self.alpha2);
        let (radius, z) = ((1.0 - cos2).max(0.0).sqrt(), cos2.clamp(0.0, 1.0).sqrt());
        let (sin, cos) = sin_cos(TAU * u.x);
        Vec3::new(radius * cos, radius * sin, z)
    }

    /// Returns the density of sampled normals, sr⁻¹.
    #[inline]
    pub(super) fn pdf_normal(self, h: Vec3) -> f32 {
        self.distribution(h) * h.z
    }
}
