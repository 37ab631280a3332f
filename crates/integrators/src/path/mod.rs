//! The reference: unbiased path tracing [Kajiya86, path tracing] with next-event estimation, multiple importance
//! sampling and Russian roulette, organised as stages over streams of rays.
//!
//! All samples of a tile are computed together. Each wave extends the live paths by one bounce:
//!
//! ```text
//! generate ▶ ┌ intersect ▶ sort by material ▶ shade ┬▶ test shadow rays ┐ ▶ film
//!            └──────────────── live paths ◀─────────┘                   │
//!                                    ▲──────────────────────────────────┘
//! ```
//!
//! The contribution of a path to its pixel depends only on its own random numbers, and is summed in the order of its
//! bounces, so neither the sorting nor the size of the stream changes a bit of the image.

mod batch;
mod diffuse;
mod sample_rows;
mod spawned_rays;
mod stages;
mod streams;

use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};
use sunfleck_constants::path::MOST_SURVIVAL;
use sunfleck_image::{AovSet, FilmTile, PixelSample};
use sunfleck_math::Vec3;
use sunfleck_scene::parameters;
use sunfleck_transport::survives;

use crate::Algorithm;
use crate::integrator::{AddSamples, Integrator, PreparedIntegrator};
use crate::stage_times::{RenderStage, StageTimer, StageTimes};
use crate::view::{RayCount, SampleId, View};
use streams::Streams;

parameters! {
    /// The parameters of path tracing.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct PathTracer {
        /// Paths end after this many scattering events; small values lose light.
        /// The default loses less than rounding does.
        pub max_bounces: u32 = 512, in 0..=100_000;
        /// Russian roulette may end a path after this many scattering events.
        pub roulette_after: u32 = 3, in 0..=100_000;
        /// Number of samples per pixel in one frame; the samples of an image are counted in frames.
        pub frame_samples: u32 = 1, in 1..=64;
        /// Limit of the radiance of each contribution of a path by light scattered at least twice; 0 has no limit.
        /// It removes fireflies, and the light that they carry.
        pub firefly_clamp: f32 = 0.0, in 0.0..=1e9;
    }
}

impl Integrator for PathTracer {
    fn name(&self) -> &'static str {
        "path"
    }

    fn summary(&self) -> &'static str {
        "unbiased path tracing with next-event estimation and multiple importance sampling"
    }

    fn samples_per_frame(&self) -> u32 {
        self.frame_samples
    }

    fn while_moving(&self, on_gpu: bool) -> Option<Algorithm> {
        (!on_gpu).then(|| Self { frame_samples: 1, ..*self }.into())
    }

    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, _first_sample: u32) -> PreparedIntegrator<'a> {
        PreparedIntegrator::Sums(Box::new(PathRenderer { path: *self, level, view }))
    }
}

/// Path tracing of one view.
#[derive(Debug)]
struct PathRenderer<'a> {
    path: PathTracer,
    level: Level,
    view: &'a View<'a>,
}

impl AddSamples for PathRenderer<'_> {
    fn add(&self, samples: &[SampleId], sums: &mut FilmTile, times: &mut StageTimes) -> RayCount {
        let Self { path, level, view } = self;
        dispatch!(*level, simd => path.render(simd, view, samples, sums, times))
    }
}

impl PathTracer {
    /// Parameters of interactive frames, which are denoised: 20 to 25 rays per pixel in the interiors that were
    /// measured. More paths with fewer bounces each, or fewer and longer ones, are noisier for the same number of rays.
    pub const INTERACTIVE: Self = Self { roulette_after: 2, frame_samples: 4, ..Self::DEFAULT };

    /// Returns the share of a contribution that the [limit of fireflies](Self::firefly_clamp) leaves.
    ///
    /// * `scatterings` — number of surfaces that scattered the light.
    #[inline(always)]
    fn share_left(&self, scatterings: u32, radiance: Vec3) -> f32 {
        let largest = radiance.max_element();
        if self.firefly_clamp > 0.0 && scatterings >= 2 && largest > self.firefly_clamp {
            self.firefly_clamp / largest
        } else {
            1.0
        }
    }

    /// Applies Russian roulette: a path survives with the probability of its throughput. Returns the throughput of a
    /// survivor.
    ///
    /// The scale of radiance by refraction is left out, since it is undone where the path leaves the medium again
    /// [PBRT4, path integrator].
    ///
    /// * `scatterings` — number of surfaces that have scattered the path before.
    /// * `eta_scale` — see [`LivePaths::eta_scale`](streams::LivePaths::eta_scale).
    #[inline(always)]
    fn survivor(&self, scatterings: u32, throughput: Vec3, eta_scale: f32, u: f32) -> Option<Vec3> {
        if throughput == Vec3::ZERO || !throughput.is_finite() {
            return None;
        }
        if scatterings < self.roulette_after {
            return Some(throughput);
        }
        let survival = (throughput * eta_scale).max_element().min(MOST_SURVIVAL);
        survives(survival, u).then(|| throughput / survival)
    }

    /// Adds samples to every pixel of a tile.
    #[inline(always)]
    fn render<S: Simd>(
        &self,
        simd: S,
        view: &View<'_>,
        samples: &[SampleId],
        tile: &mut FilmTile,
        times: &mut StageTimes,
    ) -> RayCount {
        let mut timer = StageTimer::start(times);
        let mut streams = Streams::with_capacity(samples.len());
        let mut rays = RayCount::default();
        stages::generate(simd, view, samples, &mut streams);
        for bounce in 0.. {
            rays.intersect += streams.live.len() as u64;
            stages::intersect(simd.level(), view, bounce, &mut streams);
            timer.end(RenderStage::Trace);
            // Channels of the first surface need all of its data
            streams.sort_by_material(view.world, bounce > 0 || view.aovs == AovSet::EMPTY);
            stages::shade(simd, view, self, bounce, &mut streams);
            timer.end(RenderStage::Shade);
            rays.occluded += streams.shadow.len() as u64;
            stages::test_shadow_rays(simd.level(), view, self, bounce, &mut streams);
            timer.end(RenderStage::Shadows);
            if streams.live.is_empty() {
                break;
            }
        }
        for result in &streams.results {
            let [x, y] = result.id.pixel;
            let sample =
                PixelSample { radiance: result.radiance, weight: result.film_weight, aov: result.aov };
            tile.add(x, y, &sample);
        }
        timer.end(RenderStage::Film);
        rays.intersect += streams.feature_rays.intersect;
        rays
    }
}
