//! Clear dielectric coating of a diffuse base.

use std::f32::consts::PI;

use sunfleck_constants::bsdf::TRANSMITTANCE_TERMS;
use sunfleck_math::{Vec2, Vec3, cos};

use super::Microfacets;
use super::fresnel::{self, Interface};

/// Number of terms of the transmittance.
const TERMS: usize = TRANSMITTANCE_TERMS as usize;

/// Interface between air and the coating of [plastic](super::Plastic): the light that it transmits, in closed form.
///
/// The transmittance of a rough interface is that of single scattering by facets [Jakob22, roughplastic]; light that
/// would meet several facets is lost. It is a polynomial in the cosine that is fitted to quadrature at the Chebyshev
/// nodes, with errors of at most 3e-3 for α of at least 0.1, and 0.01 for α of at least 0.05. At smaller α they are
/// larger at grazing angles, where there is little light.
#[derive(Clone, Copy, Debug)]
pub struct Coating {
    /// Index of refraction of the coating, ≥ 1.
    pub ior: f32,
    /// Roughness.
    pub microfacets: Microfacets,
    /// Fraction of diffuse light inside that the interface reflects back.
    pub internal_reflectance: f32,
    /// Fraction of diffuse light outside that the interface transmits.
    pub mean_transmittance: f32,
    /// Coefficients of the Chebyshev polynomials in `2 cos - 1` for the transmittance of a rough interface.
    pub transmittance: [f32; TERMS],
}

impl Coating {
    /// Returns a coating; computes its transmittance, which takes a fraction of a millisecond.
    ///
    /// * `ior` — index of refraction, ≥ 1.
    pub fn new(ior: f32, microfacets: Microfacets) -> Self {
        let mut coating = Self {
            ior,
            microfacets,
            internal_reflectance: 0.0,
            mean_transmittance: 0.0,
            transmittance: [0.0; TERMS],
        };
        if microfacets.is_smooth() {
            coating.mean_transmittance = mean_over_hemisphere(64, |mu| coating.transmitted(mu));
            // The light that passes into the coating passes out of it, too, where it has η² times less of the
            // directions [Veach97, §5.2]
            coating.internal_reflectance = 1.0 - coating.mean_transmittance / (ior * ior);
            return coating;
        }
        for node in 0..TERMS {
            let angle = PI * (node as f32 + 0.5) / TERMS as f32;
            let value = transmittance(microfacets, ior, 0.5 * (1.0 + cos(angle)));
            for (term, coefficient) in coating.transmittance.iter_mut().enumerate() {
                let scale = if term == 0 { 1.0 } else { 2.0 };
                *coefficient += scale / TERMS as f32 * cos(term as f32 * angle) * value;
            }
        }
        coating.mean_transmittance = mean_over_hemisphere(64, |mu| coating.transmitted(mu));
        coating.internal_reflectance = mean_over_hemisphere(32, |mu| reflectance(microfacets, 1.0 / ior, mu));
        coating
    }

    /// Returns the fraction of the light that passes the interface, in [0, 1].
    ///
    /// * `mu` — cosine of the direction outside to the normal, in [0, 1].
    #[inline(always)]
    pub(super) fn transmitted(&self, mu: f32) -> f32 {
        if self.microfacets.is_smooth() {
            return 1.0 - fresnel::dielectric(mu.min(1.0), self.ior).reflectance;
        }
        // Clenshaw's recurrence
        let x = 2.0f32.mul_add(mu, -1.0);
        let (mut last, mut before) = (0.0f32, 0.0f32);
        for term in (1..TERMS).rev() {
            (last, before) = ((2.0 * x).mul_add(last, self.transmittance[term] - before), last);
        }
        x.mul_add(last, self.transmittance[0] - before).clamp(0.0, 1.0)
    }

    /// Returns about the fraction of the light that the interface reflects: exactly that of a smooth one, else the
    /// reflectance of facets of a middle inclination.
    ///
    /// * `mu` — see [`transmitted`](Self::transmitted).
    #[inline(always)]
    pub(super) fn reflected(&self, mu: f32) -> f32 {
        let alpha = if self.microfacets.is_smooth() { 0.0 } else { self.microfacets.alpha() };
        let inclined = (alpha * alpha).mul_add(1.0 - mu * mu, mu * mu).sqrt();
        fresnel::dielectric(inclined.min(1.0), self.ior).reflectance
    }
}

/// Returns the cosine-weighted mean of a function of the cosine, `2 ∫ f(μ) μ dμ`, by the midpoint rule.
fn mean_over_hemisphere(steps: u16, f: impl Fn(f32) -> f32) -> f32 {
    let width = 1.0 / f32::from(steps);
    let at = |step| (f32::from(step) + 0.5) * width;
    (0..steps).map(|step| 2.0 * width * at(step) * f(at(step))).sum()
}

/// Returns the mean of a function over the facets that are visible from a direction, by the midpoint rule.
///
/// * `mu` — cosine of the direction.
/// * `f` — function of the direction and the facet's normal, multiplied by the masking of the second direction.
fn mean_over_facets(microfacets: Microfacets, mu: f32, rings: u16, f: impl Fn(Vec3, Vec3) -> f32) -> f32 {
    const AZIMUTHS: u16 = 8;
    let wo = Vec3::new((1.0 - mu * mu).max(0.0).sqrt(), 0.0, mu);
    let mut sum = 0.0;
    for ring in 0..rings {
        for azimuth in 0..AZIMUTHS {
            // The other half of the azimuths is symmetric
            let around = 0.5 * (f32::from(azimuth) + 0.5) / f32::from(AZIMUTHS);
            let height = (f32::from(ring) + 0.5) / f32::from(rings);
            let h = microfacets.sample_visible(wo, Vec2::new(around, height));
            let cos = wo.dot(h).max(0.0);
            let pdf = microfacets.pdf_visible(wo, h, cos);
            if pdf > 0.0 {
                let visible = microfacets.distribution(h) * microfacets.masking_over_cos(wo) * cos;
                sum += f(wo, h) * visible / pdf;
            }
        }
    }
    sum / (f32::from(rings) * f32::from(AZIMUTHS))
}

/// Returns the fraction of the light that a rough interface transmits by single scattering.
///
/// * `eta` — index of refraction on the far side divided by that on the side of the light.
fn transmittance(microfacets: Microfacets, eta: f32, mu: f32) -> f32 {
    mean_over_facets(microfacets, mu, 64, |wo, h| {
        let cos = wo.dot(h).clamp(0.0, 1.0);
        let Interface { reflectance, cos_t } = fresnel::dielectric(cos, eta);
        let wi = wo / eta - h * (cos / eta - cos_t);
        if wi.z > 0.0 { (1.0 - reflectance) * microfacets.masking_over_cos(wi) * wi.z } else { 0.0 }
    })
}

/// Returns the fraction of the light that a rough interface reflects by single scattering; see [`transmittance`].
fn reflectance(microfacets: Microfacets, eta: f32, mu: f32) -> f32 {
    mean_over_facets(microfacets, mu, 16, |wo, h| {
        let cos = wo.dot(h).clamp(0.0, 1.0);
        let wi = h * (2.0 * cos) - wo;
        let reflectance = fresnel::dielectric(cos, eta).reflectance;
        if wi.z > 0.0 { reflectance * microfacets.masking_over_cos(wi) * wi.z } else { 0.0 }
    })
}
