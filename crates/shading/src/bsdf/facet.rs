//! Reflection and refraction at one microfacet.

use sunfleck_math::Vec3;

use super::TransportMode;
use super::fresnel::{self, Interface};
use super::microfacets::{Microfacets, half_vector, to_upper_side};

/// Facet of a dielectric that scatters between two directions, of which `wo` is on the upper side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    pub(super) wo: Vec3,
    pub(super) wi: Vec3,
    /// Unit normal of the facet, on the upper side.
    pub(super) h: Vec3,
    /// Cosine between `wo` and `h`.
    pub(super) cos: f32,
    /// Index of refraction on the far side divided by that on the side of `wo`.
    pub(super) eta: f32,
    /// Fraction of the light that the facet reflects.
    pub(super) reflectance: f32,
}

/// Facet that is visible from a direction on the upper side.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisibleFacet {
    wo: Vec3,
    h: Vec3,
    eta: f32,
    cos: f32,
    interface: Interface,
}

impl Facet {
    /// Returns the facet that scatters between two directions; `None` if none is visible from both. Both are mirrored
    /// if `wo` is on the lower side.
    ///
    /// * `eta` — index of refraction on the far side divided by that on the side of `wo`.
    #[inline(always)]
    pub(super) fn between(wo: Vec3, wi: Vec3, eta: f32) -> Option<Self> {
        let (wo, wi) = (to_upper_side(wo, wo.z), to_upper_side(wi, wo.z));
        if wo.z == 0.0 || wi.z == 0.0 {
            return None;
        }
        let (h, cos) = if wi.z > 0.0 {
            // More precise than the dot product with `h`, which has few digits where the directions are nearly opposite
            (half_vector(wo, wi), 0.5 * (wo + wi).length())
        } else {
            // [Walter07, Eq. 16]
            let h = (wo + wi * eta).normalize_or(Vec3::Z);
            let h = if h.z < 0.0 { -h } else { h };
            (h, if wi.dot(h) < 0.0 { wo.dot(h) } else { 0.0 })
        };
        if cos <= 0.0 {
            return None;
        }
        let reflectance = fresnel::dielectric(cos.min(1.0), eta).reflectance;
        Some(Self { wo, wi, h, cos, eta, reflectance })
    }

    #[inline(always)]
    pub(super) fn is_reflection(&self) -> bool {
        self.wi.z > 0.0
    }

    /// Returns the solid angle of facet normals divided by that of scattered directions [Walter07, Eq. 14 and 17].
    #[inline(always)]
    pub(super) fn normal_density(&self) -> f32 {
        if self.is_reflection() { 0.25 / self.cos } else { self.refracted_density() }
    }

    /// Returns [`normal_density`](Self::normal_density) of a refraction.
    #[inline(always)]
    pub(super) fn refracted_density(&self) -> f32 {
        let &Self { wi, h, cos, eta, .. } = self;
        let cos_i = wi.dot(h);
        let sum = eta.mul_add(cos_i, cos);
        eta * eta * cos_i.abs() / (sum * sum).max(f32::MIN_POSITIVE)
    }

    /// Evaluates a refraction by facets that transmit all light, with the cosine [Walter07, Eq. 21].
    #[inline(always)]
    pub(super) fn transmission(&self, microfacets: Microfacets, mode: TransportMode) -> f32 {
        let &Self { wo, wi, h, cos, eta, .. } = self;
        let below = to_upper_side(wi, wi.z);
        let masking = microfacets.masking_over_cos(wo) * microfacets.masking_over_cos(below) * below.z;
        // Radiance divided by the squared index is constant along a ray [Veach97, §5.2]
        let scale = match mode {
            TransportMode::Radiance => 1.0 / (eta * eta),
            TransportMode::Importance => 1.0,
        };
        microfacets.distribution(h) * masking * cos * self.refracted_density() * scale
    }
}

impl VisibleFacet {
    /// Returns the facet with the unit normal `h`.
    ///
    /// * `eta` — index of refraction on the far side divided by that on the side of `wo`.
    #[inline(always)]
    pub(super) fn new(wo: Vec3, h: Vec3, eta: f32) -> Self {
        let cos = wo.dot(h).clamp(0.0, 1.0);
        Self { wo, h, eta, cos, interface: fresnel::dielectric(cos, eta) }
    }

    /// Returns the fraction of the light that the facet reflects.
    #[inline(always)]
    pub(super) fn reflectance(&self) -> f32 {
        self.interface.reflectance
    }

    /// Returns the facet with the direction of the reflection, or else the refraction, of `wo`; `None` if there is no
    /// refraction, or if the direction is on the wrong side of the surface.
    #[inline(always)]
    pub(super) fn scattered(&self, is_reflected: bool) -> Option<Facet> {
        let &Self { wo, h, eta, cos, interface: Interface { reflectance, cos_t } } = self;
        if !is_reflected && reflectance >= 1.0 {
            return None;
        }
        let wi = if is_reflected { h * (2.0 * cos) - wo } else { h * (cos / eta - cos_t) - wo / eta };
        if is_reflected != (wi.z > 0.0) || wi.z == 0.0 {
            return None;
        }
        Some(Facet { wo, wi: wi.normalize_or(h), h, cos, eta, reflectance })
    }
}
