//! The principled model of Disney.

use std::f32::consts::FRAC_1_PI;

use sunfleck_constants::bsdf::{PRINCIPLED_LEAST_IOR, SHEEN_WEIGHT};
use sunfleck_math::{Vec2, Vec3};
use sunfleck_sampling::warp;

use super::clearcoat::Clearcoat;
use super::facet::{Facet, VisibleFacet};
use super::fresnel;
use super::microfacets::{Microfacets, to_upper_side};
use super::{BsdfContext, BsdfSample, Lobes, TransportMode};
use crate::luminance;

/// Diffuse base, sheen, microfacets that are between metallic and dielectric and may transmit light, and a clear coating
/// [Burley12; transmission and flatness: Burley15], in the form of Mitsuba's `principled` [Jakob22, principled].
///
/// The lobes are added without regard to the energy of the others: sheen and coating reflect light in addition, and light
/// that would meet more than one facet is lost. Surfaces that transmit light have an inside (z < 0), where there is only
/// the dielectric. In contrast to Mitsuba, others scatter in the same way on both sides.
///
/// In contrast to the other models, its functions are not inlined, and take copies: a part of the code of every
/// integrator would be theirs, on each SIMD level, and bsdfs whose address is passed on stay in memory.
#[derive(Clone, Copy, Debug)]
pub struct Principled {
    base: Vec3,
    ior: f32,
    flatness: f32,
    microfacets: Microfacets,
    coat: Clearcoat,
    /// Share of the diffuse base.
    diffuse: f32,
    /// Weight with which the diffuse base is sampled together with the sheen.
    diffuse_weight: f32,
    /// Share of the light that enters facets and is transmitted.
    transmitted: f32,
    /// Colour of the sheen.
    sheen: Vec3,
    /// Share of the facets whose reflectance is Schlick's approximation, and that times their reflectance at normal
    /// incidence. The others have the reflectance of a dielectric.
    tinted: f32,
    tinted_f0: Vec3,
}

/// Parameters of [`Principled`] beside the base colour; each but the index of refraction in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipledParameters {
    /// Share of the metal.
    pub metallic: f32,
    /// Perceptual roughness of the microfacets and of the base.
    pub roughness: f32,
    /// Anisotropy of the microfacets: α along the x axis is `1 / (1 - 0.9 anisotropy)` times that along the y axis.
    pub anisotropy: f32,
    /// Share of the light that the dielectric transmits instead of the diffuse base.
    pub transmission: f32,
    /// Index of refraction of the dielectric, ≥ 1.
    pub ior: f32,
    /// Tint of the dielectric's reflection by the base colour.
    pub specular_tint: f32,
    /// Strength of the sheen.
    pub sheen: f32,
    /// Tint of the sheen by the base colour.
    pub sheen_tint: f32,
    /// Approximate subsurface scattering of the diffuse base.
    pub flatness: f32,
    /// Strength of the coating.
    pub clearcoat: f32,
    /// Gloss of the coating.
    pub clearcoat_gloss: f32,
}

/// Weights with which the requested lobes are sampled on one side.
#[derive(Clone, Copy)]
struct Weights {
    diffuse: f32,
    coat: f32,
    facets: f32,
    /// Whether reflection and transmission by facets are requested.
    reflects: bool,
    transmits: bool,
    /// Whether the diffuse lobe, with the sheen, and the coating are requested.
    has_diffuse: bool,
    has_coat: bool,
    /// Whether `wo` is outside.
    is_front: bool,
}

impl Principled {
    /// Returns the bsdf of a surface point.
    ///
    /// * `base` — base colour, components in [0, 1].
    #[inline(never)]
    pub fn new(base: Vec3, parameters: &PrincipledParameters) -> Self {
        let &PrincipledParameters { metallic, roughness, specular_tint, .. } = parameters;
        let ior = parameters.ior.max(PRINCIPLED_LEAST_IOR);
        // Difference of the two α over their sum, where their ratio is 1 - 0.9 anisotropy [Burley12, §5.4]
        let stretch = 0.9 * parameters.anisotropy;
        let microfacets = Microfacets::anisotropic(roughness, stretch / (2.0 - stretch), false);
        let dielectric = 1.0 - metallic;
        let (diffuse, sheen) = (dielectric * (1.0 - parameters.transmission), dielectric * parameters.sheen);
        let luminance = luminance(base);
        let tint = if luminance > 0.0 { base / luminance } else { Vec3::ONE };
        let root = (ior - 1.0) / (ior + 1.0);
        Self {
            base,
            ior,
            flatness: parameters.flatness,
            microfacets,
            coat: Clearcoat::new(parameters.clearcoat, parameters.clearcoat_gloss),
            diffuse,
            diffuse_weight: diffuse.max(SHEEN_WEIGHT * sheen),
            transmitted: dielectric * parameters.transmission,
            sheen: Vec3::ONE.lerp(tint, parameters.sheen_tint) * sheen,
            tinted: dielectric.mul_add(specular_tint, metallic),
            tinted_f0: base * metallic + tint * (dielectric * specular_tint * root * root),
        }
    }

    /// Returns the base colour.
    #[inline]
    pub(super) fn albedo(&self) -> Vec3 {
        self.base
    }

    /// Returns the α of the facets.
    pub(super) fn alpha(&self) -> f32 {
        self.microfacets.alpha()
    }

    /// Approximates [`super::Bsdf::reflectance`], together with the transmitted light, by that of a smooth surface.
    #[inline(never)]
    pub(super) fn reflectance(self, mu: f32) -> Vec3 {
        let dielectric = fresnel::dielectric(mu.min(1.0), self.ior).reflectance;
        let transmitted = self.transmittance() * (self.transmitted * (1.0 - dielectric));
        (self.facet_reflectance(mu, dielectric) + self.base * self.diffuse + transmitted).min(Vec3::ONE)
    }

    /// Returns the lobes, see [`super::Bsdf::lobes`].
    #[inline]
    pub(super) fn lobes(&self) -> Lobes {
        let mut lobes = self.microfacets.reflection_lobe() | Lobes::DIFFUSE_REFLECTION;
        if self.coat.strength() > 0.0 {
            lobes = lobes | Lobes::SPECULAR_REFLECTION;
        }
        if self.transmitted > 0.0 {
            lobes = lobes | Lobes::SPECULAR_TRANSMISSION;
        }
        lobes
    }

    /// Evaluates [`super::Bsdf::eval`].
    #[inline(never)]
    pub(super) fn eval(self, context: BsdfContext, wo: Vec3, wi: Vec3) -> Vec3 {
        let weights = self.weights(context, wo.z);
        match Facet::between(wo, wi, self.eta(weights.is_front)) {
            Some(facet) => self.eval_facet(&weights, context.mode, &facet),
            None => Vec3::ZERO,
        }
    }

    /// Evaluates [`super::Bsdf::pdf_solid_angle`].
    #[inline(never)]
    pub(super) fn pdf_solid_angle(self, context: BsdfContext, wo: Vec3, wi: Vec3) -> f32 {
        let weights = self.weights(context, wo.z);
        match Facet::between(wo, wi, self.eta(weights.is_front)) {
            Some(facet) => self.pdf_facet(&weights, &facet),
            None => 0.0,
        }
    }

    /// Samples a direction, see [`super::Bsdf::sample`].
    #[inline(never)]
    pub(super) fn sample(self, context: BsdfContext, wo: Vec3, lobe_u: f32, u: Vec2) -> Option<BsdfSample> {
        let (side, weights) = (wo.z, self.weights(context, wo.z));
        let (wo, total, eta) = (to_upper_side(wo, side), weights.total(), self.eta(weights.is_front));
        if !(wo.z > 0.0 && total > 0.0) {
            return None;
        }
        let chosen = lobe_u * total;
        let (facet, lobe) = if chosen < weights.diffuse {
            (Facet::between(wo, warp::cosine_hemisphere(u), eta)?, Lobes::DIFFUSE_REFLECTION)
        } else if chosen < weights.diffuse + weights.coat {
            let h = self.coat.sample_normal(u);
            (VisibleFacet::new(wo, h, eta).scattered(true)?, Lobes::SPECULAR_REFLECTION)
        } else {
            let visible = VisibleFacet::new(wo, self.microfacets.sample_visible(wo, u), eta);
            let rest = chosen - weights.diffuse - weights.coat;
            let reflects = weights.facets * self.probability_of_reflection(&weights, visible.reflectance());
            let is_reflected = rest < reflects;
            let lobe =
                if is_reflected { self.microfacets.reflection_lobe() } else { Lobes::SPECULAR_TRANSMISSION };
            (visible.scattered(is_reflected)?, lobe)
        };
        let pdf_solid_angle = self.pdf_facet(&weights, &facet);
        if !(pdf_solid_angle > 0.0 && pdf_solid_angle.is_finite()) {
            return None;
        }
        Some(BsdfSample {
            wi: to_upper_side(facet.wi, side),
            throughput: self.eval_facet(&weights, context.mode, &facet) / pdf_solid_angle,
            pdf_solid_angle,
            lobe,
            eta: if facet.is_reflection() { 1.0 } else { eta },
        })
    }

    /// Returns the index of refraction on the far side divided by that on the viewer's side.
    #[inline]
    fn eta(&self, is_front: bool) -> f32 {
        if is_front { self.ior } else { 1.0 / self.ior }
    }

    /// Returns the colour of transmitted light, the root of the base colour, since light passes two interfaces [Burley15].
    #[inline]
    fn transmittance(&self) -> Vec3 {
        Vec3::new(self.base.x.sqrt(), self.base.y.sqrt(), self.base.z.sqrt())
    }

    /// Returns the requested lobes on the side of the viewer.
    ///
    /// * `side` — z of the direction to the viewer.
    #[inline]
    fn weights(&self, context: BsdfContext, side: f32) -> Weights {
        let is_front = side > 0.0 || self.transmitted <= 0.0;
        let reflects = context.lobes.contains(self.microfacets.reflection_lobe());
        let transmits = self.transmitted > 0.0 && context.lobes.contains(Lobes::SPECULAR_TRANSMISSION);
        let has_diffuse = is_front && context.lobes.contains(Lobes::DIFFUSE_REFLECTION);
        let has_coat = is_front && context.lobes.contains(Lobes::SPECULAR_REFLECTION);
        Weights {
            diffuse: if has_diffuse { self.diffuse_weight } else { 0.0 },
            coat: if has_coat { self.coat.strength() } else { 0.0 },
            facets: match (reflects, transmits) {
                (false, false) => 0.0,
                (false, true) if is_front => self.transmitted,
                _ => 1.0,
            },
            reflects,
            transmits,
            has_diffuse,
            has_coat,
            is_front,
        }
    }

    /// Returns the probability with which a facet reflects if the facets are sampled.
    ///
    /// * `reflectance` — that of the dielectric.
    #[inline]
    fn probability_of_reflection(&self, weights: &Weights, reflectance: f32) -> f32 {
        match (weights.reflects, weights.transmits) {
            (true, true) if weights.is_front => 1.0 - self.transmitted * (1.0 - reflectance),
            (true, true) => reflectance,
            (true, false) => 1.0,
            (false, _) => 0.0,
        }
    }

    /// Returns the reflectance of facets from outside.
    ///
    /// * `dielectric` — that of the dielectric.
    #[inline]
    fn facet_reflectance(&self, cos: f32, dielectric: f32) -> Vec3 {
        let grazing = fresnel::fifth_power(cos);
        let untinted = (1.0 - self.tinted).mul_add(dielectric, self.tinted * grazing);
        Vec3::splat(untinted) + self.tinted_f0 * (1.0 - grazing)
    }

    /// Evaluates the requested lobes, with the cosine.
    #[inline]
    fn eval_facet(&self, weights: &Weights, mode: TransportMode, facet: &Facet) -> Vec3 {
        let &Facet { wo, wi, h, cos, reflectance, .. } = facet;
        let mut value = Vec3::ZERO;
        if !facet.is_reflection() {
            if weights.transmits {
                let facets = facet.transmission(self.microfacets, mode);
                value = self.transmittance() * (self.transmitted * (1.0 - reflectance) * facets);
            }
            return value;
        }
        if weights.reflects {
            let reflected = if weights.is_front {
                self.facet_reflectance(cos, reflectance)
            } else {
                Vec3::splat(self.transmitted * reflectance)
            };
            value = reflected * self.microfacets.reflection(wo, wi, h);
        }
        if weights.has_coat && self.coat.strength() > 0.0 {
            value += self.coat.eval(facet);
        }
        if weights.has_diffuse {
            value += self.diffuse_and_sheen(wo, wi, cos);
        }
        value * wi.z
    }

    /// Evaluates the diffuse base with retroreflection and flatness [Burley15], and the sheen
    /// [Burley12, §5.3].
    ///
    /// * `cos` — cosine between either direction and their half vector.
    #[inline]
    fn diffuse_and_sheen(&self, wo: Vec3, wi: Vec3, cos: f32) -> Vec3 {
        let (at_o, at_i) = (fresnel::fifth_power(wo.z), fresnel::fifth_power(wi.z));
        let retro = 2.0 * self.microfacets.roughness() * cos * cos;
        let lambert = 0.5f32.mul_add(-at_o, 1.0) * 0.5f32.mul_add(-at_i, 1.0);
        let mut shape = lambert + retro * (at_o + at_i + at_o * at_i * (retro - 1.0));
        if self.flatness > 0.0 {
            let loss = 0.5f32.mul_add(retro, -1.0);
            let scattered = at_o.mul_add(loss, 1.0) * at_i.mul_add(loss, 1.0);
            let flat = 1.25f32 * scattered.mul_add(1.0 / (wo.z + wi.z) - 0.5, 0.5);
            shape += self.flatness * (flat - shape);
        }
        self.base * (self.diffuse * FRAC_1_PI * shape) + self.sheen * fresnel::fifth_power(cos)
    }

    /// Returns the density of sampling the requested lobes.
    #[inline]
    fn pdf_facet(&self, weights: &Weights, facet: &Facet) -> f32 {
        let total = weights.total();
        if total <= 0.0 {
            return 0.0;
        }
        let reflects = self.probability_of_reflection(weights, facet.reflectance);
        let is_reflection = facet.is_reflection();
        let chosen = weights.facets * if is_reflection { reflects } else { 1.0 - reflects };
        let mut normals = 0.0;
        if chosen > 0.0 {
            normals = chosen * self.microfacets.pdf_visible(facet.wo, facet.h, facet.cos);
        }
        if !is_reflection {
            return normals * facet.refracted_density() / total;
        }
        if weights.coat > 0.0 {
            normals += weights.coat * self.coat.pdf_normal(facet.h);
        }
        let diffuse = weights.diffuse * (facet.wi.z * FRAC_1_PI);
        normals.mul_add(facet.normal_density(), diffuse) / total
    }
}

impl Weights {
    #[inline]
    fn total(&self) -> f32 {
        self.diffuse + self.coat + self.facets
    }
}
