//! Metal with a complex index of refraction, smooth or with microfacets.

use sunfleck_math::{Vec2, Vec3};

use super::microfacets::{Microfacets, half_vector, to_upper_side};
use super::mirror::reflected;
use super::{BsdfContext, BsdfSample, DeltaLobe, Lobes, fresnel};

/// Reflection by the Fresnel equations of a conductor, by single scattering on both sides: `F D G / (4 cos cos)`
/// [Walter07, Eq. 20], as Mitsuba's `conductor` and `roughconductor`. Light that would bounce more than once between
/// facets is lost.
#[derive(Clone, Copy, Debug)]
pub struct Conductor {
    /// Factor of the reflected light, components in [0, 1].
    pub reflectance: Vec3,
    /// Real part of the index of refraction of each colour component, ≥ 0.
    pub eta: Vec3,
    /// Imaginary part of the index of refraction of each colour component, ≥ 0.
    pub k: Vec3,
    /// Roughness.
    pub microfacets: Microfacets,
}

impl Conductor {
    /// Returns the fraction of the light that facets reflect.
    ///
    /// * `cos` — cosine of the direction to the normal of the facet, in [0, 1].
    #[inline(always)]
    pub(super) fn facet_reflectance(&self, cos: f32) -> Vec3 {
        self.reflectance * fresnel::conductor(cos.min(1.0), self.eta, self.k)
    }

    /// Returns the only lobe of a smooth surface; `None` if it is rough, or if `wo` lies in the tangent plane.
    #[inline(always)]
    pub(super) fn lobe(&self, wo: Vec3) -> Option<DeltaLobe> {
        (self.microfacets.is_smooth() && wo.z != 0.0).then(
            #[inline(always)]
            || DeltaLobe {
                wi: reflected(wo),
                throughput: self.facet_reflectance(wo.z.abs()),
                probability: 1.0,
                lobe: Lobes::SPECULAR_REFLECTION,
                eta: 1.0,
            },
        )
    }

    /// Evaluates [`super::Bsdf::eval`].
    #[inline(always)]
    pub(super) fn eval(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> Vec3 {
        if !self.scatters(context, wo, wi) {
            return Vec3::ZERO;
        }
        let (wo, wi) = (to_upper_side(wo, wo.z), to_upper_side(wi, wo.z));
        self.eval_upper(wo, wi, half_vector(wo, wi))
    }

    /// Evaluates [`super::Bsdf::pdf_solid_angle`].
    #[inline(always)]
    pub(super) fn pdf_solid_angle(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> f32 {
        if !self.scatters(context, wo, wi) {
            return 0.0;
        }
        let (wo, wi) = (to_upper_side(wo, wo.z), to_upper_side(wi, wo.z));
        self.microfacets.pdf_reflected(wo, half_vector(wo, wi))
    }

    /// Samples a direction of a rough surface, see [`super::Bsdf::sample`].
    #[inline(always)]
    pub(super) fn sample(&self, context: BsdfContext, wo: Vec3, u: Vec2) -> Option<BsdfSample> {
        let side = wo.z;
        let wo = to_upper_side(wo, side);
        let wi = self.microfacets.sample_reflected(wo, u);
        if !self.scatters(context, wo, wi) {
            return None;
        }
        let h = half_vector(wo, wi);
        let pdf_solid_angle = self.microfacets.pdf_reflected(wo, h);
        if !(pdf_solid_angle > 0.0 && pdf_solid_angle.is_finite()) {
            return None;
        }
        Some(BsdfSample {
            wi: to_upper_side(wi, side),
            throughput: self.eval_upper(wo, wi, h) / pdf_solid_angle,
            pdf_solid_angle,
            lobe: self.microfacets.reflection_lobe(),
            eta: 1.0,
        })
    }

    /// Returns whether the requested lobes scatter between two directions: the surface is rough, and both directions
    /// are on the same side.
    #[inline(always)]
    fn scatters(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> bool {
        let is_requested = context.lobes.contains(self.microfacets.reflection_lobe());
        is_requested && !self.microfacets.is_smooth() && wo.z * wi.z > 0.0
    }

    /// Evaluates the lobe, with the cosine, for directions on the upper side.
    #[inline(always)]
    fn eval_upper(&self, wo: Vec3, wi: Vec3, h: Vec3) -> Vec3 {
        self.facet_reflectance(wo.dot(h)) * (self.microfacets.reflection(wo, wi, h) * wi.z)
    }
}
