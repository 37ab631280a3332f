//! The smooth interface between air and a clear medium.

use sunfleck_math::Vec3;

use super::mirror::reflected;
use super::{DeltaLobe, Lobes, TransportMode, fresnel};

/// Reflects and refracts by Fresnel's equations; the front (z > 0) is outside.
#[derive(Clone, Copy, Debug)]
pub struct Dielectric {
    /// Index of refraction inside over outside, > 0.
    pub ior: f32,
    /// Fraction of the transmitted light that passes, components in [0, 1].
    pub tint: Vec3,
}

impl Dielectric {
    /// Reflection, whose throughput is the Fresnel reflectance, and transmission unless all is reflected; neither for a direction in
    /// the surface.
    #[inline(always)]
    pub(super) fn lobes(&self, mode: TransportMode, wo: Vec3) -> [Option<DeltaLobe>; 2] {
        if wo.z == 0.0 {
            return [None, None];
        }
        // Index on the far side over that on the viewer's side
        let eta = if wo.z > 0.0 { self.ior } else { 1.0 / self.ior };
        let interface = fresnel::dielectric(wo.z.abs().min(1.0), eta);
        let reflection = DeltaLobe {
            wi: reflected(wo),
            throughput: Vec3::splat(interface.reflectance),
            lobe: Lobes::SPECULAR_REFLECTION,
            eta: 1.0,
        };
        // Radiance over squared index is what a ray keeps [Veach97, §5.2]
        let transmittance = match mode {
            TransportMode::Radiance => (1.0 - interface.reflectance) / (eta * eta),
            TransportMode::Importance => 1.0 - interface.reflectance,
        };
        let refracted = Vec3::new(-wo.x / eta, -wo.y / eta, -interface.cos_t.copysign(wo.z));
        let transmission = DeltaLobe {
            wi: refracted.normalize_or(-wo),
            throughput: self.tint * transmittance,
            lobe: Lobes::SPECULAR_TRANSMISSION,
            eta,
        };
        [Some(reflection), (interface.reflectance < 1.0).then_some(transmission)]
    }
}
