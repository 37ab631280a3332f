//! Bidirectional scattering distribution functions (bsdfs), one file per model.
//!
//! Directions are unit vectors in the local shading frame (z = shading normal of the front) and point away from the
//! surface: `wo` towards the viewer, `wi` towards the light.

mod albedo_table;
#[allow(clippy::approx_constant, reason = "an albedo that happens to be near 1/π")]
mod albedo_table_data;
mod clearcoat;
mod coating;
mod conductor;
mod context;
mod dielectric;
mod facet;
mod fresnel;
mod ggx;
mod grazing_lobe;
mod lambert;
mod lobes;
mod metallic_roughness;
mod microfacets;
mod mirror;
mod oren_nayar;
mod packed;
mod plastic;
mod principled;
mod rough_dielectric;
mod thin_dielectric;

use sunfleck_math::{Vec2, Vec3};

pub use coating::Coating;
pub use conductor::Conductor;
pub use context::{BsdfContext, TransportMode};
pub use dielectric::Dielectric;
pub use lambert::Lambert;
pub use lobes::Lobes;
pub use metallic_roughness::MetallicRoughness;
pub use microfacets::Microfacets;
pub use mirror::{Mirror, reflected};
pub use oren_nayar::OrenNayar;
pub use packed::packed_albedo_table;
pub use plastic::Plastic;
pub use principled::{Principled, PrincipledParameters};
pub use rough_dielectric::RoughDielectric;
pub use thin_dielectric::ThinDielectric;

/// Scattering at one surface point.
#[derive(Clone, Copy, Debug)]
pub enum Bsdf {
    /// Ideal diffuse reflection.
    Lambert(Lambert),
    /// glTF's metallic-roughness model.
    MetallicRoughness(MetallicRoughness),
    /// Ideal specular reflection.
    Mirror(Mirror),
    /// Ideal specular reflection and transmission, as of smooth glass.
    Dielectric(Dielectric),
    /// Specular reflection and straight transmission, as of a window pane.
    ThinDielectric(ThinDielectric),
    /// Rough diffuse reflection.
    OrenNayar(OrenNayar),
    /// Metal with a complex index of refraction.
    Conductor(Conductor),
    /// Reflection and transmission by microfacets, as of frosted glass.
    RoughDielectric(RoughDielectric),
    /// Diffuse base under a clear coating.
    Plastic(Plastic),
    /// Disney's principled model.
    Principled(Principled),
}

/// A direction sampled by [`Bsdf::sample`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BsdfSample {
    /// The sampled direction.
    pub wi: Vec3,
    /// `f |cos(wi)| / pdf`, including the probability of the lobe.
    pub throughput: Vec3,
    /// Density at `wi` of the mixture of the requested lobes, sr⁻¹; 0 for a delta lobe.
    pub pdf_solid_angle: f32,
    /// The sampled lobe, as a set of one.
    pub lobe: Lobes,
    /// Index of refraction on the side of `wi` divided by that on the side of `wo`; 1 for reflection.
    pub eta: f32,
}

impl BsdfSample {
    /// Returns whether the lobe is a Dirac distribution, which light sampling never finds.
    #[inline(always)]
    pub fn is_delta(&self) -> bool {
        self.pdf_solid_angle == 0.0
    }
}

/// Direction and throughput of a delta lobe, for algorithms that follow every lobe instead of sampling one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaLobe {
    /// The only direction.
    pub wi: Vec3,
    /// Radiance along `wo` divided by that from `wi`.
    pub throughput: Vec3,
    /// Probability with which the lobe is sampled if all lobes of the bsdf are requested.
    pub probability: f32,
    /// Specular reflection or transmission.
    pub lobe: Lobes,
    /// Ratio of the indices of refraction, as [`BsdfSample::eta`].
    pub eta: f32,
}

impl Bsdf {
    /// Returns `f(wo, wi) |cos(wi)|` of the requested lobes, sr⁻¹; zero for delta lobes.
    #[inline(always)]
    pub fn eval(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> Vec3 {
        match self {
            Self::Lambert(bsdf) => bsdf.eval(context, wo, wi),
            Self::MetallicRoughness(bsdf) => bsdf.eval(context, wo, wi),
            Self::OrenNayar(bsdf) => bsdf.eval(context, wo, wi),
            Self::Conductor(bsdf) => bsdf.eval(context, wo, wi),
            Self::RoughDielectric(bsdf) => bsdf.eval(context, wo, wi),
            Self::Plastic(bsdf) => bsdf.eval(context, wo, wi),
            Self::Principled(bsdf) => bsdf.eval(context, wo, wi),
            Self::Mirror(_) | Self::Dielectric(_) | Self::ThinDielectric(_) => Vec3::ZERO,
        }
    }

    /// Returns the density of [`Bsdf::sample`] at `wi`, sr⁻¹; zero for delta lobes.
    #[inline(always)]
    pub fn pdf_solid_angle(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> f32 {
        match self {
            Self::Lambert(bsdf) => bsdf.pdf_solid_angle(context, wo, wi),
            Self::MetallicRoughness(bsdf) => bsdf.pdf_solid_angle(context, wo, wi),
            Self::OrenNayar(bsdf) => bsdf.pdf_solid_angle(context, wo, wi),
            Self::Conductor(bsdf) => bsdf.pdf_solid_angle(context, wo, wi),
            Self::RoughDielectric(bsdf) => bsdf.pdf_solid_angle(context, wo, wi),
            Self::Plastic(bsdf) => bsdf.pdf_solid_angle(context, wo, wi),
            Self::Principled(bsdf) => bsdf.pdf_solid_angle(context, wo, wi),
            Self::Mirror(_) | Self::Dielectric(_) | Self::ThinDielectric(_) => 0.0,
        }
    }

    /// Samples a direction approximately in proportion to [`Bsdf::eval`] of the requested lobes. `None` if they do not
    /// scatter into the sampled direction.
    ///
    /// * `lobe_u`, `u` — uniform in [0, 1).
    #[inline(always)]
    pub fn sample(&self, context: BsdfContext, wo: Vec3, lobe_u: f32, u: Vec2) -> Option<BsdfSample> {
        match self {
            Self::Lambert(bsdf) => bsdf.sample(context, wo, u),
            Self::MetallicRoughness(bsdf) => bsdf.sample(context, wo, lobe_u, u),
            Self::OrenNayar(bsdf) => bsdf.sample(context, wo, u),
            Self::Conductor(bsdf) if !bsdf.microfacets.is_smooth() => bsdf.sample(context, wo, u),
            Self::RoughDielectric(bsdf) => bsdf.sample(context, wo, lobe_u, u),
            Self::Plastic(bsdf) => bsdf.sample(context, wo, lobe_u, u),
            Self::Principled(bsdf) => bsdf.sample(context, wo, lobe_u, u),
            Self::Conductor(_) | Self::Mirror(_) | Self::Dielectric(_) | Self::ThinDielectric(_) => {
                self.sample_delta(context, wo, lobe_u)
            }
        }
    }

    /// Samples one of the requested delta lobes.
    #[inline(always)]
    fn sample_delta(&self, context: BsdfContext, wo: Vec3, lobe_u: f32) -> Option<BsdfSample> {
        match self.delta_lobes(context, wo) {
            [Some(reflection), Some(transmission)] => {
                let chosen = if lobe_u < reflection.probability { reflection } else { transmission };
                Some(chosen.sampled_with(chosen.probability))
            }
            [Some(only), None] | [None, Some(only)] => Some(only.sampled_with(1.0)),
            [None, None] => None,
        }
    }

    /// Returns the requested delta lobes: reflection and transmission.
    #[inline(always)]
    pub fn delta_lobes(&self, context: BsdfContext, wo: Vec3) -> [Option<DeltaLobe>; 2] {
        let lobes = match self {
            Self::Lambert(_)
            | Self::MetallicRoughness(_)
            | Self::OrenNayar(_)
            | Self::RoughDielectric(_)
            | Self::Principled(_) => [None, None],
            Self::Mirror(bsdf) => [bsdf.lobe(wo), None],
            Self::Conductor(bsdf) => [bsdf.lobe(wo), None],
            Self::Plastic(bsdf) => [bsdf.lobe(wo), None],
            Self::Dielectric(bsdf) => bsdf.lobes(context.mode, wo),
            Self::ThinDielectric(bsdf) => bsdf.lobes(wo),
        };
        lobes.map(|lobe| lobe.filter(|lobe| context.lobes.contains(lobe.lobe)))
    }

    /// Returns whether light of a sampled lobe goes straight through a pane of thin glass that shadow rays pass, too.
    #[inline(always)]
    pub fn is_passed(&self, lobe: Lobes) -> bool {
        self.is_pane() && lobe.intersects(Lobes::SPECULAR_TRANSMISSION)
    }

    /// Returns whether the surface is a pane of thin glass that shadow rays pass.
    #[inline(always)]
    pub fn is_pane(&self) -> bool {
        matches!(self, Self::ThinDielectric(pane) if pane.lets_pass)
    }

    /// Returns the bsdf for a ray that stands for all rays: a pane of thin glass also has the light that it lets pass.
    #[inline(always)]
    pub fn of_all_rays(mut self) -> Self {
        if let Self::ThinDielectric(pane) = &mut self {
            pane.lets_pass = false;
        }
        self
    }

    /// Returns the set of lobes of the bsdf.
    #[inline(always)]
    pub fn lobes(&self) -> Lobes {
        match self {
            Self::Lambert(_) | Self::OrenNayar(_) => Lobes::DIFFUSE_REFLECTION,
            Self::MetallicRoughness(bsdf) => bsdf.lobes(),
            Self::Conductor(bsdf) => bsdf.microfacets.reflection_lobe(),
            Self::Plastic(bsdf) => bsdf.lobes(),
            Self::Principled(bsdf) => bsdf.lobes(),
            Self::Mirror(_) => Lobes::SPECULAR_REFLECTION,
            Self::Dielectric(_) | Self::ThinDielectric(_) | Self::RoughDielectric(_) => Lobes::SPECULAR,
        }
    }

    /// Returns the base colour, for the albedo AOV. It is not the directional-hemispherical reflectance.
    #[inline(always)]
    pub fn albedo(&self) -> Vec3 {
        match self {
            Self::Lambert(bsdf) => bsdf.albedo,
            Self::MetallicRoughness(bsdf) => bsdf.albedo(),
            Self::Mirror(bsdf) => bsdf.reflectance,
            Self::Dielectric(bsdf) => bsdf.tint,
            Self::ThinDielectric(bsdf) => bsdf.tint,
            Self::OrenNayar(bsdf) => bsdf.albedo,
            Self::Conductor(bsdf) => bsdf.facet_reflectance(1.0),
            Self::RoughDielectric(bsdf) => bsdf.tint,
            Self::Plastic(bsdf) => bsdf.albedo(),
            Self::Principled(bsdf) => bsdf.albedo(),
        }
    }

    /// Returns the directional-hemispherical reflectance, which is what the surface looks like under white light from
    /// everywhere; that of [`OrenNayar`] is approximated by its albedo, those of [`Conductor`] and [`Principled`] by the
    /// reflectance of their facets. Delta lobes and [`RoughDielectric`]: [`albedo`](Self::albedo).
    ///
    /// * `mu` — cosine of the direction to the viewer to the shading normal, in [0, 1].
    #[inline(always)]
    pub fn reflectance(&self, mu: f32) -> Vec3 {
        match self {
            Self::MetallicRoughness(bsdf) => bsdf.reflectance(mu),
            Self::Conductor(bsdf) => bsdf.facet_reflectance(mu),
            Self::Plastic(bsdf) => bsdf.reflectance(mu),
            Self::Principled(bsdf) => bsdf.reflectance(mu),
            _ => self.albedo(),
        }
    }

    /// Returns the roughness `α` of the microfacets of the glossy lobe; `None` if there is none.
    pub fn highlight_alpha(&self) -> Option<f32> {
        match self {
            Self::MetallicRoughness(bsdf) => Some(bsdf.alpha()),
            Self::Conductor(bsdf) if !bsdf.microfacets.is_smooth() => Some(bsdf.microfacets.alpha()),
            Self::Plastic(bsdf) => bsdf.highlight_alpha(),
            Self::Principled(bsdf) => Some(bsdf.alpha()),
            _ => None,
        }
    }

    /// Returns whether all lobes are delta lobes, so that sampling lights is of no use.
    #[inline(always)]
    pub fn is_delta(&self) -> bool {
        match self {
            Self::Mirror(_) | Self::Dielectric(_) | Self::ThinDielectric(_) => true,
            Self::Conductor(bsdf) => bsdf.microfacets.is_smooth(),
            Self::Lambert(_)
            | Self::MetallicRoughness(_)
            | Self::OrenNayar(_)
            | Self::RoughDielectric(_)
            | Self::Plastic(_)
            | Self::Principled(_) => false,
        }
    }
}

impl DeltaLobe {
    /// Returns the sample of this lobe when it is chosen with `probability`.
    #[inline(always)]
    fn sampled_with(self, probability: f32) -> BsdfSample {
        BsdfSample {
            wi: self.wi,
            throughput: self.throughput / probability,
            pdf_solid_angle: 0.0,
            lobe: self.lobe,
            eta: self.eta,
        }
    }
}
