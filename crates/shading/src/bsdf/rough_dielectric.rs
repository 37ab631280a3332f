//! Rough interface between air and a clear dielectric medium.

use sunfleck_math::{Vec2, Vec3};

use super::facet::{Facet, VisibleFacet};
use super::microfacets::{Microfacets, to_upper_side};
use super::{BsdfContext, BsdfSample, Lobes, TransportMode};

/// Reflection and refraction by microfacets [Walter07, §4], as Mitsuba's `roughdielectric`; the front (z > 0) is
/// outside. Light that would meet more than one facet is lost.
///
/// The lobes count as specular at every roughness: light behind glass is found by paths, not by virtual point lights.
#[derive(Clone, Copy, Debug)]
pub struct RoughDielectric {
    /// Index of refraction of the inside divided by that of the outside, > 0 and not 1.
    pub ior: f32,
    /// Factor of the transmitted light, components in [0, 1].
    pub tint: Vec3,
    /// Roughness above 0.
    pub microfacets: Microfacets,
}

/// Requested lobes.
#[derive(Clone, Copy)]
struct Requested {
    reflection: bool,
    transmission: bool,
}

impl RoughDielectric {
    /// Evaluates [`super::Bsdf::eval`].
    #[inline(always)]
    pub(super) fn eval(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> Vec3 {
        match Facet::between(wo, wi, self.eta(wo.z)) {
            Some(facet) if Requested::of(context).contains(&facet) => self.eval_facet(context.mode, &facet),
            _ => Vec3::ZERO,
        }
    }

    /// Evaluates [`super::Bsdf::pdf_solid_angle`].
    #[inline(always)]
    pub(super) fn pdf_solid_angle(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> f32 {
        let requested = Requested::of(context);
        match Facet::between(wo, wi, self.eta(wo.z)) {
            Some(facet) if requested.contains(&facet) => self.pdf_facet(requested, &facet),
            _ => 0.0,
        }
    }

    /// Samples a direction, see [`super::Bsdf::sample`]: a facet visible from `wo`, then reflection or refraction by
    /// its reflectance.
    #[inline(always)]
    pub(super) fn sample(&self, context: BsdfContext, wo: Vec3, lobe_u: f32, u: Vec2) -> Option<BsdfSample> {
        let (requested, side, eta) = (Requested::of(context), wo.z, self.eta(wo.z));
        let wo = to_upper_side(wo, side);
        if !(wo.z > 0.0 && (requested.reflection || requested.transmission)) {
            return None;
        }
        let h = self.microfacets.sample_visible(wo, u);
        let visible = VisibleFacet::new(wo, h, eta);
        let is_reflected = lobe_u < requested.probability_of_reflection(visible.reflectance());
        let facet = visible.scattered(is_reflected)?;
        let pdf_solid_angle = self.pdf_facet(requested, &facet);
        if !(pdf_solid_angle > 0.0 && pdf_solid_angle.is_finite()) {
            return None;
        }
        Some(BsdfSample {
            wi: to_upper_side(facet.wi, side),
            throughput: self.eval_facet(context.mode, &facet) / pdf_solid_angle,
            pdf_solid_angle,
            lobe: if is_reflected { Lobes::SPECULAR_REFLECTION } else { Lobes::SPECULAR_TRANSMISSION },
            eta: if is_reflected { 1.0 } else { eta },
        })
    }

    /// Returns the index of refraction on the far side divided by that on the viewer's side.
    #[inline(always)]
    fn eta(&self, side: f32) -> f32 {
        if side > 0.0 { self.ior } else { 1.0 / self.ior }
    }

    /// Evaluates the lobe of a facet, with the cosine [Walter07, Eq. 20 and 21].
    #[inline(always)]
    fn eval_facet(&self, mode: TransportMode, facet: &Facet) -> Vec3 {
        let &Facet { wo, wi, h, reflectance, .. } = facet;
        if facet.is_reflection() {
            return Vec3::splat(reflectance * self.microfacets.reflection(wo, wi, h) * wi.z);
        }
        self.tint * ((1.0 - reflectance) * facet.transmission(self.microfacets, mode))
    }

    /// Returns the density of sampling the lobe of a facet among the requested ones.
    #[inline(always)]
    fn pdf_facet(&self, requested: Requested, facet: &Facet) -> f32 {
        let density = self.microfacets.pdf_visible(facet.wo, facet.h, facet.cos);
        let reflects = requested.probability_of_reflection(facet.reflectance);
        let probability = if facet.is_reflection() { reflects } else { 1.0 - reflects };
        probability * density * facet.normal_density()
    }
}

impl Requested {
    #[inline(always)]
    fn of(context: BsdfContext) -> Self {
        Self {
            reflection: context.lobes.contains(Lobes::SPECULAR_REFLECTION),
            transmission: context.lobes.contains(Lobes::SPECULAR_TRANSMISSION),
        }
    }

    #[inline(always)]
    fn contains(self, facet: &Facet) -> bool {
        if facet.is_reflection() { self.reflection } else { self.transmission }
    }

    /// Returns the probability with which a facet reflects.
    #[inline(always)]
    fn probability_of_reflection(self, reflectance: f32) -> f32 {
        match (self.reflection, self.transmission) {
            (true, true) => reflectance,
            (true, false) => 1.0,
            (false, _) => 0.0,
        }
    }
}
