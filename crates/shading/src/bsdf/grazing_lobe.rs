//! Sampling distribution for light that bounces more than once between microfacets.

use std::f32::consts::{FRAC_1_PI, TAU};

use sunfleck_math::direction::spherical_direction;
use sunfleck_math::{Vec2, Vec3, exp, log};

/// A density over the upper hemisphere that approximates the multiple-scattering lobe of GGX microfacets: without the
/// cosine μ it is nearly constant for μ below α, and falls as 1 / μ² above. Per solid angle it is
///
/// ```text
/// μ / (π ln(1 + 1 / k²) (μ² + k²)),  k = 3 α
/// ```
///
/// With this k, the multiple-scattering lobe is at most 1.8 times the density, except near the normal for α below 4e-3,
/// where the albedo table is noisy. The lobe would be up to 14000 times a cosine-weighted density.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrazingLobe {
    /// k²
    width2: f32,
    /// ln(1 + 1 / k²)
    log_ratio: f32,
}

impl GrazingLobe {
    /// Prepares the lobe.
    ///
    /// * `alpha` — at least 1e-3.
    #[inline(always)]
    pub(super) fn of_alpha(alpha: f32) -> Self {
        let width2 = 9.0 * alpha * alpha;
        Self { width2, log_ratio: log(1.0 + 1.0 / width2) }
    }

    /// Samples a direction with z ≥ 0.
    #[inline(always)]
    pub(super) fn sample(self, u: Vec2) -> Vec3 {
        // Inverse of the cumulative distribution ln(1 + μ² / k²) / ln(1 + 1 / k²)
        let cos2_theta = (self.width2 * (exp(u.x * self.log_ratio) - 1.0)).clamp(0.0, 1.0);
        spherical_direction((1.0 - cos2_theta).sqrt(), cos2_theta.sqrt(), TAU * u.y)
    }

    /// Returns the density of [`GrazingLobe::sample`] at a unit direction with z ≥ 0.
    #[inline(always)]
    pub(super) fn pdf_solid_angle(self, direction: Vec3) -> f32 {
        let mu = direction.z;
        FRAC_1_PI * mu / (self.log_ratio * mu.mul_add(mu, self.width2))
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_testkit::chi2;

    use super::super::albedo_table::AlbedoRow;
    use super::*;

    #[test]
    fn samples_have_their_density() {
        for alpha in [1e-3, 0.02, 0.3, 1.0] {
            let lobe = GrazingLobe::of_alpha(alpha);
            let pdf = |wi: Vec3| if wi.z > 0.0 { lobe.pdf_solid_angle(wi) } else { 0.0 };
            let sample = |u: Vec2| Some(lobe.sample(u));
            chi2::sphere(sample, pdf).samples(200_000).tests(4).check(&format!("α = {alpha}"));
        }
    }

    #[test]
    fn follows_the_multiple_scattering_lobe() {
        for step in 0..=1000u16 {
            let alpha = 0.001f32.mul_add(f32::from(1000 - step), f32::from(step)) / 1000.0;
            let (lobe, row) = (GrazingLobe::of_alpha(alpha), AlbedoRow::of_alpha(alpha));
            for step in 1..=1000u16 {
                let t = f32::from(step) / 1000.0;
                let mu = t * t * t * t;
                let density = row.directional(mu).lost / row.average().lost * mu * FRAC_1_PI;
                let ratio = density / lobe.pdf_solid_angle(Vec3::new(0.0, 0.0, mu));
                let limit = if alpha < 4e-3 && mu > 0.7 { 6.0 } else { 1.8 };
                assert!(ratio < limit, "α = {alpha}, cosine {mu}: {ratio}");
            }
        }
    }
}
