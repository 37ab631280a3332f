//! How surfaces scatter light: one file for each model.
//!
//! Directions are unit vectors in the local shading frame (z = shading normal on the front) and point away from the
//! surface; `wo` goes to the viewer, `wi` to where the light comes from.

mod albedo_table;
#[allow(clippy::approx_constant, reason = "an albedo that happens to be near 1/π")]
mod albedo_table_data;
mod dielectric;
mod fresnel;
mod ggx;
mod grazing_lobe;
mod lambert;
mod metallic_roughness;
mod mirror;
mod packed;

use sunfleck_math::{Vec2, Vec3};

pub use dielectric::Dielectric;
pub use lambert::Lambert;
pub use metallic_roughness::MetallicRoughness;
pub use mirror::Mirror;
pub use packed::packed_albedo_table;

/// Scattering at one surface point.
#[derive(Clone, Copy, Debug)]
pub enum Bsdf {
    /// Ideal diffuse.
    Lambert(Lambert),
    /// glTF's layered GGX.
    MetallicRoughness(MetallicRoughness),
    /// Ideal reflection.
    Mirror(Mirror),
    /// Smooth glass.
    Dielectric(Dielectric),
}

/// A direction chosen by [`Bsdf::sample`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BsdfSample {
    /// The direction.
    pub wi: Vec3,
    /// `f |cos(wi)| / pdf`, with the probability of the lobe.
    pub throughput: Vec3,
    /// Density at `wi` of the whole mixture, sr⁻¹; 0 for a delta lobe.
    pub pdf_solid_angle: f32,
    /// Which part of the mixture it came from.
    pub lobe: Lobe,
}

/// All light that a delta lobe carries, for who follows every lobe instead of choosing one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaLobe {
    /// The only direction.
    pub wi: Vec3,
    /// Radiance towards the viewer over radiance from `wi`.
    pub throughput: Vec3,
    /// Reflection or transmission.
    pub lobe: Lobe,
}

/// A part of a BSDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lobe {
    /// Broad reflection.
    Diffuse,
    /// A highlight.
    Glossy,
    /// One direction, on the viewer's side.
    DeltaReflection,
    /// One direction, on the other side.
    DeltaTransmission,
}

impl Lobe {
    /// Whether it has a single direction, which light sampling never finds.
    #[inline(always)]
    pub fn is_delta(self) -> bool {
        matches!(self, Self::DeltaReflection | Self::DeltaTransmission)
    }
}

impl Bsdf {
    /// `f(wo, wi) |cos(wi)|`, sr⁻¹; zero for delta lobes.
    #[inline(always)]
    pub fn eval(&self, wo: Vec3, wi: Vec3) -> Vec3 {
        match self {
            Self::Lambert(bsdf) => bsdf.eval(wo, wi),
            Self::MetallicRoughness(bsdf) => bsdf.eval(wo, wi),
            Self::Mirror(_) | Self::Dielectric(_) => Vec3::ZERO,
        }
    }

    /// Density of [`Bsdf::sample`] at `wi`, sr⁻¹; zero for delta lobes.
    #[inline(always)]
    pub fn pdf_solid_angle(&self, wo: Vec3, wi: Vec3) -> f32 {
        match self {
            Self::Lambert(bsdf) => bsdf.pdf_solid_angle(wo, wi),
            Self::MetallicRoughness(bsdf) => bsdf.pdf_solid_angle(wo, wi),
            Self::Mirror(_) | Self::Dielectric(_) => 0.0,
        }
    }

    /// Chooses where light comes from, in proportion to about how much arrives. `None`: nothing does.
    ///
    /// * `lobe_u`, `u` — uniform in [0, 1).
    #[inline(always)]
    pub fn sample(&self, wo: Vec3, lobe_u: f32, u: Vec2) -> Option<BsdfSample> {
        match self {
            Self::Lambert(bsdf) => bsdf.sample(wo, u),
            Self::MetallicRoughness(bsdf) => bsdf.sample(wo, lobe_u, u),
            Self::Mirror(bsdf) => Some(bsdf.lobe(wo)?.chosen_with(1.0)),
            Self::Dielectric(bsdf) => {
                let lobes = bsdf.lobes(wo)?;
                match lobes.transmission {
                    Some(through) if lobe_u >= lobes.reflectance => {
                        Some(through.chosen_with(1.0 - lobes.reflectance))
                    }
                    _ => Some(lobes.reflection.chosen_with(lobes.reflectance)),
                }
            }
        }
    }

    /// [`Bsdf::eval`] without the sharp lobes: delta lobes, and highlights of a roughness below
    /// [`MetallicRoughness::SHARP`]. What a handful of point lights can light.
    #[inline(always)]
    pub fn eval_broad(&self, wo: Vec3, wi: Vec3) -> Vec3 {
        match self {
            Self::MetallicRoughness(bsdf) => bsdf.eval_broad(wo, wi),
            _ => self.eval(wo, wi),
        }
    }

    /// Whether there are lobes that [`Bsdf::eval_broad`] leaves out.
    #[inline(always)]
    pub fn has_sharp_lobes(&self) -> bool {
        match self {
            Self::Lambert(_) => false,
            Self::MetallicRoughness(bsdf) => bsdf.is_sharp(),
            Self::Mirror(_) | Self::Dielectric(_) => true,
        }
    }

    /// As [`Bsdf::sample`], of the sharp lobes alone: the rest of [`Bsdf::eval_broad`]. `None`: there are none, or nothing
    /// arrives. The density is that of the sharp lobes.
    #[inline(always)]
    pub fn sample_sharp(&self, wo: Vec3, lobe_u: f32, u: Vec2) -> Option<BsdfSample> {
        match self {
            Self::Lambert(_) => None,
            Self::MetallicRoughness(bsdf) => bsdf.sample_sharp(wo, u),
            Self::Mirror(_) | Self::Dielectric(_) => self.sample(wo, lobe_u, u),
        }
    }

    /// Every delta lobe with all of its light.
    #[inline(always)]
    pub fn delta_lobes(&self, wo: Vec3) -> [Option<DeltaLobe>; 2] {
        match self {
            Self::Lambert(_) | Self::MetallicRoughness(_) => [None, None],
            Self::Mirror(bsdf) => [bsdf.lobe(wo), None],
            Self::Dielectric(bsdf) => match bsdf.lobes(wo) {
                Some(lobes) => [Some(lobes.reflection), lobes.transmission],
                None => [None, None],
            },
        }
    }

    /// The colour as a painter would name it: for feature pictures, not the directional-hemispherical reflectance.
    #[inline(always)]
    pub fn albedo(&self) -> Vec3 {
        match self {
            Self::Lambert(bsdf) => bsdf.albedo,
            Self::MetallicRoughness(bsdf) => bsdf.albedo(),
            Self::Mirror(bsdf) => bsdf.reflectance,
            Self::Dielectric(bsdf) => bsdf.tint,
        }
    }

    /// Whether all of its lobes are delta lobes: sampling lights brings nothing.
    #[inline(always)]
    pub fn is_delta(&self) -> bool {
        matches!(self, Self::Mirror(_) | Self::Dielectric(_))
    }
}

impl DeltaLobe {
    #[inline(always)]
    fn chosen_with(self, probability: f32) -> BsdfSample {
        BsdfSample {
            wi: self.wi,
            throughput: self.throughput / probability,
            pdf_solid_angle: 0.0,
            lobe: self.lobe,
        }
    }
}
