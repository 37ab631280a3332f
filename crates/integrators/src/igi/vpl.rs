use fearless_simd::Simd;
use sunfleck_constants::igi::{LEAST_ALBEDO, MOVED};
use sunfleck_math::{Frame, Vec3, vec3};
use sunfleck_sampling::rng::pcg4d;
use sunfleck_shading::{Bsdf, BsdfContext, EmitterKind, Lobes};
use sunfleck_transport::vectors::{V, splat, sub};

use super::Igi;
use super::paths::Job;

/// Lobes that VPLs illuminate and carry: specular ones are followed by paths instead, and caustics are photons.
pub(super) const VPL_LOBES: BsdfContext = BsdfContext::RADIANCE.with_lobes(Lobes::NON_SPECULAR);

/// A virtual point light.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vpl {
    /// Meaningless for lights infinitely far away.
    pub(super) position: Vec3,
    pub(super) shine: Shine,
    /// Luminance of its intensity, W/sr, or of its irradiance, W/m²; of surfaces that are not diffuse about that.
    pub(super) brightness: f32,
    /// Which of its set: those that do not exist have numbers, too.
    pub(super) number: u32,
}

impl Vpl {
    pub(super) fn new(position: Vec3, shine: Shine, number: u32) -> Self {
        let color = match &shine {
            Shine::EmitterKind(glow) => intensity(glow),
            Shine::Glossy(glossy) => {
                glossy.flux
                    * glossy.bsdf.albedo().max(Vec3::splat(LEAST_ALBEDO))
                    * std::f32::consts::FRAC_1_PI
            }
        };
        Self { position, shine, brightness: color.dot(vec3(0.2126, 0.7152, 0.0722)), number }
    }

    /// The unit direction to it if it is infinitely far away.
    #[inline(always)]
    pub(super) fn distant(&self) -> Option<Vec3> {
        match self.shine {
            Shine::EmitterKind(EmitterKind::Distant { to_light, .. }) => Some(to_light),
            _ => None,
        }
    }

    /// From some points to it.
    #[inline(always)]
    pub(super) fn towards<S: Simd>(&self, simd: S, points: V<S>) -> V<S> {
        match self.distant() {
            Some(to) => splat(simd, to),
            None => sub(splat(simd, self.position), points),
        }
    }
}

/// Radiant intensity, W/sr, or of lights infinitely far away irradiance, W/m².
pub(super) fn intensity(glow: &EmitterKind) -> Vec3 {
    match *glow {
        EmitterKind::Area { intensity, .. }
        | EmitterKind::Point { intensity }
        | EmitterKind::Spot { intensity, .. } => intensity,
        EmitterKind::Distant { irradiance, .. } => irradiance,
    }
}

/// How it shines.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shine {
    /// As a light, or as a diffuse surface.
    EmitterKind(EmitterKind),
    /// As a surface of another kind reflects light from one direction.
    Glossy(Glossy),
}

/// A lit surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glossy {
    pub(super) frame: Frame,
    /// Unit, on the side that the light came from.
    pub(super) ng: Vec3,
    pub(super) bsdf: Bsdf,
    /// To where the light came from, in the frame.
    pub(super) wi: Vec3,
    /// That arrived, W.
    pub(super) flux: Vec3,
}

impl Glossy {
    /// What it sends to a unit direction in the world over the cosine with `ng`, W/sr.
    #[inline(always)]
    pub(super) fn intensity_over_cos(&self, to: Vec3) -> Vec3 {
        let cos = self.ng.dot(to);
        let local = self.frame.local_from_world(to);
        if cos <= 0.0 || local.z * self.wi.z <= 0.0 {
            return Vec3::ZERO;
        }
        // `eval` has the cosine of its second direction: f cos(to), by reciprocity
        self.flux * self.bsdf.eval(VPL_LOBES, self.wi, local) / cos
    }
}

/// All VPLs of a frame.
#[derive(Clone, Debug)]
pub(super) struct Vpls {
    /// Those of each share of each set; see [`share`].
    pub(super) shares: Vec<Vec<Vpl>>,
    /// Upper bound of geometry terms, 1/m².
    pub(super) bound: f32,
}

/// The share of VPLs that lights one camera ray of a pixel: a group of points.
#[inline(always)]
pub(super) fn share(job: &Job<'_>, pixel: [u32; 2], ray: u32) -> u32 {
    set_at(job, pixel) * job.igi.subsets() + ray
}

/// The group of points that are lit by a whole set, each share of it doing its part.
#[inline(always)]
pub(super) fn whole(job: &Job<'_>, pixel: [u32; 2]) -> u32 {
    first_whole(job.igi) + set_at(job, pixel)
}

/// The first such group: shares have the numbers before.
#[inline(always)]
pub(super) fn first_whole(igi: &Igi) -> u32 {
    igi.sets() * igi.subsets()
}

/// The set that lights a pixel.
///
/// Where frames are filtered, sets are repeated every n pixels, so that each window of the filter has all of them. In others each block of n × n pixels
/// has them moved around by chance: pixels n apart that shared all their errors would leave a pattern in the mean of many frames.
#[inline(always)]
fn set_at(job: &Job<'_>, [x, y]: [u32; 2]) -> u32 {
    let n = job.igi.interleave;
    let [right, down] = match job.igi.filters(job.pass) {
        true => [0, 0],
        false => {
            let words = pcg4d([x / n, y / n, job.pass, job.view.spec.seed ^ MOVED]);
            [words[0] >> 16, words[1] >> 16]
        }
    };
    (y + down) % n * n + (x + right) % n
}
