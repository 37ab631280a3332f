//! Rough diffuse reflection: the energy-preserving form of Oren and Nayar's model [Portsmouth25, EON].
//!
//! The model describes diffuse microfacets [Oren94, qualitative model] in Fujii's form [Fujii12, improved model]. In
//! contrast to those, light that is scattered between facets is returned, so that a white surface reflects all light at
//! any roughness. The albedo is the polynomial approximation of [Portsmouth25, EON], not the exact integral.

use std::f32::consts::FRAC_1_PI;

use sunfleck_constants::bsdf::{A_SLOPE, AVERAGE_SLOPE, LEAST_DIVISOR};
use sunfleck_math::{Vec2, Vec3};

use super::{BsdfContext, BsdfSample, Lambert, Lobes};

/// Rough diffuse reflection, which is [`Lambert`] reflection at roughness 0.
#[derive(Clone, Copy, Debug)]
pub struct OrenNayar {
    /// Albedo, components in [0, 1].
    pub albedo: Vec3,
    /// Roughness, in [0, 1].
    pub roughness: f32,
}

impl OrenNayar {
    /// Evaluates [`super::Bsdf::eval`].
    #[inline(always)]
    pub(super) fn eval(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> Vec3 {
        if !(context.lobes.contains(Lobes::DIFFUSE_REFLECTION) && wo.z * wi.z > 0.0) {
            return Vec3::ZERO;
        }
        let Self { albedo, roughness } = *self;
        let (out, into) = (wo.z.abs(), wi.z.abs());
        let a = 1.0 / A_SLOPE.mul_add(roughness, 1.0);
        let s = wo.x * wi.x + wo.y * wi.y;
        let s_over_t = if s > 0.0 { s / out.max(into) } else { s };
        let single = albedo * (a * roughness.mul_add(s_over_t, 1.0));

        // Return the light that is scattered between facets [Portsmouth25, EON]
        let average = a * AVERAGE_SLOPE.mul_add(roughness, 1.0);
        let lost = |cos| (1.0 - self.directional_albedo(cos, a)).max(LEAST_DIVISOR);
        let color = albedo * albedo * average / (Vec3::ONE - albedo * (1.0 - average));
        let multiple = color * (lost(out) * lost(into) / (1.0 - average).max(LEAST_DIVISOR));
        (single + multiple) * (into * FRAC_1_PI)
    }

    /// Evaluates [`super::Bsdf::pdf_solid_angle`]: cosine-weighted, as for [`Lambert`]. The weights of samples are
    /// unbounded near grazing angles, where retroreflection grows as `1 / max(cos θi, cos θo)`.
    #[inline(always)]
    pub(super) fn pdf_solid_angle(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> f32 {
        Lambert { albedo: self.albedo }.pdf_solid_angle(context, wo, wi)
    }

    /// Samples a direction, see [`super::Bsdf::sample`].
    #[inline(always)]
    pub(super) fn sample(&self, context: BsdfContext, wo: Vec3, u: Vec2) -> Option<BsdfSample> {
        let sample = Lambert { albedo: self.albedo }.sample(context, wo, u)?;
        Some(BsdfSample { throughput: self.eval(context, wo, sample.wi) / sample.pdf_solid_angle, ..sample })
    }

    /// Returns the directional albedo of single scattering for a white surface: a polynomial in `1 - cos`
    /// [Portsmouth25, EON].
    #[inline(always)]
    fn directional_albedo(&self, cos: f32, a: f32) -> f32 {
        let c = 1.0 - cos;
        let g = c * c.mul_add(c.mul_add(c.mul_add(0.071_443, -0.332_181_44), 0.491_881_87), 0.057_108_53);
        self.roughness.mul_add(g, 1.0) * a
    }
}
