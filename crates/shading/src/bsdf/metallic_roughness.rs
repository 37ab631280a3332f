//! glTF 2.0's metallic-roughness material [glTF2, Appendix B] in an energy-conserving form.
//!
//! The model mixes, by `metallic`, a metal (GGX microfacets with Schlick's Fresnel reflectance) and a dielectric (the
//! same with the reflectance of its index of refraction, over a diffuse base). In contrast to the specification's
//! sample code
//!
//! * light that bounces more than once between facets is returned by a second, reciprocal lobe [Kulla17],
//! * the diffuse base receives the light that the layer above does not reflect by single or multiple scattering,
//!   `(1 - E(μo)) (1 - E(μi)) / (π (1 - E_avg))` [Kelemen01, Eq. 2], instead of `1 - F`.
//!
//! The model is therefore reciprocal, and with a white base colour both the metal and the dielectric reflect all light.
//!
//! The multiple-scattering lobe of metals is an approximation. `tests/shading/microsurface.rs` compares it with random
//! walks on the microsurface [Heitz16]:
//!
//! * Albedos of white metals are exact. Those of metals with F0 = 0.8, 0.5 and 0.2 deviate by at most 3, 4 and 5 %:
//!   they are too dark at grazing angles, where the reflectance of the facets is above the mean, and at roughness 1 too
//!   bright along the normal.
//! * Where the lobe has much light, at roughness 0.8 and above, less than 5 % of it leaves in wrong directions, and up
//!   to 19 % at grazing angles or for a small F0. Single scattering scaled to the same energy [Turquin19], as in
//!   Cycles, misplaces 5 to 17 %. All light of a rough metal is then 0.71 to 1.7 times that of the walks, depending on
//!   the angle, and 0.92 to 1.14 times with the lobe.
//! * At roughness 0.5, 3 to 33 % of the lobe's light is misplaced: it should still be reflected forward. The lobe has
//!   at most 15 % of all light, and at roughness 0.2 at most 7 %.

use std::f32::consts::{FRAC_1_PI, PI};

use sunfleck_constants::bsdf::{DIELECTRIC_F0, REPEATED_LOSS};
use sunfleck_math::{Vec2, Vec3};
use sunfleck_sampling::warp;

use super::albedo_table::{Albedo, AlbedoRow};
use super::ggx::Ggx;
use super::grazing_lobe::GrazingLobe;
use super::microfacets::{half_vector, to_upper_side};
use super::{BsdfContext, BsdfSample, Lobes, fresnel};

/// Scattering at one point of the surface; made by [`MetallicRoughness::new`].
#[derive(Clone, Copy, Debug)]
pub struct MetallicRoughness {
    base: Vec3,
    /// Reflectance of the mix at normal incidence; single scattering is linear in it.
    f0: Vec3,
    /// Colour of light that bounced more than once, divided by `π (1 - E_avg)`.
    multiple: Vec3,
    /// Colour of the diffuse base, divided by `π (1 - E_avg)` of the dielectric layer.
    diffuse: Vec3,
    /// Reflectance of the dielectric at normal incidence.
    dielectric_f0: f32,
    /// Fraction of the dielectric's lost light that multiple scattering returns.
    dielectric_multiple: f32,
    /// Albedo of each lobe, averaged over the colour components, without its dependence on the direction; for the
    /// probabilities of lobes.
    lobe_means: LobeMeans,
    ggx: Ggx,
    row: AlbedoRow,
    /// Sampling distribution of the multiple-scattering lobe.
    grazing: GrazingLobe,
}

#[derive(Clone, Copy, Debug)]
struct LobeMeans {
    f0: f32,
    multiple: f32,
    diffuse: f32,
}

/// Probabilities of choosing each lobe; the diffuse lobe has the rest.
#[derive(Clone, Copy, Debug)]
struct LobeProbabilities {
    single: f32,
    multiple: f32,
}

/// Lobes that are evaluated.
#[derive(Clone, Copy)]
struct ActiveLobes {
    /// Single scattering by the facets.
    single_scattering: bool,
    /// Multiple scattering and the diffuse base, which are both diffuse lobes.
    diffuse: bool,
}

impl MetallicRoughness {
    /// Returns the bsdf of a surface point whose dielectric has an index of refraction of 1.5.
    ///
    /// * `base` — base colour, components in [0, 1]. * `metallic`, `roughness` — in [0, 1]; roughness is clamped to at
    ///   least 0.0316.
    #[inline(always)]
    pub fn new(base: Vec3, metallic: f32, roughness: f32) -> Self {
        Self::with_f0(base, metallic, roughness, DIELECTRIC_F0)
    }

    /// Returns the bsdf of a surface point, as [`new`](Self::new) does for 0.04.
    ///
    /// * `dielectric_f0` — reflectance of the dielectric at normal incidence, in [0, 0.9]: see
    ///   [`f0_of_ior`](Self::f0_of_ior).
    #[inline(always)]
    pub fn with_f0(base: Vec3, metallic: f32, roughness: f32, dielectric_f0: f32) -> Self {
        let ggx = Ggx::from_roughness(roughness);
        let row = AlbedoRow::of_alpha(ggx.alpha());
        let average = row.average();

        // Fraction of the lost light that multiple scattering returns
        let dielectric_multiple = returned_energy(Vec3::splat(dielectric_f0), average).x;
        let multiple = Vec3::splat(dielectric_multiple).lerp(returned_energy(base, average), metallic);

        let diffuse = base * (1.0 - metallic);
        let transmitted_average = transmitted(dielectric_f0, average, dielectric_multiple);
        Self {
            base,
            f0: Vec3::splat(dielectric_f0).lerp(base, metallic),
            multiple: multiple / (PI * average.lost),
            diffuse: diffuse / (PI * transmitted_average),
            dielectric_f0,
            dielectric_multiple,
            lobe_means: LobeMeans {
                f0: mean(Vec3::splat(dielectric_f0).lerp(base, metallic)),
                multiple: mean(multiple),
                diffuse: mean(diffuse),
            },
            ggx,
            row,
            grazing: GrazingLobe::of_alpha(ggx.alpha()),
        }
    }

    /// Returns the reflectance at normal incidence of a dielectric with an index of refraction: `((n - 1) / (n + 1))²`.
    pub fn f0_of_ior(ior: f32) -> f32 {
        if ior == 1.5 {
            return DIELECTRIC_F0;
        }
        let ratio = (ior - 1.0) / (ior + 1.0);
        ratio * ratio
    }

    /// Returns the roughness `α` of the microfacets.
    pub(super) fn alpha(&self) -> f32 {
        self.ggx.alpha()
    }

    /// Returns the base colour.
    pub fn albedo(&self) -> Vec3 {
        self.base
    }

    /// Returns [`super::Bsdf::reflectance`]: the integral of all lobes over the hemisphere of incident directions.
    #[inline(always)]
    pub(super) fn reflectance(&self, mu: f32) -> Vec3 {
        let (out, average) = (self.row.directional(mu), self.row.average());
        let [black, white] = [0.0, 1.0].map(|f0| Vec3::splat(out.with_fresnel(f0)));
        let single = black + self.f0 * (white - black);
        let multiple = self.multiple * (PI * average.lost * out.lost);
        let diffuse = self.diffuse * (PI * self.transmitted(average) * self.transmitted(out));
        single + multiple + diffuse
    }

    /// Evaluates [`super::Bsdf::eval`].
    #[inline(always)]
    pub(super) fn eval(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> Vec3 {
        let (wo, wi) = (to_upper_side(wo, wo.z), to_upper_side(wi, wo.z));
        if wo.z > 0.0 && wi.z > 0.0 {
            self.eval_upper(self.active_lobes(context), wo, wi, half_vector(wo, wi))
        } else {
            Vec3::ZERO
        }
    }

    /// Evaluates [`super::Bsdf::pdf_solid_angle`].
    #[inline(always)]
    pub(super) fn pdf_solid_angle(&self, context: BsdfContext, wo: Vec3, wi: Vec3) -> f32 {
        let (wo, wi) = (to_upper_side(wo, wo.z), to_upper_side(wi, wo.z));
        if wo.z > 0.0 && wi.z > 0.0 {
            self.pdf_upper(self.active_lobes(context), wo, wi, half_vector(wo, wi))
        } else {
            0.0
        }
    }

    /// Samples a direction, see [`super::Bsdf::sample`].
    #[inline(always)]
    pub(super) fn sample(&self, context: BsdfContext, wo: Vec3, lobe_u: f32, u: Vec2) -> Option<BsdfSample> {
        let active = self.active_lobes(context);
        if !active.diffuse {
            return if active.single_scattering { self.sample_single(wo, u) } else { None };
        }
        let side = wo.z;
        let wo = to_upper_side(wo, side);
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
        let h = half_vector(wo, wi);
        let pdf_solid_angle = self.pdf_upper(active, wo, wi, h);
        if !(pdf_solid_angle > 0.0 && pdf_solid_angle.is_finite()) {
            return None;
        }
        let throughput = self.eval_upper(active, wo, wi, h) / pdf_solid_angle;
        Some(BsdfSample { wi: to_upper_side(wi, side), throughput, pdf_solid_angle, lobe, eta: 1.0 })
    }

    /// Samples a direction of the single-scattering lobe alone, which needs neither a choice of lobe nor the table.
    #[inline(always)]
    fn sample_single(&self, wo: Vec3, u: Vec2) -> Option<BsdfSample> {
        let side = wo.z;
        let wo = to_upper_side(wo, side);
        if wo.z <= 0.0 {
            return None;
        }
        let wi = self.ggx.sample_reflected(wo, u);
        let h = half_vector(wo, wi);
        let pdf_solid_angle = self.ggx.pdf_reflected(wo, h);
        if !(wi.z > 0.0 && pdf_solid_angle > 0.0 && pdf_solid_angle.is_finite()) {
            return None;
        }
        let throughput = self.single_bounce(wo, wi, h) * (wi.z / pdf_solid_angle);
        let lobe = self.single_lobe();
        Some(BsdfSample { wi: to_upper_side(wi, side), throughput, pdf_solid_angle, lobe, eta: 1.0 })
    }

    /// Returns the lobes, see [`super::Bsdf::lobes`].
    #[inline(always)]
    pub(super) fn lobes(&self) -> Lobes {
        Lobes::DIFFUSE_REFLECTION | self.single_lobe()
    }

    /// Returns the kind of the single-scattering lobe, by its roughness.
    #[inline(always)]
    fn single_lobe(&self) -> Lobes {
        if self.ggx.is_narrow() { Lobes::SPECULAR_REFLECTION } else { Lobes::GLOSSY_REFLECTION }
    }

    #[inline(always)]
    fn active_lobes(&self, context: BsdfContext) -> ActiveLobes {
        ActiveLobes {
            single_scattering: context.lobes.contains(self.single_lobe()),
            diffuse: context.lobes.contains(Lobes::DIFFUSE_REFLECTION),
        }
    }

    /// Evaluates the lobes for directions on the upper side.
    #[inline(always)]
    fn eval_upper(&self, active: ActiveLobes, wo: Vec3, wi: Vec3, h: Vec3) -> Vec3 {
        let value = match active {
            ActiveLobes { single_scattering: true, diffuse: true } => {
                self.single_bounce(wo, wi, h) + self.diffuse_and_multiple(wo, wi)
            }
            ActiveLobes { single_scattering: true, diffuse: false } => self.single_bounce(wo, wi, h),
            ActiveLobes { single_scattering: false, diffuse: true } => self.diffuse_and_multiple(wo, wi),
            ActiveLobes { single_scattering: false, diffuse: false } => Vec3::ZERO,
        };
        value * wi.z
    }

    /// Evaluates the specular or glossy lobe: light that bounced once off the facets.
    #[inline(always)]
    fn single_bounce(&self, wo: Vec3, wi: Vec3, h: Vec3) -> Vec3 {
        fresnel::schlick(self.f0, wo.dot(h)) * self.ggx.reflection(wo, wi, h)
    }

    /// Evaluates light that bounced more than once, and the diffuse base.
    #[inline(always)]
    fn diffuse_and_multiple(&self, wo: Vec3, wi: Vec3) -> Vec3 {
        let (out, into) = (self.row.directional(wo.z), self.row.directional(wi.z));
        let multiple = self.multiple * (out.lost * into.lost);
        multiple + self.diffuse * (self.transmitted(out) * self.transmitted(into))
    }

    /// Returns the fraction of the light that the dielectric layer transmits to the base.
    #[inline(always)]
    fn transmitted(&self, albedo: Albedo) -> f32 {
        transmitted(self.dielectric_f0, albedo, self.dielectric_multiple)
    }

    /// Returns the density of the one-sample mixture of the active lobes.
    #[inline(always)]
    fn pdf_upper(&self, active: ActiveLobes, wo: Vec3, wi: Vec3, h: Vec3) -> f32 {
        if !active.diffuse {
            return if active.single_scattering { self.ggx.pdf_reflected(wo, h) } else { 0.0 };
        }
        let LobeProbabilities { single, multiple } = self.lobe_probabilities(active, wo.z);
        let diffuse = (1.0 - single - multiple).max(0.0);
        let diffuse_and_multiple =
            multiple.mul_add(self.grazing.pdf_solid_angle(wi), diffuse * (wi.z * FRAC_1_PI));
        single.mul_add(self.ggx.pdf_reflected(wo, h), diffuse_and_multiple)
    }

    /// Returns approximate shares of the active lobes in the light reflected from the direction at cosine `mu` to the
    /// normal.
    #[inline(always)]
    fn lobe_probabilities(&self, active: ActiveLobes, mu: f32) -> LobeProbabilities {
        let albedo = self.row.directional(mu);
        // At grazing angles the facets of a rough dielectric that are not masked reflect much more light than the
        // others: their samples would have large weights if single scattering were not chosen more often than its share
        let at_mirror = fresnel::schlick_scalar(self.lobe_means.f0, mu) * (1.0 - albedo.lost);
        let single = albedo.with_fresnel(self.lobe_means.f0).max(0.25 * at_mirror);
        let single = if active.single_scattering { single } else { 0.0 };
        let multiple = self.lobe_means.multiple * albedo.lost;
        let diffuse = self.lobe_means.diffuse * self.transmitted(albedo);
        let scale = 1.0 / (single + multiple + diffuse).max(f32::MIN_POSITIVE);
        LobeProbabilities { single: single * scale, multiple: multiple * scale }
    }
}

/// Returns the fraction of lost light that is returned after two or more bounces off facets of mean reflectance `F`, a
/// geometric series: `F² (1 - L) / (1 - F L)` [Kulla17; the square as in Turquin19, Eq. 16], where `L` is the
/// probability that light meets one more facet.
///
/// In contrast to the references, `L` is not `1 - E_avg`, which holds for light that arrives from above, but
/// [`REPEATED_LOSS`] times that.
#[inline(always)]
fn returned_energy(f0: Vec3, average: Albedo) -> Vec3 {
    let f = fresnel::schlick_average(f0);
    let lost = REPEATED_LOSS * average.lost;
    f * f * (1.0 - lost) / (Vec3::ONE - f * lost)
}

/// Returns the fraction of the light that the dielectric layer transmits to the base: all that it does not reflect.
#[inline(always)]
fn transmitted(dielectric_f0: f32, albedo: Albedo, dielectric_multiple: f32) -> f32 {
    1.0 - albedo.with_fresnel(dielectric_f0) - dielectric_multiple * albedo.lost
}

#[inline(always)]
pub(super) fn mean(color: Vec3) -> f32 {
    (color.x + color.y + color.z) * (1.0 / 3.0)
}
