//! Instant Global Illumination [Wald03, §12–14]: full global illumination recomputed in every frame.
//!
//! A few walks from the lights leave virtual point lights (VPLs) where they end [Keller97, instant radiosity]. Each pixel is lit by one of
//! `n × n` sets of them, a different one than its neighbours' [Keller01, interleaved sampling]; the structured noise that
//! this leaves is removed by a filter that mixes only what lies on one surface, the discontinuity buffer. Of the `N` camera
//! rays of a pixel each is lit by its own `N`-th of the set (§13.2).
//!
//! ```text
//! once:     choose lights ▶ walk ▶ VPLs, photons
//! per tile: camera packets ▶ first surfaces ┬▶ shadow packets to VPLs ▶ SIMD shading ▶ + photons ▶ irradiance, albedo, normals
//!                    ▲── sharp reflections ◀┘
//! at last:  discontinuity filter ▶ albedo × irradiance + rest ▶ film
//! ```
//!
//! Where there are many lights, a coarse path-traced picture of every frame tells which of them matter in it (§14).
//!
//! What we changed: every light walk leaves one VPL, where it is absorbed, so that all carry about the same flux and their
//! number is known; lights are sampled by VPLs of their own. The geometry term is bounded; what the bound takes away is put
//! back by short paths [Kollig04, bias compensation], so that frames that are added up converge to what [`path`](crate::path)
//! computes. Caustics are left to photons ([`Igi::photons`]).

mod blocks;
mod camera;
mod chance;
mod choice;
mod discontinuity;
mod frame;
mod gather;
mod memory;
mod packed;
mod paths;
mod photons;
mod primary;
mod shadow_rays;
mod tile_sums;
mod transfer;
mod vpl;
mod walks;
mod window;

use fearless_simd::Level;
use serde::{Deserialize, Serialize};
use sunfleck_image::{Aov, AovSet};
use sunfleck_scene::parameters;

use crate::Algorithm;
use crate::integrator::{FrameFilter, Integrator, Prepared};
use crate::view::View;

pub(crate) use choice::Choice;
pub use choice::coarse_squares;
use frame::Frame;
pub use memory::MEMORY_DECAY;
pub use packed::{VirtualLight, light_sums, virtual_lights};

parameters! {
    /// The parameters of Instant Global Illumination.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Igi {
        /// Virtual point lights (VPLs) that light a pixel in one frame.
        pub vpls: u32 = 16, in 1..=4096;
        /// Edge of the pattern of VPL sets; 1 lights all pixels by the same set.
        pub interleave: u32 = 5, in 1..=8, unit "pixels";
        /// Camera rays of a pixel in one frame; each is lit by its share of the VPLs.
        pub antialias: u32 = 4, in 1..=16;
        /// Geometry terms are bounded to that of facing surfaces at this fraction of the mean distance seen.
        pub clamp: f32 = 0.1, in 0.0..=10.0;
        /// VPLs that contribute less than this fraction of a point's mean cast shadow rays by Russian roulette; 0 has all cast them.
        pub roulette: f32 = 0.1, in 0.0..=10.0;
        /// Whether short paths add the light that the bound takes away (bias compensation).
        pub compensate: bool = true;
        /// Whether the discontinuity filter runs on the first frames, as many as there are VPL sets.
        pub filter: bool = true;
        /// Fraction of the choice of lights that follows an estimate of their contribution to the picture; the rest follows their power.
        /// The estimate is that of [Wald03, §14].
        pub importance: f32 = 0.9, in 0.0..=0.99;
        /// Whether that estimate is smoothed over neighbouring lights.
        /// Without, it is the paper's scheme.
        pub smooth: bool = true;
        /// Specular bounces that a path follows.
        pub max_bounces: u32 = 16, in 0..=1000;
        /// Light paths of a frame that leave photons of caustics; 0 leaves caustics out.
        /// Scenes without specular lobes have none.
        pub photons: u32 = 0, in 0..=10_000_000;
        /// Radius in which surfaces gather photons, as a fraction of the mean distance seen; smaller in later frames.
        pub photon_radius: f32 = 0.02, in 0.0001..=1.0;
    }
}

impl Integrator for Igi {
    fn name(&self) -> &'static str {
        "igi"
    }

    fn summary(&self) -> &'static str {
        "instant global illumination: virtual point lights, interleaved and filtered"
    }

    /// One for a scene that is moved about in, and one to look at, beside the [preview](Igi::preview).
    fn presets(&self) -> Vec<(&'static str, Algorithm)> {
        let interactive = Self { compensate: false, ..Self::DEFAULT };
        let to_look_at = Self { vpls: 64, photons: 100_000, ..Self::DEFAULT };
        [("preview", Self::preview()), ("interactive", interactive), ("final", to_look_at)]
            .map(|(name, igi)| (name, igi.into()))
            .into()
    }

    fn channels(&self) -> AovSet {
        AovSet::ALL.without(Aov::AmbientOcclusion)
    }

    fn while_moving(&self, on_gpu: bool) -> Option<Algorithm> {
        on_gpu.then(|| (*self).into())
    }

    fn cost(&self) -> Option<f64> {
        Some(f64::from(self.vpls) + 2.0 * f64::from(self.antialias))
    }

    /// Fewer virtual point lights, or fewer camera rays, which cost more than shadow rays and are missed less.
    fn cheaper(&self) -> Option<Algorithm> {
        let Self { vpls, antialias, .. } = *self;
        let cheaper = match antialias > 1 && vpls <= 4 * antialias {
            true => Self { antialias: antialias / 2, ..*self },
            false => Self { vpls: vpls / 2, ..*self },
        };
        (vpls > 2 || antialias > 1).then(|| cheaper.into())
    }

    fn frame_filter(&self) -> Option<&dyn FrameFilter> {
        Some(self)
    }

    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, first_sample: u32) -> Prepared<'a> {
        Prepared::Light(Box::new(Frame::begin(level, view, *self, first_sample)))
    }
}

impl Igi {
    /// The fastest picture that shows what is where.
    pub const fn preview() -> Self {
        Self { vpls: 8, antialias: 1, compensate: false, ..Self::DEFAULT }
    }

    /// What each of some frames has whose mean has these: camera rays, virtual point lights and photons, at least one of those that there are.
    #[must_use]
    pub fn part(&self, frames: u32) -> Self {
        let part = |count: u32| count.div_ceil(frames.max(1));
        Self { vpls: part(self.vpls), antialias: part(self.antialias), photons: part(self.photons), ..*self }
    }

    /// Number of sets.
    pub fn sets(&self) -> u32 {
        self.interleave * self.interleave
    }

    /// Shares of a set: no more camera rays than VPLs are of use.
    pub fn subsets(&self) -> u32 {
        self.antialias.min(self.vpls).max(1)
    }

    /// VPLs of a share.
    pub fn vpls_per_subset(&self) -> u32 {
        self.vpls.div_ceil(self.subsets())
    }

    /// VPLs of a set.
    pub fn vpls_per_set(&self) -> u32 {
        self.subsets() * self.vpls_per_subset()
    }

    /// Whether the filter works on frame number `pass`.
    pub fn filters(&self, pass: u32) -> bool {
        self.filter && self.interleave > 1 && pass < self.sets()
    }

    /// Whether pixels whose camera rays all meet the same are lit as a whole in frame number `pass`.
    pub fn merges(&self, pass: u32) -> bool {
        self.filters(pass) && self.subsets() > 1
    }

    /// From how far a point takes photons in frame number `pass`, as a share of how far the camera sees. The mean of frames converges: their bias
    /// vanishes as the radius does, and their variance grows more slowly than their number [Knaus11, radius sequence].
    #[allow(clippy::cast_possible_truncation, reason = "a share of at most 1")]
    pub fn photon_share(&self, pass: u32) -> f32 {
        const ALPHA: f64 = 2.0 / 3.0;
        let area: f64 = (1..=pass).map(|i| (f64::from(i) + ALPHA) / (f64::from(i) + 1.0)).product();
        self.photon_radius * area.sqrt() as f32
    }
}
