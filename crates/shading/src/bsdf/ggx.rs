//! The GGX distribution of microfacet normals, with visible normal sampling.

use sunfleck_constants::bsdf::ALPHA_MIN;
use sunfleck_math::{Vec2, Vec3, sin_cos};

use super::Lobes;

/// GGX [Walter07, Eq. 33; anisotropic: Burley12, appendix B] with height-correlated Smith shadowing [Heitz14, Eq. 99].
///
/// All directions are unit vectors in the local frame on the upper side (z > 0), pointing away from the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ggx {
    /// α along the x axis.
    alpha_x: f32,
    /// α along the y axis.
    alpha_y: f32,
}

impl Ggx {
    /// Returns the distribution for glTF's perceptual roughness, whose square is α. α is clamped to at least 1e-3,
    /// below which f32 directions become too coarse for the lobe.
    #[inline(always)]
    pub(super) fn from_roughness(roughness: f32) -> Self {
        let alpha = (roughness * roughness).clamp(ALPHA_MIN, 1.0);
        Self { alpha_x: alpha, alpha_y: alpha }
    }

    /// Returns the distribution with an α, at least 1e-3, along each axis.
    #[inline(always)]
    pub(super) fn from_alphas(alpha_x: f32, alpha_y: f32) -> Self {
        Self { alpha_x: alpha_x.max(ALPHA_MIN), alpha_y: alpha_y.max(ALPHA_MIN) }
    }

    /// Returns α; of an anisotropic distribution, the geometric mean.
    #[inline(always)]
    pub(super) fn alpha(self) -> f32 {
        if self.alpha_x == self.alpha_y { self.alpha_x } else { (self.alpha_x * self.alpha_y).sqrt() }
    }

    /// Returns whether the lobe is so narrow that it counts as specular, see [`Lobes`].
    #[inline(always)]
    pub(super) fn is_narrow(self) -> bool {
        const ROUGHNESS: f32 = Lobes::SPECULAR_ROUGHNESS;
        self.alpha() < ROUGHNESS * ROUGHNESS
    }

    /// Returns the density of microfacet normals at the unit vector `h`.
    ///
    /// It is computed from the sine of `h`, which keeps its precision where the cosine is nearly 1.
    #[inline(always)]
    pub(super) fn distribution(self, h: Vec3) -> f32 {
        let t = self.sin2_over_alpha2(h) + h.z * h.z;
        1.0 / (std::f32::consts::PI * self.alpha_product() * t * t)
    }

    /// Returns the product of the α along the two axes.
    #[inline(always)]
    pub(super) fn alpha_product(self) -> f32 {
        self.alpha_x * self.alpha_y
    }

    /// Returns the squared sine of `h` with its components divided by the α of each axis.
    #[inline(always)]
    pub(super) fn sin2_over_alpha2(self, h: Vec3) -> f32 {
        let (x, y) = (h.x / self.alpha_x, h.y / self.alpha_y);
        x * x + y * y
    }

    /// Returns the squared sine of `v` with its components multiplied by the α of each axis.
    #[inline(always)]
    pub(super) fn scaled_sin2(self, v: Vec3) -> f32 {
        let (x, y) = (v.x * self.alpha_x, v.y * self.alpha_y);
        x * x + y * y
    }

    /// Returns `cos √(1 + α² tan²)` of a direction, the square root in Smith's masking function times the cosine.
    #[inline(always)]
    fn smith_root(self, v: Vec3) -> f32 {
        (v.z * v.z + self.scaled_sin2(v)).sqrt()
    }

    /// Returns Smith's masking function divided by the cosine, `G₁(v) / cos(v)` [Walter07, Eq. 34].
    #[inline(always)]
    pub(super) fn masking_over_cos(self, v: Vec3) -> f32 {
        2.0 / (v.z + self.smith_root(v))
    }

    /// Returns `D(h) G₂(wo, wi) / (4 cos(wo) cos(wi))` at the half vector `h`: the bsdf of perfectly
    /// reflecting facets.
    #[inline(always)]
    pub(super) fn reflection(self, wo: Vec3, wi: Vec3, h: Vec3) -> f32 {
        // G₂ / (4 cos cos) [Heitz14, Eq. 99], with the cosines multiplied in
        let visibility = 0.5 / (wi.z * self.smith_root(wo) + wo.z * self.smith_root(wi));
        self.distribution(h) * visibility
    }

    /// Samples a facet that is visible from `wo`, and returns `wo` reflected at it, which has the density
    /// [`Ggx::pdf_reflected`] and may be below the horizon. Facet normals are sampled from a bounded spherical cap
    /// [Eto23, Listing 1].
    #[inline(always)]
    pub(super) fn sample_reflected(self, wo: Vec3, u: Vec2) -> Vec3 {
        let h = self.sample_normal(wo, u, self.bound(wo));
        h * (2.0 * wo.dot(h)) - wo
    }

    /// Samples the normal of a facet that is visible from `wo`, with the density [`Ggx::pdf_visible`] [Dupuy23].
    #[inline(always)]
    pub(super) fn sample_visible(self, wo: Vec3, u: Vec2) -> Vec3 {
        self.sample_normal(wo, u, 1.0)
    }

    /// Returns the density of [`Ggx::sample_visible`]: `G₁(wo) D(h) (wo · h) / cos(wo)` [Heitz14, Eq. 16].
    ///
    /// * `cos` — cosine between `wo` and `h`.
    #[inline(always)]
    pub(super) fn pdf_visible(self, wo: Vec3, h: Vec3, cos: f32) -> f32 {
        2.0 * self.distribution(h) * cos.max(0.0) / (wo.z + self.smith_root(wo))
    }

    /// Samples the normal of a visible facet from a spherical cap that ends at `bound` times its lowest point.
    #[inline(always)]
    fn sample_normal(self, wo: Vec3, u: Vec2, bound: f32) -> Vec3 {
        let stretched = Vec3::new(wo.x * self.alpha_x, wo.y * self.alpha_y, wo.z).normalize_or(Vec3::Z);
        let bottom = bound * stretched.z;
        let z = (1.0 - u.y).mul_add(1.0 + bottom, -bottom);
        let radius = (1.0 - z * z).max(0.0).sqrt();
        let (sin, cos) = sin_cos(std::f32::consts::TAU * u.x);
        let h = stretched + Vec3::new(radius * cos, radius * sin, z);
        Vec3::new(h.x * self.alpha_x, h.y * self.alpha_y, h.z).normalize_or(Vec3::Z)
    }

    /// Returns the density of [`Ggx::sample_reflected`] at the direction whose half vector with `wo` is `h`, per solid
    /// angle [Eto23, Listing 1].
    #[inline(always)]
    pub(super) fn pdf_reflected(self, wo: Vec3, h: Vec3) -> f32 {
        self.distribution(h) / (2.0 * self.bound(wo).mul_add(wo.z, self.smith_root(wo)))
    }

    /// Returns the lower bound of the spherical cap, as a fraction of the unbounded one [Eto23, Eq. 5]: it excludes
    /// most facets that reflect light below the horizon.
    #[inline(always)]
    fn bound(self, wo: Vec3) -> f32 {
        let s = 1.0 + (wo.x * wo.x + wo.y * wo.y).sqrt();
        let least = self.alpha_x.min(self.alpha_y).min(1.0);
        let (a2, s2) = (least * least, s * s);
        (1.0 - a2) * s2 / a2.mul_add(wo.z * wo.z, s2)
    }
}
