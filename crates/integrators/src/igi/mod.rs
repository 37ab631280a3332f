//! Instant Global Illumination [Wald03, §12–14]: full global illumination recomputed in every frame.
//!
//! Random walks from the lights leave virtual point lights (VPLs) where they end [Keller97, instant radiosity]. Each
//! pixel is lit by one of `n × n` sets of VPLs, and neighbouring pixels use different sets [Keller01, interleaved
//! sampling]. The structured noise of the sets is removed by the discontinuity buffer, a filter over pixels that see
//! the same surface. Each of the `N` camera rays of a pixel is lit by a subset of its own, which holds 1/`N`
//! of the VPLs of the set (§13.2).
//!
//! ```text
//! per frame: sample lights ▶ random walks ▶ VPLs, photons
//! per tile:  camera packets ▶ first surfaces ┬▶ shadow packets to VPLs ▶ SIMD shading ▶ + photons ▶ irradiance, albedo
//!                    ▲─ specular reflection ◀┘
//! at the end: discontinuity filter ▶ albedo × irradiance + rest ▶ film
//! ```
//!
//! In scenes of many lights, a coarse path-traced image of every frame estimates how much each light contributes (§14).
//!
//! In contrast to the paper, every walk leaves exactly one VPL, where it is absorbed, so that all VPLs have about the
//! same flux and their number is known; points on lights have VPLs of their own. The geometry term is bounded, and
//! short paths add the light that the bound takes away [Kollig04, bias compensation], so that the mean of many frames
//! converges to the result of [`path`](crate::path). Caustics are computed by photons ([`Igi::photons`]).

mod blocks;
mod camera;
mod chance;
mod discontinuity;
mod frame;
mod gather;
mod light_distribution;
mod light_history;
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
use crate::integrator::{FrameFilter, Integrator, PreparedIntegrator};
use crate::path::PathTracer;
use crate::view::View;

use frame::IgiFrame;
pub(crate) use light_distribution::LightDistribution;
pub use light_distribution::coarse_squares;
pub use light_history::HISTORY_DECAY;
pub use packed::{VirtualLight, light_sums, virtual_lights};

parameters! {
    /// The parameters of instant global illumination.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Igi {
        /// Number of virtual point lights (VPLs) that light a pixel in one frame.
        pub vpls: u32 = 16, in 1..=4096;
        /// Edge length of the interleaving pattern of VPL sets; 1 lights all pixels by the same set.
        pub interleave: u32 = 5, in 1..=8, unit "pixels";
        /// Number of camera rays of a pixel in one frame; each is lit by its share of the VPLs.
        pub antialias: u32 = 4, in 1..=16;
        /// Bounds the geometry term by 1/d², where d is this fraction of the mean visible distance; 0 disables the bound.
        pub clamp: f32 = 0.1, in 0.0..=10.0;
        /// VPLs below this fraction of a point's mean contribution use Russian roulette for shadow rays; 0 disables it.
        pub roulette: f32 = 0.1, in 0.0..=10.0;
        /// Whether short paths add the light that the bound of the geometry term takes away (bias compensation).
        pub compensate: bool = true;
        /// Whether the discontinuity filter is applied to the first frames, as many as there are VPL sets.
        pub filter: bool = true;
        /// Fraction of lights sampled by their estimated contribution to the image; the others are sampled by power.
        /// The estimate is that of [Wald03, §14].
        pub importance: f32 = 0.9, in 0.0..=0.99;
        /// Whether the estimated contribution is smoothed over neighbouring lights.
        /// Without smoothing it is the scheme of the paper.
        pub smooth: bool = true;
        /// Largest number of specular bounces of a path.
        pub max_bounces: u32 = 16, in 0..=1000;
        /// Number of photon paths of a frame, which render caustics; 0 disables caustics.
        /// Scenes without specular lobes have no photons.
        pub photons: u32 = 0, in 0..=10_000_000;
        /// Radius of photon gathering, as a fraction of the mean visible distance; it shrinks from frame to frame.
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

    /// Returns the [preview](Igi::preview), the frames of the report, frames that are better when denoised, and one
    /// preset for final images.
    ///
    /// The preset `interactive` is path tracing: denoised, its error is a third to a half of that of a frame of virtual
    /// point lights with as many rays, whose blocks and blotches no denoiser removes.
    fn presets(&self) -> Vec<(&'static str, Algorithm)> {
        let of_report = Self { compensate: false, ..Self::DEFAULT };
        let final_image = Self { vpls: 64, photons: 100_000, ..Self::DEFAULT };
        vec![
            ("preview", Self::preview().into()),
            ("wald03", of_report.into()),
            ("interactive", PathTracer::INTERACTIVE.into()),
            ("final", final_image.into()),
        ]
    }

    fn channels(&self) -> AovSet {
        // The surface of one of the camera rays of a pixel is recorded, which is not its coverage
        let missing = [Aov::AmbientOcclusion, Aov::Diffuse, Aov::Alpha, Aov::Clamped];
        missing.into_iter().fold(AovSet::ALL, AovSet::without)
    }

    fn while_moving(&self, on_gpu: bool) -> Option<Algorithm> {
        on_gpu.then(|| (*self).into())
    }

    fn cost(&self) -> Option<f64> {
        Some(f64::from(self.vpls) + 2.0 * f64::from(self.antialias))
    }

    /// Returns the algorithm with half as many virtual point lights or camera rays. Camera rays cost more than shadow
    /// rays and contribute less to quality, so they are reduced first where there are few VPLs for each.
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

    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, first_sample: u32) -> PreparedIntegrator<'a> {
        PreparedIntegrator::Light(Box::new(IgiFrame::begin(level, view, *self, first_sample)))
    }
}

impl Igi {
    /// Returns the parameters of the fastest preview.
    pub const fn preview() -> Self {
        Self { vpls: 8, antialias: 1, compensate: false, ..Self::DEFAULT }
    }

    /// Divides camera rays, virtual point lights and photons by a number of frames, so that the mean of these frames
    /// has about as many as one frame of `self`. Nonzero numbers stay at least 1.
    #[must_use]
    pub fn part(&self, frames: u32) -> Self {
        let part = |count: u32| count.div_ceil(frames.max(1));
        Self { vpls: part(self.vpls), antialias: part(self.antialias), photons: part(self.photons), ..*self }
    }

    /// Returns the number of VPL sets.
    pub fn sets(&self) -> u32 {
        self.interleave * self.interleave
    }

    /// Returns the number of subsets of a set, which is the number of camera rays of a pixel: at most one for each VPL.
    pub fn subsets(&self) -> u32 {
        self.antialias.min(self.vpls).max(1)
    }

    /// Returns the number of VPLs of a subset.
    pub fn vpls_per_subset(&self) -> u32 {
        self.vpls.div_ceil(self.subsets())
    }

    /// Returns the number of VPLs of a set.
    pub fn vpls_per_set(&self) -> u32 {
        self.subsets() * self.vpls_per_subset()
    }

    /// Returns whether frame number `pass` is filtered.
    pub fn filters(&self, pass: u32) -> bool {
        self.filter && self.interleave > 1 && pass < self.sets()
    }

    /// Returns whether pixels whose camera rays all hit the same triangle are lit at a single point in frame number
    /// `pass`.
    pub fn merges(&self, pass: u32) -> bool {
        self.filters(pass) && self.subsets() > 1
    }

    /// Returns the radius of photon gathering in frame number `pass`, as a fraction of the mean distance that the
    /// camera sees. The mean of the frames converges, since their bias vanishes with the radius and their variance
    /// grows more slowly than their number [Knaus11, radius sequence].
    #[allow(clippy::cast_possible_truncation, reason = "a share of at most 1")]
    pub fn photon_share(&self, pass: u32) -> f32 {
        const ALPHA: f64 = 2.0 / 3.0;
        let area: f64 = (1..=pass).map(|i| (f64::from(i) + ALPHA) / (f64::from(i) + 1.0)).product();
        self.photon_radius * area.sqrt() as f32
    }
}
