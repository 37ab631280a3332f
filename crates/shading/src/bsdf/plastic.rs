//! Diffuse base under a clear dielectric coating, smooth or with microfacets.

use std::f32::consts::{FRAC_1_PI, PI};

use sunfleck_math::{Vec2, Vec3};
use sunfleck_sampling::warp;

use super::metallic_roughness::mean;
use super::microfacets::{half_vector, to_upper_side};
use super::mirror::reflected;
use super::{BsdfContext, BsdfSample, Coating, DeltaLobe, Lobes, fresnel};

/// Reflection by the interface of a coating and by the base below it, on both sides, as Mitsuba's `plastic` and
/// `roughplastic`.
///
/// The base of albedo ρ reflects what the interface transmits in both directions, `T(μo) T(μi) ρ / (π η² (1 - ρ R))`,
/// where R is the part of the diffuse light inside that the interface reflects back to the base. This is the sum over
/// all numbers of such reflections [Jakob22, plastic]. The divisor 1 - R instead of 1 - ρ R
/// keeps the hue of the base.
#[derive(Clone, Copy, Debug)]
pub struct Plastic {
    /// Albedo of the base, components in [0, 1].
    albedo: Vec3,
    /// Bsdf of the base without the transmittances.
    base: Vec3,
    /// Factor of the reflection by the interface.
    specular: Vec3,
    coating: Coating,
    /// Fraction of the light transmitted into the coating that leaves it again, as a mean over the colour components.
    mean_base: f32,
}

/// Probabilities of sampling the requested lobes.
#[derive(Clone, Copy)]
struct Choice {
    specular: bool,
    diffuse: bool,
    /// Probability of the reflection by the interface.
    probability: f32,
}

impl Plastic {
    /// Returns the bsdf of a surface point.
    ///
    /// * `diffuse` — albedo of the base. * `specular` — factor of the reflection by the interface.
    /// * `nonlinear` — whether the base is more saturated for light that is reflected several times.
    #[inline(always)]
    pub fn new(diffuse: Vec3, specular: Vec3, coating: Coating, nonlinear: bool) -> Self {
        let (internal, ior2) = (coating.internal_reflectance, coating.ior * coating.ior);
        let returned = if nonlinear { diffuse * internal } else { Vec3::splat(internal) };
        let base = diffuse / ((Vec3::ONE - returned) * (PI * ior2));
        let mean_base = mean(base) * (PI * coating.mean_transmittance);
        Self { albedo: diffuse, base, specular, coating, mean_base }
    }

    /// Returns the albedo of the base.
    #[inline(always)]
    pub(super) fn albedo(&self) -> Vec3 {
        self.albedo
    }

    /// Returns the roughness `α` of the coating; `None` if it is smooth.
    pub(super) fn highlight_alpha(&self) -> Option<f32> {
        let microfacets = self.coating.microfacets;
        (!microfacets.is_smooth()).then(|| microfacets.alpha())
    }

    /// Returns [`super::Bsdf::reflectance`].
    #[inline(always)]
    pub(super) fn reflectance(&self, mu: f32) -> Vec3 {
        let transmitted = self.coating.transmitted(mu);
        let base = self.base * (PI * self.coating.mean_transmittance * transmitted);
        self.specular * self.coating.reflected(mu) + base
    }

    /// Returns the lobes, see [`super::Bsdf::lobes`].
    #[inline(always)]
    pub(super) fn lobes(&self) -> Lobes {
        Lobes::DIFFUSE_REFLECTION | self.coating.microfacets.reflection_lobe()
    }

    /// Returns the delta lobe of a smooth coating; `None` if it is rough, or if `wo` lies in the tangent plane.
    #[inline(always)]
    pub(super) fn lobe(&self, wo: Vec3) -> Option<DeltaLobe> {
        if !self.coating.microfacets.is_smooth() || wo.z == 0.0 {
            return None;
        }
        Some(DeltaLobe {
            wi: reflected(wo),
            throughput: self.specular * self.coating.reflected(wo.z.abs()),
            probability: self.choice(BsdfContext::RADIANCE, wo.z.abs()).probability,
            lobe: Lobes::SPECULAR_REFLECTION,
            eta: 1.0,
        })
    }

    /// Evaluates [`super::Bsdf::eval`].
    #[inline(always)]
    pub(super) fn eval(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> Vec3 {
        let (wo, wi) = (to_upper_side(wo, wo.z), to_upper_side(wi, wo.z));
        if !(wo.z > 0.0 && wi.z > 0.0) {
            return Vec3::ZERO;
        }
        self.eval_upper(self.choice(context, wo.z), wo, wi)
    }

    /// Evaluates [`super::Bsdf::pdf_solid_angle`].
    #[inline(always)]
    pub(super) fn pdf_solid_angle(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> f32 {
        let (wo, wi) = (to_upper_side(wo, wo.z), to_upper_side(wi, wo.z));
        if !(wo.z > 0.0 && wi.z > 0.0) {
            return 0.0;
        }
        self.pdf_upper(self.choice(context, wo.z), wo, wi)
    }

    /// Samples a direction, see [`super::Bsdf::sample`].
    #[inline(always)]
    pub(super) fn sample(&self, context: BsdfContext, wo: Vec3, lobe_u: f32, u: Vec2) -> Option<BsdfSample> {
        let side = wo.z;
        let wo = to_upper_side(wo, side);
        let choice = self.choice(context, wo.z);
        if !(wo.z > 0.0 && (choice.specular || choice.diffuse)) {
            return None;
        }
        let is_specular = lobe_u < choice.probability;
        let lobe =
            if is_specular { self.coating.microfacets.reflection_lobe() } else { Lobes::DIFFUSE_REFLECTION };
        if is_specular && self.coating.microfacets.is_smooth() {
            let throughput = self.specular * (self.coating.reflected(wo.z) / choice.probability);
            let wi = to_upper_side(reflected(wo), side);
            return Some(BsdfSample { wi, throughput, pdf_solid_angle: 0.0, lobe, eta: 1.0 });
        }
        let wi = if is_specular {
            self.coating.microfacets.sample_reflected(wo, u)
        } else {
            warp::cosine_hemisphere(u)
        };
        if wi.z <= 0.0 {
            return None;
        }
        let pdf_solid_angle = self.pdf_upper(choice, wo, wi);
        if !(pdf_solid_angle > 0.0 && pdf_solid_angle.is_finite()) {
            return None;
        }
        let throughput = self.eval_upper(choice, wo, wi) / pdf_solid_angle;
        Some(BsdfSample { wi: to_upper_side(wi, side), throughput, pdf_solid_angle, lobe, eta: 1.0 })
    }

    /// Returns the requested lobes, with probabilities in proportion to the light that they reflect.
    #[inline(always)]
    fn choice(&self, context: BsdfContext, mu: f32) -> Choice {
        let specular = context.lobes.contains(self.coating.microfacets.reflection_lobe());
        let diffuse = context.lobes.contains(Lobes::DIFFUSE_REFLECTION);
        if !(specular && diffuse) {
            return Choice { specular, diffuse, probability: if specular { 1.0 } else { 0.0 } };
        }
        let transmitted = self.coating.transmitted(mu);
        let reflected = mean(self.specular) * self.coating.reflected(mu);
        let sum = self.mean_base.mul_add(transmitted, reflected);
        Choice { specular, diffuse, probability: if sum > 0.0 { reflected / sum } else { 0.5 } }
    }

    /// Evaluates the lobes but a delta lobe, with the cosine, for directions on the upper side.
    #[inline(always)]
    fn eval_upper(&self, choice: Choice, wo: Vec3, wi: Vec3) -> Vec3 {
        let microfacets = self.coating.microfacets;
        let mut value = Vec3::ZERO;
        if choice.diffuse {
            value += self.base * (self.coating.transmitted(wo.z) * self.coating.transmitted(wi.z));
        }
        if choice.specular && !microfacets.is_smooth() {
            let h = half_vector(wo, wi);
            let reflectance = fresnel::dielectric(wo.dot(h).clamp(0.0, 1.0), self.coating.ior).reflectance;
            value += self.specular * (reflectance * microfacets.reflection(wo, wi, h));
        }
        value * wi.z
    }

    /// Returns the density of sampling the lobes but a delta lobe, for directions on the upper side.
    #[inline(always)]
    fn pdf_upper(&self, choice: Choice, wo: Vec3, wi: Vec3) -> f32 {
        let microfacets = self.coating.microfacets;
        let diffuse = (1.0 - choice.probability) * (wi.z * FRAC_1_PI);
        let diffuse = if choice.diffuse { diffuse } else { 0.0 };
        if !choice.specular || microfacets.is_smooth() {
            return diffuse;
        }
        choice.probability.mul_add(microfacets.pdf_reflected(wo, half_vector(wo, wi)), diffuse)
    }
}
