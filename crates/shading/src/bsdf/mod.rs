//! How surfaces scatter light: one file for each model.
//!
//! Directions are unit vectors in the local shading frame (z = shading normal on the front) and point away from the
//! surface; `wo` goes to the viewer, `wi` to where the light comes from.

mod albedo_table;
#[allow(clippy::approx_constant, reason = "an albedo that happens to be near 1/π")]
mod albedo_table_data;
mod context;
mod dielectric;
mod fresnel;
mod ggx;
mod grazing_lobe;
mod lambert;
mod lobes;
mod metallic_roughness;
mod mirror;
mod oren_nayar;
mod packed;

use sunfleck_math::{Vec2, Vec3};

pub use context::{BsdfContext, TransportMode};
pub use dielectric::Dielectric;
pub use lambert::Lambert;
pub use lobes::Lobes;
pub use metallic_roughness::MetallicRoughness;
pub use mirror::Mirror;
pub use oren_nayar::OrenNayar;
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
    /// Rough diffuse.
    OrenNayar(OrenNayar),
}

/// A direction sampled by [`Bsdf::sample`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BsdfSample {
    /// The direction.
    pub wi: Vec3,
    /// `f |cos(wi)| / pdf`, with the probability of the lobe.
    pub throughput: Vec3,
    /// Density at `wi` of the mixture of all lobes asked for, sr⁻¹; 0 for a delta lobe.
    pub pdf_solid_angle: f32,
    /// The lobe it came from: a set of one.
    pub lobe: Lobes,
    /// Index of refraction on the side of `wi` over that on the side of `wo`; 1 for reflection.
    pub eta: f32,
}

impl BsdfSample {
    /// Whether the lobe has a single direction, which light sampling never finds.
    #[inline(always)]
    pub fn is_delta(&self) -> bool {
        self.pdf_solid_angle == 0.0
    }
}

/// All light that a delta lobe carries, for algorithms that follow every lobe instead of choosing one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaLobe {
    /// The only direction.
    pub wi: Vec3,
    /// What arrives from `wi` times this leaves along `wo`.
    pub throughput: Vec3,
    /// Specular reflection or transmission.
    pub lobe: Lobes,
    /// See [`BsdfSample::eta`].
    pub eta: f32,
}

impl Bsdf {
    /// `f(wo, wi) |cos(wi)|` of the lobes asked for, sr⁻¹; zero for delta lobes.
    #[inline(always)]
    pub fn eval(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> Vec3 {
        match self {
            Self::Lambert(bsdf) => bsdf.eval(context, wo, wi),
            Self::MetallicRoughness(bsdf) => bsdf.eval(context, wo, wi),
            Self::OrenNayar(bsdf) => bsdf.eval(context, wo, wi),
            Self::Mirror(_) | Self::Dielectric(_) => Vec3::ZERO,
        }
    }

    /// Density of [`Bsdf::sample`] at `wi`, sr⁻¹; zero for delta lobes.
    #[inline(always)]
    pub fn pdf_solid_angle(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> f32 {
        match self {
            Self::Lambert(bsdf) => bsdf.pdf_solid_angle(context, wo, wi),
            Self::MetallicRoughness(bsdf) => bsdf.pdf_solid_angle(context, wo, wi),
            Self::OrenNayar(bsdf) => bsdf.pdf_solid_angle(context, wo, wi),
            Self::Mirror(_) | Self::Dielectric(_) => 0.0,
        }
    }

    /// Samples a direction, in proportion to about how much the lobes asked for scatter into it. `None`: they scatter nothing.
    ///
    /// * `lobe_u`, `u` — uniform in [0, 1).
    #[inline(always)]
    pub fn sample(&self, context: BsdfContext, wo: Vec3, lobe_u: f32, u: Vec2) -> Option<BsdfSample> {
        match self {
            Self::Lambert(bsdf) => bsdf.sample(context, wo, u),
            Self::MetallicRoughness(bsdf) => bsdf.sample(context, wo, lobe_u, u),
            Self::OrenNayar(bsdf) => bsdf.sample(context, wo, u),
            Self::Mirror(_) | Self::Dielectric(_) => self.sample_delta(context, wo, lobe_u),
        }
    }

    /// Chooses among the delta lobes asked for in proportion to their reflectance.
    #[inline(always)]
    fn sample_delta(&self, context: BsdfContext, wo: Vec3, lobe_u: f32) -> Option<BsdfSample> {
        match self.delta_lobes(context, wo) {
            [Some(reflection), Some(transmission)] => {
                // The fraction reflected is the same for all colours
                let reflectance = reflection.throughput.x;
                Some(match lobe_u < reflectance {
                    true => reflection.chosen_with(reflectance),
                    false => transmission.chosen_with(1.0 - reflectance),
                })
            }
            [Some(only), None] | [None, Some(only)] => Some(only.chosen_with(1.0)),
            [None, None] => None,
        }
    }

    /// Every delta lobe among those asked for with all of its light: reflection, transmission.
    #[inline(always)]
    pub fn delta_lobes(&self, context: BsdfContext, wo: Vec3) -> [Option<DeltaLobe>; 2] {
        let lobes = match self {
            Self::Lambert(_) | Self::MetallicRoughness(_) | Self::OrenNayar(_) => [None, None],
            Self::Mirror(bsdf) => [bsdf.lobe(wo), None],
            Self::Dielectric(bsdf) => bsdf.lobes(context.mode, wo),
        };
        lobes.map(|lobe| lobe.filter(|lobe| context.lobes.contains(lobe.lobe)))
    }

    /// The lobes that there are.
    #[inline(always)]
    pub fn lobes(&self) -> Lobes {
        match self {
            Self::Lambert(_) | Self::OrenNayar(_) => Lobes::DIFFUSE_REFLECTION,
            Self::MetallicRoughness(bsdf) => bsdf.lobes(),
            Self::Mirror(_) => Lobes::SPECULAR_REFLECTION,
            Self::Dielectric(_) => Lobes::SPECULAR,
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
            Self::OrenNayar(bsdf) => bsdf.albedo,
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
            eta: self.eta,
        }
    }
}
