//! Microfacets with a choice of distribution, and with the separable masking and shadowing of Mitsuba's models.

use std::f32::consts::PI;

use sunfleck_math::{Vec2, Vec3, exp};

use super::Lobes;
use super::ggx::Ggx;

/// Microfacets: GGX or Beckmann's distribution of normals with the shadowing `G₁(wo) G₁(wi)` [Walter07, Eq. 23;
/// anisotropic: Heitz14, §5.4]. Facets of roughness 0 are a smooth surface.
///
/// Normals of both distributions are sampled from the visible ones of GGX. Beckmann's have the same peak and shorter
/// tails: at `tan² = t α²` they are `exp(-t) (1 + t)²` times as dense, at most 4/e times, so that weights of samples
/// stay small.
///
/// All directions are unit vectors on the upper side (z > 0), pointing away from the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Microfacets {
    ggx: Ggx,
    roughness: f32,
    anisotropy: f32,
    is_beckmann: bool,
}

impl Microfacets {
    /// Returns the facets of a perceptual roughness in [0, 1], whose square is α; α above 0 is at least 1e-3.
    #[inline(always)]
    pub fn new(roughness: f32, is_beckmann: bool) -> Self {
        Self { ggx: Ggx::from_roughness(roughness), roughness, anisotropy: 0.0, is_beckmann }
    }

    /// Returns facets whose α along the x axis and along the y axis of the shading frame differ.
    ///
    /// * `roughness` — in [0, 1]; its square is the geometric mean of the two.
    /// * `anisotropy` — difference of the two divided by their sum, in (-1, 1).
    #[inline(always)]
    pub fn anisotropic(roughness: f32, anisotropy: f32, is_beckmann: bool) -> Self {
        if anisotropy == 0.0 {
            return Self::new(roughness, is_beckmann);
        }
        let (mean, ratio) = (roughness * roughness, ((1.0 + anisotropy) / (1.0 - anisotropy)).sqrt());
        Self { ggx: Ggx::from_alphas(mean * ratio, mean / ratio), roughness, anisotropy, is_beckmann }
    }

    /// Returns whether the surface is smooth, so that the lobes are delta lobes; the functions for directions are then
    /// of no use.
    #[inline(always)]
    pub fn is_smooth(self) -> bool {
        self.roughness <= 0.0
    }

    /// Returns the perceptual roughness.
    #[inline(always)]
    pub fn roughness(self) -> f32 {
        self.roughness
    }

    /// Returns the anisotropy, see [`anisotropic`](Self::anisotropic).
    #[inline(always)]
    pub fn anisotropy(self) -> f32 {
        self.anisotropy
    }

    /// Returns whether the distribution is Beckmann's.
    #[inline(always)]
    pub fn is_beckmann(self) -> bool {
        self.is_beckmann
    }

    #[inline(always)]
    pub(super) fn alpha(self) -> f32 {
        self.ggx.alpha()
    }

    /// Returns the kind of the reflection lobe, by its roughness.
    #[inline(always)]
    pub fn reflection_lobe(self) -> Lobes {
        if self.ggx.is_narrow() { Lobes::SPECULAR_REFLECTION } else { Lobes::GLOSSY_REFLECTION }
    }

    /// Returns the density of facet normals at the unit vector `h`.
    #[inline(always)]
    pub(super) fn distribution(self, h: Vec3) -> f32 {
        if !self.is_beckmann {
            return self.ggx.distribution(h);
        }
        // [Walter07, Eq. 25]
        let cos2 = h.z * h.z;
        let density = self.ggx.alpha_product() * cos2 * cos2;
        exp(-self.ggx.sin2_over_alpha2(h) / cos2) / (PI * density).max(f32::MIN_POSITIVE)
    }

    /// Returns Smith's masking function divided by the cosine, `G₁(v) / cos(v)` [Walter07, Eq. 34 for GGX, Eq. 27 for
    /// Beckmann's distribution].
    #[inline(always)]
    pub(super) fn masking_over_cos(self, v: Vec3) -> f32 {
        if !self.is_beckmann {
            return self.ggx.masking_over_cos(v);
        }
        let sin = self.ggx.scaled_sin2(v).sqrt();
        if v.z >= 1.6 * sin {
            return 1.0 / v.z;
        }
        let a = v.z / sin;
        2.181f32.mul_add(a, 3.535) / (a.mul_add(2.577f32.mul_add(a, 2.276), 1.0) * sin)
    }

    /// Returns `D(h) G₁(wo) G₁(wi) / (4 cos(wo) cos(wi))` at the half vector `h`: the bsdf of facets that reflect all
    /// light.
    #[inline(always)]
    pub(super) fn reflection(self, wo: Vec3, wi: Vec3, h: Vec3) -> f32 {
        0.25 * self.distribution(h) * (self.masking_over_cos(wo) * self.masking_over_cos(wi))
    }

    /// Samples a facet that is visible from `wo`, and returns `wo` reflected at it, see [`Ggx::sample_reflected`].
    #[inline(always)]
    pub(super) fn sample_reflected(self, wo: Vec3, u: Vec2) -> Vec3 {
        self.ggx.sample_reflected(wo, u)
    }

    /// Returns the density of [`sample_reflected`](Self::sample_reflected) at the direction whose half vector with `wo`
    /// is `h`, per solid angle.
    #[inline(always)]
    pub(super) fn pdf_reflected(self, wo: Vec3, h: Vec3) -> f32 {
        self.ggx.pdf_reflected(wo, h)
    }

    /// Samples the normal of a facet that is visible from `wo`.
    #[inline(always)]
    pub(super) fn sample_visible(self, wo: Vec3, u: Vec2) -> Vec3 {
        self.ggx.sample_visible(wo, u)
    }

    /// Returns the density of [`sample_visible`](Self::sample_visible) at the unit vector `h`.
    ///
    /// * `cos` — cosine between `wo` and `h`.
    #[inline(always)]
    pub(super) fn pdf_visible(self, wo: Vec3, h: Vec3, cos: f32) -> f32 {
        self.ggx.pdf_visible(wo, h, cos)
    }
}

/// Mirrors a direction to the upper side if `side` is negative; applied twice, it is the identity.
#[inline(always)]
pub(super) fn to_upper_side(direction: Vec3, side: f32) -> Vec3 {
    if side < 0.0 { Vec3::new(direction.x, direction.y, -direction.z) } else { direction }
}

/// Returns the unit vector halfway between two directions on the upper side.
#[inline(always)]
pub(super) fn half_vector(wo: Vec3, wi: Vec3) -> Vec3 {
    (wo + wi).normalize_or(Vec3::Z)
}
