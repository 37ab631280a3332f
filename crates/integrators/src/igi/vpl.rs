//! Virtual point lights, and which of them light a pixel.

use fearless_simd::Simd;
use sunfleck_constants::igi::{LEAST_ALBEDO, MOVED};
use sunfleck_image::color::luminance;
use sunfleck_math::{Frame, Vec3};
use sunfleck_sampling::rng::pcg4d;
use sunfleck_shading::{Bsdf, BsdfContext, EmitterKind, Lobes};
use sunfleck_transport::vectors::{V, splat, sub};

use super::Igi;
use super::paths::FrameContext;

/// Lobes by which surfaces reflect light from VPLs, and by which VPLs emit. Specular lobes are followed by paths
/// instead, and caustics are rendered by photons.
pub(super) const VPL_LOBES: BsdfContext = BsdfContext::RADIANCE.with_lobes(Lobes::NON_SPECULAR);

/// Virtual point light.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vpl {
    /// Position in the world; undefined for lights infinitely far away.
    pub(super) position: Vec3,
    pub(super) emission: VplEmission,
    /// Luminance of the intensity, W/sr, or of the irradiance, W/m², of lights infinitely far away; an estimate for
    /// surfaces that are not diffuse.
    pub(super) brightness: f32,
    /// Number in its set. VPLs that were not made because their walk left the scene have numbers, too.
    pub(super) number: u32,
}

impl Vpl {
    pub(super) fn new(position: Vec3, emission: VplEmission, number: u32) -> Self {
        let color = match &emission {
            VplEmission::Emitter(emitter) => intensity(emitter),
            VplEmission::Glossy(glossy) => {
                glossy.flux
                    * glossy.bsdf.albedo().max(Vec3::splat(LEAST_ALBEDO))
                    * std::f32::consts::FRAC_1_PI
            }
        };
        Self { position, emission, brightness: luminance(color), number }
    }

    /// Returns the unit direction to the VPL if it is infinitely far away.
    #[inline(always)]
    pub(super) fn distant(&self) -> Option<Vec3> {
        match self.emission {
            VplEmission::Emitter(EmitterKind::Distant { to_light, .. }) => Some(to_light),
            _ => None,
        }
    }

    /// Returns the vectors from points to the VPL, not normalised.
    #[inline(always)]
    pub(super) fn towards<S: Simd>(&self, simd: S, points: V<S>) -> V<S> {
        match self.distant() {
            Some(to) => splat(simd, to),
            None => sub(splat(simd, self.position), points),
        }
    }
}

/// Returns the radiant intensity, W/sr, of an emitter; the irradiance, W/m², of lights infinitely far away.
pub(super) fn intensity(emitter: &EmitterKind) -> Vec3 {
    match *emitter {
        EmitterKind::Area { intensity, .. }
        | EmitterKind::Point { intensity }
        | EmitterKind::Spot { intensity, .. } => intensity,
        EmitterKind::Distant { irradiance, .. } => irradiance,
    }
}

/// Emission of a VPL.
#[derive(Clone, Copy, Debug)]
pub(super) enum VplEmission {
    /// Emission of a light or of a diffuse surface.
    Emitter(EmitterKind),
    /// Light from one direction, reflected by a surface that is not diffuse.
    Glossy(GlossyVpl),
}

/// Lit point of a surface that is not diffuse.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlossyVpl {
    pub(super) frame: Frame,
    /// Unit geometric normal on the lit side.
    pub(super) ng: Vec3,
    pub(super) bsdf: Bsdf,
    /// Direction that the light came from, in the shading frame.
    pub(super) wi: Vec3,
    /// Incident flux, W.
    pub(super) flux: Vec3,
}

impl GlossyVpl {
    /// Returns the radiant intensity in a unit direction of world space, divided by its cosine with `ng`, W/sr.
    #[inline(always)]
    pub(super) fn intensity_over_cos(&self, to: Vec3) -> Vec3 {
        let cos = self.ng.dot(to);
        let local = self.frame.local_from_world(to);
        if cos <= 0.0 || local.z * self.wi.z <= 0.0 {
            return Vec3::ZERO;
        }
        // `eval` includes the cosine of its second direction: f cos(to), by reciprocity
        self.flux * self.bsdf.eval(VPL_LOBES, self.wi, local) / cos
    }
}

/// All VPLs of a frame.
#[derive(Clone, Debug)]
pub(super) struct Vpls {
    /// VPLs of each subset of each set; see [`subset_group`].
    pub(super) subsets: Vec<Vec<Vpl>>,
    /// Upper bound of geometry terms, 1/m².
    pub(super) bound: f32,
}

/// Returns the group of points that one subset of VPLs lights: those of one camera ray of a pixel. It is the index of
/// the subset in [`Vpls::subsets`].
#[inline(always)]
pub(super) fn subset_group(ctx: &FrameContext<'_>, pixel: [u32; 2], ray: u32) -> u32 {
    set_at(ctx, pixel) * ctx.igi.subsets() + ray
}

/// Returns the group of points that a whole set lights. Groups of sets follow those of subsets.
#[inline(always)]
pub(super) fn set_group(ctx: &FrameContext<'_>, pixel: [u32; 2]) -> u32 {
    first_set_group(ctx.igi) + set_at(ctx, pixel)
}

/// Returns the first group of points that are lit by a whole set.
#[inline(always)]
pub(super) fn first_set_group(igi: &Igi) -> u32 {
    igi.sets() * igi.subsets()
}

/// Returns the set that lights a pixel.
///
/// In filtered frames, sets are repeated every n pixels, so that each window of the filter has all of them. In other
/// frames, each block of n × n pixels has them shifted at random: if pixels that are n apart shared all their errors,
/// the mean of many frames would show a pattern.
#[inline(always)]
fn set_at(ctx: &FrameContext<'_>, [x, y]: [u32; 2]) -> u32 {
    let n = ctx.igi.interleave;
    let [right, down] = match ctx.igi.filters(ctx.pass) {
        true => [0, 0],
        false => {
            let words = pcg4d([x / n, y / n, ctx.pass, ctx.view.spec.seed ^ MOVED]);
            [words[0] >> 16, words[1] >> 16]
        }
    };
    (y + down) % n * n + (x + right) % n
}
