//! glTF 2.0's metallic-roughness material [glTF2, Appendix B] that neither loses nor makes energy.
//!
//! A mix, by `metallic`, of a metal (GGX microfacets with Schlick's Fresnel reflectance) and a dielectric (the same with
//! reflectance 0.04 over a diffuse base). In contrast to the specification's sample code
//!
//! * light that bounces more than once between facets is given back by a second, reciprocal lobe [Kulla17],
//! * the diffuse base receives what the layer above reflects neither at once nor later,
//!   `(1 - E(μo)) (1 - E(μi)) / (π (1 - E_avg))` [Kelemen01, Eq. 2], in place of `1 - F`.
//!
//! So the model is reciprocal, and with white colour both ends of the mix reflect all light.

use std::f32::consts::{FRAC_1_PI, PI};

use sunfleck_constants::bsdf::DIELECTRIC_F0;
use sunfleck_math::{Vec2, Vec3};
use sunfleck_sampling::warp;

use super::albedo_table::{Albedo, Row};
use super::ggx::Ggx;
use super::grazing_lobe::GrazingLobe;
use super::{BsdfContext, BsdfSample, Lobes, fresnel};

/// The scattering of one point of the surface; made by [`MetallicRoughness::new`].
#[derive(Clone, Copy, Debug)]
pub struct MetallicRoughness {
    base: Vec3,
    /// Reflectance of the mix at normal incidence; single scattering is linear in it.
    f0: Vec3,
    /// Colour of light that bounced more than once, over `π (1 - E_avg)`.
    multiple: Vec3,
    /// Colour of the diffuse base, over `π (1 - E_avg)` of the dielectric layer.
    diffuse: Vec3,
    /// The dielectric's fraction of lost light that comes back.
    dielectric_multiple: f32,
    /// Mean over the colours of each lobe's albedo, up to its dependence on the direction; for choosing lobes.
    lobe_means: LobeMeans,
    ggx: Ggx,
    row: Row,
    /// Directions for the lobe of multiple scattering.
    grazing: GrazingLobe,
}

#[derive(Clone, Copy, Debug)]
struct LobeMeans {
    f0: f32,
    multiple: f32,
    diffuse: f32,
}

/// With which probability each lobe is chosen; the diffuse one gets the rest.
#[derive(Clone, Copy, Debug)]
struct LobeProbabilities {
    single: f32,
    multiple: f32,
}

/// Lobes that take active in an evaluation.
#[derive(Clone, Copy)]
struct ActiveLobes {
    /// Single scattering by the facets.
    single_scattering: bool,
    /// Multiple scattering and the diffuse base, which are both diffuse lobes.
    diffuse: bool,
}

impl MetallicRoughness {
    /// * `base` — colour, components in [0, 1]. * `metallic`, `roughness` — in [0, 1]; roughness below 0.0316 counts as
    ///   that.
    #[inline(always)]
    pub fn new(base: Vec3, metallic: f32, roughness: f32) -> Self {
        let ggx = Ggx::from_roughness(roughness);
        let row = Row::of_alpha(ggx.alpha());
        let average = row.average();

        // What comes back of the light that bounces again
        let dielectric_multiple = given_back(Vec3::splat(DIELECTRIC_F0), average).x;
        let multiple = Vec3::splat(dielectric_multiple).lerp(given_back(base, average), metallic);

        let diffuse = base * (1.0 - metallic);
        let transmitted_average = transmitted(average, dielectric_multiple);
        Self {
            base,
            f0: Vec3::splat(DIELECTRIC_F0).lerp(base, metallic),
            multiple: multiple / (PI * average.lost),
            diffuse: diffuse / (PI * transmitted_average),
            dielectric_multiple,
            lobe_means: LobeMeans {
                f0: mean(Vec3::splat(DIELECTRIC_F0).lerp(base, metallic)),
                multiple: mean(multiple),
                diffuse: mean(diffuse),
            },
            ggx,
            row,
            grazing: GrazingLobe::of_alpha(ggx.alpha()),
        }
    }

    /// The base colour.
    pub fn albedo(&self) -> Vec3 {
        self.base
    }

    /// See [`super::Bsdf::eval`].
    #[inline(always)]
    pub(super) fn eval(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> Vec3 {
        let (wo, wi) = (turned_up(wo, wo.z), turned_up(wi, wo.z));
        if wo.z > 0.0 && wi.z > 0.0 {
            self.eval_upper(self.active_lobes(context), wo, wi, half(wo, wi))
        } else {
            Vec3::ZERO
        }
    }

    /// See [`super::Bsdf::pdf_solid_angle`].
    #[inline(always)]
    pub(super) fn pdf_solid_angle(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> f32 {
        let (wo, wi) = (turned_up(wo, wo.z), turned_up(wi, wo.z));
        if wo.z > 0.0 && wi.z > 0.0 {
            self.pdf_upper(self.active_lobes(context), wo, wi, half(wo, wi))
        } else {
            0.0
        }
    }

    /// See [`super::Bsdf::sample`].
    #[inline(always)]
    pub(super) fn sample(&self, context: BsdfContext, wo: Vec3, lobe_u: f32, u: Vec2) -> Option<BsdfSample> {
        let active = self.active_lobes(context);
        if !active.diffuse {
            return if active.single_scattering { self.sample_single(wo, u) } else { None };
        }
        let side = wo.z;
        let wo = turned_up(wo, side);
        let LobeProbabilities { single, multiple } = self.lobe_probabilities(active, wo.z);
        let (wi, lobe) = if lobe_u < single {
            (self.ggx.sample_reflected(wo, u), self.single_lobe())
        } else if lobe_u < single + multiple {
            (self.grazing.sample(u), Lobes::DIFFUSE_REFLECTION)
        } else {
            (warp::cosine_hemisphere(u), Lobes::DIFFUSE_REFLECTION)
        };
        if !(wo.z > 0.0 && wi.z > 0.0) {
            return None;
        }
        let h = half(wo, wi);
        let pdf_solid_angle = self.pdf_upper(active, wo, wi, h);
        if !(pdf_solid_angle > 0.0 && pdf_solid_angle.is_finite()) {
            return None;
        }
        let throughput = self.eval_upper(active, wo, wi, h) / pdf_solid_angle;
        Some(BsdfSample { wi: turned_up(wi, side), throughput, pdf_solid_angle, lobe, eta: 1.0 })
    }

    /// [`sample`](Self::sample) of the single-scattering lobe alone: no choice, no table.
    #[inline(always)]
    fn sample_single(&self, wo: Vec3, u: Vec2) -> Option<BsdfSample> {
        let side = wo.z;
        let wo = turned_up(wo, side);
        if wo.z <= 0.0 {
            return None;
        }
        let wi = self.ggx.sample_reflected(wo, u);
        let h = half(wo, wi);
        let pdf_solid_angle = self.ggx.pdf_reflected(wo, h);
        if !(wi.z > 0.0 && pdf_solid_angle > 0.0 && pdf_solid_angle.is_finite()) {
            return None;
        }
        let throughput = self.single(wo, wi, h) * (wi.z / pdf_solid_angle);
        let lobe = self.single_lobe();
        Some(BsdfSample { wi: turned_up(wi, side), throughput, pdf_solid_angle, lobe, eta: 1.0 })
    }

    /// See [`super::Bsdf::lobes`].
    #[inline(always)]
    pub(super) fn lobes(&self) -> Lobes {
        Lobes::DIFFUSE_REFLECTION | self.single_lobe()
    }

    /// The class of the single-scattering lobe, by its roughness.
    #[inline(always)]
    fn single_lobe(&self) -> Lobes {
        const ROUGHNESS: f32 = Lobes::SPECULAR_ROUGHNESS;
        if self.ggx.alpha() < ROUGHNESS * ROUGHNESS {
            Lobes::SPECULAR_REFLECTION
        } else {
            Lobes::GLOSSY_REFLECTION
        }
    }

    #[inline(always)]
    fn active_lobes(&self, context: BsdfContext) -> ActiveLobes {
        ActiveLobes {
            single_scattering: context.lobes.contains(self.single_lobe()),
            diffuse: context.lobes.contains(Lobes::DIFFUSE_REFLECTION),
        }
    }

    #[inline(always)]
    fn eval_upper(&self, active: ActiveLobes, wo: Vec3, wi: Vec3, h: Vec3) -> Vec3 {
        let value = match active {
            ActiveLobes { single_scattering: true, diffuse: true } => {
                self.single(wo, wi, h) + self.smooth(wo, wi)
            }
            ActiveLobes { single_scattering: true, diffuse: false } => self.single(wo, wi, h),
            ActiveLobes { single_scattering: false, diffuse: true } => self.smooth(wo, wi),
            ActiveLobes { single_scattering: false, diffuse: false } => Vec3::ZERO,
        };
        value * wi.z
    }

    /// The highlight: light that bounced once off the facets.
    #[inline(always)]
    fn single(&self, wo: Vec3, wi: Vec3, h: Vec3) -> Vec3 {
        fresnel::schlick(self.f0, wo.dot(h)) * self.ggx.reflection(wo, wi, h)
    }

    /// Light that bounced more than once, and the diffuse base.
    #[inline(always)]
    fn smooth(&self, wo: Vec3, wi: Vec3) -> Vec3 {
        let (out, into) = (self.row.directional(wo.z), self.row.directional(wi.z));
        let multiple = self.multiple * (out.lost * into.lost);
        let through =
            transmitted(out, self.dielectric_multiple) * transmitted(into, self.dielectric_multiple);
        multiple + self.diffuse * through
    }

    /// One-sample mixture of the lobes that take active.
    #[inline(always)]
    fn pdf_upper(&self, active: ActiveLobes, wo: Vec3, wi: Vec3, h: Vec3) -> f32 {
        if !active.diffuse {
            return if active.single_scattering { self.ggx.pdf_reflected(wo, h) } else { 0.0 };
        }
        let LobeProbabilities { single, multiple } = self.lobe_probabilities(active, wo.z);
        let diffuse = (1.0 - single - multiple).max(0.0);
        let smooth = multiple.mul_add(self.grazing.pdf_solid_angle(wi), diffuse * (wi.z * FRAC_1_PI));
        single.mul_add(self.ggx.pdf_reflected(wo, h), smooth)
    }

    /// About the shares in the light reflected from the direction at cosine `mu` with the normal.
    #[inline(always)]
    fn lobe_probabilities(&self, active: ActiveLobes, mu: f32) -> LobeProbabilities {
        let albedo = self.row.directional(mu);
        // The facets of a rough dielectric that pass light on at grazing angles reflect much more of it than the others:
        // their samples would weigh as much more, if single scattering were not chosen more often than its share
        let at_mirror = fresnel::schlick_scalar(self.lobe_means.f0, mu) * (1.0 - albedo.lost);
        let single = albedo.with_fresnel(self.lobe_means.f0).max(0.25 * at_mirror);
        let single = if active.single_scattering { single } else { 0.0 };
        let multiple = self.lobe_means.multiple * albedo.lost;
        let diffuse = self.lobe_means.diffuse * transmitted(albedo, self.dielectric_multiple);
        let scale = 1.0 / (single + multiple + diffuse).max(f32::MIN_POSITIVE);
        LobeProbabilities { single: single * scale, multiple: multiple * scale }
    }
}

/// Fraction of the lost light that comes back after two or more bounces off facets of mean reflectance `F`, a geometric
/// series: `F² E_avg / (1 - F (1 - E_avg))` [Kulla17; the square as in Turquin19, Eq. 16].
#[inline(always)]
fn given_back(f0: Vec3, average: Albedo) -> Vec3 {
    let f = fresnel::schlick_average(f0);
    f * f * (1.0 - average.lost) / (Vec3::ONE - f * average.lost)
}

/// What the dielectric layer lets through to the base: all that it does not reflect.
#[inline(always)]
fn transmitted(albedo: Albedo, dielectric_multiple: f32) -> f32 {
    1.0 - albedo.with_fresnel(DIELECTRIC_F0) - dielectric_multiple * albedo.lost
}

/// A direction as seen from the side of the surface that `side` has the sign of; the same again turns it back.
#[inline(always)]
fn turned_up(direction: Vec3, side: f32) -> Vec3 {
    if side < 0.0 { Vec3::new(direction.x, direction.y, -direction.z) } else { direction }
}

#[inline(always)]
fn half(wo: Vec3, wi: Vec3) -> Vec3 {
    (wo + wi).normalize_or(Vec3::Z)
}

#[inline(always)]
fn mean(color: Vec3) -> f32 {
    (color.x + color.y + color.z) * (1.0 / 3.0)
}
