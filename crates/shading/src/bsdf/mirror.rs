//! Ideal specular reflection on both sides.

use sunfleck_math::Vec3;

use super::{DeltaLobe, Lobes};

/// Specular reflection of the fraction `reflectance` of the light at every angle.
#[derive(Clone, Copy, Debug)]
pub struct Mirror {
    /// Reflectance, components in [0, 1].
    pub reflectance: Vec3,
}

impl Mirror {
    /// Returns the only lobe; `None` if `wo` lies in the tangent plane.
    #[inline(always)]
    pub(super) fn lobe(&self, wo: Vec3) -> Option<DeltaLobe> {
        (wo.z != 0.0).then_some(DeltaLobe {
            wi: reflected(wo),
            throughput: self.reflectance,
            probability: 1.0,
            lobe: Lobes::SPECULAR_REFLECTION,
            eta: 1.0,
        })
    }
}

/// Returns the mirror direction of `wo`: `wo` rotated by 180° about the normal.
#[inline(always)]
pub fn reflected(wo: Vec3) -> Vec3 {
    Vec3::new(-wo.x, -wo.y, wo.z)
}
