//! The GGX distribution of microfacet normals, with visible normal sampling.

use sunfleck_constants::bsdf::ALPHA_MIN;
use sunfleck_math::{Vec2, Vec3, sin_cos};

use super::Lobes;

/// Isotropic GGX [Walter07, Eq. 33] with height-correlated Smith shadowing [Heitz14, Eq. 99].
///
/// All directions are unit vectors in the local frame on the upper side (z > 0), pointing away from the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ggx {
    alpha: f32,
}

impl Ggx {
    /// Returns the distribution for glTF's perceptual roughness, whose square is α. α is clamped to at least 1e-3,
    /// below which f32 directions become too coarse for the lobe.
    #[inline(always)]
    pub(super) fn from_roughness(roughness: f32) -> Self {
        Self { alpha: (roughness * roughness).clamp(ALPHA_MIN, 1.0) }
    }

    #[inline(always)]
    pub(super) fn alpha(self) -> f32 {
        self.alpha
    }

    /// Returns whether the lobe is so narrow that it counts as specular, see [`Lobes`].
    #[inline(always)]
    pub(super) fn is_narrow(self) -> bool {
        const ROUGHNESS: f32 = Lobes::SPECULAR_ROUGHNESS;
        self.alpha < ROUGHNESS * ROUGHNESS
    }

    /// Returns the density of microfacet normals at the unit vector `h`.
    ///
    /// It is computed from the sine of `h`, which keeps its precision where the cosine is nearly 1.
    #[inline(always)]
    pub(super) fn distribution(self, h: Vec3) -> f32 {
        let alpha2 = self.alpha * self.alpha;
        let t = (h.x * h.x + h.y * h.y) / alpha2 + h.z * h.z;
        1.0 / (std::f32::consts::PI * alpha2 * t * t)
    }

    /// Returns `D(h) G₂(wo, wi) / (4 cos(wo) cos(wi))` at the half vector `h`: the bsdf of perfectly
    /// reflecting facets.
    #[inline(always)]
    pub(super) fn reflection(self, wo: Vec3, wi: Vec3, h: Vec3) -> f32 {
        let alpha2 = self.alpha * self.alpha;
        // G₂ / (4 cos cos) [Heitz14, Eq. 99], with the cosines multiplied in
        let visibility = 0.5 / (wi.z * smith_root(alpha2, wo.z) + wo.z * smith_root(alpha2, wi.z));
        self.distribution(h) * visibility
    }

    /// Samples a facet that is visible from `wo`, and returns `wo` reflected at it, which has the density
    /// [`Ggx::pdf_reflected`] and may be below the horizon. Facet normals are sampled from a bounded spherical cap
    /// [Eto23, Listing 1].
    #[inline(always)]
    pub(super) fn sample_reflected(self, wo: Vec3, u: Vec2) -> Vec3 {
        let stretched = Vec3::new(wo.x * self.alpha, wo.y * self.alpha, wo.z).normalize_or(Vec3::Z);
        let bottom = self.bound(wo) * stretched.z;
        let z = (1.0 - u.y).mul_add(1.0 + bottom, -bottom);
        let radius = (1.0 - z * z).max(0.0).sqrt();
        let (sin, cos) = sin_cos(std::f32::consts::TAU * u.x);
        let h = stretched + Vec3::new(radius * cos, radius * sin, z);
        let h = Vec3::new(h.x * self.alpha, h.y * self.alpha, h.z).normalize_or(Vec3::Z);
        h * (2.0 * wo.dot(h)) - wo
    }

    /// Returns the density of [`Ggx::sample_reflected`] at the direction whose half vector with `wo` is `h`, per solid
    /// angle [Eto23, Listing 1].
    #[inline(always)]
    pub(super) fn pdf_reflected(self, wo: Vec3, h: Vec3) -> f32 {
        let sin2 = wo.x * wo.x + wo.y * wo.y;
        let length = (self.alpha * self.alpha).mul_add(sin2, wo.z * wo.z).sqrt();
        self.distribution(h) / (2.0 * self.bound(wo).mul_add(wo.z, length))
    }

    /// Returns the lower bound of the spherical cap, as a fraction of the unbounded one [Eto23, Eq. 5]: it excludes
    /// most facets that reflect light below the horizon.
    #[inline(always)]
    fn bound(self, wo: Vec3) -> f32 {
        let s = 1.0 + (wo.x * wo.x + wo.y * wo.y).sqrt();
        let (a2, s2) = (self.alpha * self.alpha, s * s);
        (1.0 - a2) * s2 / a2.mul_add(wo.z * wo.z, s2)
    }
}

/// Returns `√(α² + (1 - α²) z²)`, the square root in Smith's masking function at the cosine `z`.
#[inline(always)]
fn smith_root(alpha2: f32, z: f32) -> f32 {
    (1.0 - alpha2).mul_add(z * z, alpha2).sqrt()
}
