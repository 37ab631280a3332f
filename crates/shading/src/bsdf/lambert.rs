//! Ideal diffuse reflection: the same radiance in every direction.

use std::f32::consts::FRAC_1_PI;

use sunfleck_math::{Vec2, Vec3};
use sunfleck_sampling::warp;

use super::{BsdfContext, BsdfSample, Lobes};

/// Ideal diffuse reflection of the fraction `albedo` of the light, on the side from which it arrives.
#[derive(Clone, Copy, Debug)]
pub struct Lambert {
    /// Reflectance, components in [0, 1].
    pub albedo: Vec3,
}

impl Lambert {
    /// Evaluates [`super::Bsdf::eval`].
    #[inline(always)]
    pub(super) fn eval(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> Vec3 {
        self.albedo * self.pdf_solid_angle(context, wo, wi)
    }

    /// Evaluates [`super::Bsdf::pdf_solid_angle`].
    #[inline(always)]
    pub(super) fn pdf_solid_angle(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> f32 {
        let is_active = context.lobes.contains(Lobes::DIFFUSE_REFLECTION);
        if is_active && wo.z * wi.z > 0.0 { wi.z.abs() * FRAC_1_PI } else { 0.0 }
    }

    /// Samples a direction, see [`super::Bsdf::sample`].
    #[inline(always)]
    pub(super) fn sample(&self, context: BsdfContext, wo: Vec3, u: Vec2) -> Option<BsdfSample> {
        let up = warp::cosine_hemisphere(u);
        let wi = if wo.z < 0.0 { Vec3::new(up.x, up.y, -up.z) } else { up };
        let pdf_solid_angle = self.pdf_solid_angle(context, wo, wi);
        (pdf_solid_angle > 0.0).then_some(BsdfSample {
            wi,
            throughput: self.albedo,
            pdf_solid_angle,
            lobe: Lobes::DIFFUSE_REFLECTION,
            eta: 1.0,
        })
    }
}
