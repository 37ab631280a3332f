use sunfleck_math::{Frame, Vec3};
use sunfleck_shading::{Bsdf, Glow};

/// A virtual point light.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vpl {
    /// Meaningless for lights infinitely far away.
    pub(super) position: Vec3,
    pub(super) shine: Shine,
}

/// How it shines.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shine {
    /// As a light, or as a diffuse surface.
    Glow(Glow),
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
        self.flux * self.bsdf.eval_broad(self.wi, local) / cos
    }
}

/// All VPLs of a frame: for each set and each share of it.
#[derive(Clone, Debug)]
pub(super) struct Vpls {
    pub(super) groups: Vec<Vec<Vpl>>,
    /// Upper bound of geometry terms, 1/m².
    pub(super) bound: f32,
}
