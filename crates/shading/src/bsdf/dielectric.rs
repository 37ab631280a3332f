//! The smooth interface between air and a clear medium.

use sunfleck_math::Vec3;

use super::mirror::reflected;
use super::{DeltaLobe, Lobe, fresnel};

/// Reflects and refracts by Fresnel's equations; the front (z > 0) is outside.
#[derive(Clone, Copy, Debug)]
pub struct Dielectric {
    /// Index of refraction inside over outside, > 0.
    pub ior: f32,
    /// Fraction of the transmitted light that passes, components in [0, 1].
    pub tint: Vec3,
}

/// Both lobes, each with all of its light.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lobes {
    /// Fraction reflected; the probability of choosing that lobe.
    pub(super) reflectance: f32,
    pub(super) reflection: DeltaLobe,
    /// `None` under total internal reflection.
    pub(super) transmission: Option<DeltaLobe>,
}

impl Dielectric {
    /// Where light goes; `None` for a direction in the surface.
    ///
    /// Transmitted radiance is scaled by the square of the ratio of the indices, as radiance over squared index is what a
    /// ray keeps [Veach97, §5.2]; light carried the other way (importance) would not be.
    #[inline(always)]
    pub(super) fn lobes(&self, wo: Vec3) -> Option<Lobes> {
        if wo.z == 0.0 {
            return None;
        }
        // Index on the far side over that on the viewer's side
        let eta = if wo.z > 0.0 { self.ior } else { 1.0 / self.ior };
        let interface = fresnel::dielectric(wo.z.abs().min(1.0), eta);
        let reflection = DeltaLobe {
            wi: reflected(wo),
            throughput: Vec3::splat(interface.reflectance),
            lobe: Lobe::DeltaReflection,
        };
        let refracted = Vec3::new(-wo.x / eta, -wo.y / eta, -interface.cos_t.copysign(wo.z));
        let transmission = DeltaLobe {
            wi: refracted.normalize_or(-wo),
            throughput: self.tint * ((1.0 - interface.reflectance) / (eta * eta)),
            lobe: Lobe::DeltaTransmission,
        };
        let transmission = if interface.reflectance < 1.0 { Some(transmission) } else { None };
        Some(Lobes { reflectance: interface.reflectance, reflection, transmission })
    }
}
