//! Smooth interface between air and a clear dielectric medium.

use sunfleck_math::Vec3;

use super::mirror::reflected;
use super::{DeltaLobe, Lobes, TransportMode, fresnel};

/// Specular reflection and transmission by Fresnel's equations; the front (z > 0) is outside.
#[derive(Clone, Copy, Debug)]
pub struct Dielectric {
    /// Index of refraction of the inside divided by that of the outside, > 0.
    pub ior: f32,
    /// Factor of the transmitted light, components in [0, 1].
    pub tint: Vec3,
}

impl Dielectric {
    /// Returns reflection, whose throughput is the Fresnel reflectance, and transmission, unless there is total
    /// internal reflection; neither for a direction in the surface.
    #[inline(always)]
    pub(super) fn lobes(&self, mode: TransportMode, wo: Vec3) -> [Option<DeltaLobe>; 2] {
        if wo.z == 0.0 {
            return [None, None];
        }
        // Index of the far side divided by that of the viewer's side
        let eta = if wo.z > 0.0 { self.ior } else { 1.0 / self.ior };
        let interface = fresnel::dielectric(wo.z.abs().min(1.0), eta);
        let reflection = DeltaLobe {
            wi: reflected(wo),
            throughput: Vec3::splat(interface.reflectance),
            probability: interface.reflectance,
            lobe: Lobes::SPECULAR_REFLECTION,
            eta: 1.0,
        };
        // Radiance divided by the squared index is constant along a ray [Veach97, §5.2]
        let transmittance = match mode {
            TransportMode::Radiance => (1.0 - interface.reflectance) / (eta * eta),
            TransportMode::Importance => 1.0 - interface.reflectance,
        };
        let refracted = Vec3::new(-wo.x / eta, -wo.y / eta, -interface.cos_t.copysign(wo.z));
        let transmission = DeltaLobe {
            wi: refracted.normalize_or(-wo),
            throughput: self.tint * transmittance,
            probability: 1.0 - interface.reflectance,
            lobe: Lobes::SPECULAR_TRANSMISSION,
            eta,
        };
        [Some(reflection), (interface.reflectance < 1.0).then_some(transmission)]
    }
}
