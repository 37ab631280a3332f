//! Clear coating of the principled model.

use std::f32::consts::{PI, TAU};

use sunfleck_constants::bsdf::{COAT_ALPHA_GLOSSY, COAT_ALPHA_ROUGH, COAT_F0, COAT_MASKING_ALPHA};
use sunfleck_math::{Vec2, Vec3, exp, log, sin_cos};

use super::facet::Facet;
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

    /// Evaluates the bsdf of a facet. In contrast to other microfacets there is no divisor `4 cos cos`.
    #[inline]
    pub(super) fn eval(self, facet: &Facet) -> f32 {
        let &Facet { wo, wi, h, cos, .. } = facet;
        let ggx = Ggx::from_alphas(COAT_MASKING_ALPHA, COAT_MASKING_ALPHA);
        let masking = ggx.masking_over_cos(wo) * wo.z * (ggx.masking_over_cos(wi) * wi.z);
        self.strength * fresnel::schlick_scalar(COAT_F0, cos) * self.distribution(h) * masking
    }

    /// Returns the density of facet normals, GTR1: `(α² - 1) / (π ln α² (1 + (α² - 1) cos²))`
    /// [Burley12, appendix B].
    #[inline]
    fn distribution(self, h: Vec3) -> f32 {
        // 1 + (α² - 1) cos² without cancellation
        let t = self.alpha2.mul_add(h.z * h.z, h.x * h.x + h.y * h.y);
        (self.alpha2 - 1.0) / (PI * log(self.alpha2) * t)
    }

    /// Samples a facet normal with the density [`pdf_normal`](Self::pdf_normal) [Burley12, appendix B].
    #[inline]
    pub(super) fn sample_normal(self, u: Vec2) -> Vec3 {
        let power = exp(log(self.alpha2) * (1.0 - u.y));
        // Each by itself, since most sines of a glossy coating are below the rounding of 1
        let [sin2, cos2] = [power - self.alpha2, 1.0 - power].map(|part| part.max(0.0) / (1.0 - self.alpha2));
        let (radius, (sin, cos)) = (sin2.sqrt(), sin_cos(TAU * u.x));
        Vec3::new(radius * cos, radius * sin, cos2.sqrt())
    }

    /// Returns the density of sampled normals, sr⁻¹.
    #[inline]
    pub(super) fn pdf_normal(self, h: Vec3) -> f32 {
        self.distribution(h) * h.z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of the normals nearer to the pole than h is `1 - ln(sin² + α² cos²) / ln α²`, the integral of GTR1.
    #[test]
    #[allow(clippy::disallowed_methods, reason = "f64 is the reference")]
    fn normals_are_distributed_by_gtr1() {
        for gloss in [0.0, 0.5, 0.9, 1.0] {
            let coat = Clearcoat::new(1.0, gloss);
            let alpha2 = f64::from(coat.alpha2);
            for i in 0..1000u16 {
                let u = Vec2::new(0.3, (f32::from(i) + 0.5) / 1000.0);
                let h = coat.sample_normal(u);
                let [x, y, z] = h.to_array().map(f64::from);
                let share = 1.0 - (x * x + y * y + alpha2 * z * z).ln() / alpha2.ln();
                assert!((share - f64::from(u.y)).abs() < 1e-5, "gloss {gloss}: {share} for {}", u.y);
                assert!((h.length() - 1.0).abs() < 1e-6, "gloss {gloss}: {h}");
            }
        }
    }
}
