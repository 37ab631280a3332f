//! The reference: unbiased path tracing [Kajiya86, path tracing] with next-event estimation, multiple importance sampling and
//! Russian roulette, organised as stages over streams of rays.
//!
//! All samples of a tile travel together. Each wave takes the live paths one bounce further:
//!
//! ```text
//! generate ▶ ┌ intersect ▶ sort by material ▶ shade ┬▶ test shadow rays ┐ ▶ film
//!            └──────────────── live paths ◀─────────┘                   │
//!                                    ▲──────────────────────────────────┘
//! ```
//!
//! What one path adds to its pixel depends on its own random numbers only, and is summed in the order of its bounces;
//! so neither the sorting nor the size of the stream changes a bit of the picture.

mod stages;
mod streams;

use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};
use sunfleck_image::{FilmTile, PixelSample};
use sunfleck_scene::parameters;

use crate::integrator::{AddSamples, Integrator, Prepared};
use crate::stage_times::{Lap, RenderStage, StageTimes};
use crate::view::{RayCount, TileSamples, View};
use streams::Streams;

parameters! {
    /// The path tracer's parameters.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct PathTracer {
        /// Paths end after this many scattering events; small values lose light.
        /// The default loses less than rounding does.
        pub max_bounces: u32 = 512, in 0..=100_000;
        /// Russian roulette may end a path after this many scattering events.
        pub roulette_after: u32 = 3, in 0..=100_000;
    }
}

impl Integrator for PathTracer {
    fn name(&self) -> &'static str {
        "path"
    }

    fn summary(&self) -> &'static str {
        "unbiased path tracing with next-event estimation and multiple importance sampling"
    }

    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, _first_sample: u32) -> Prepared<'a> {
        Prepared::Sums(Box::new(Paths { path: *self, level, view }))
    }
}

/// Ready for tiles: these share nothing.
#[derive(Debug)]
struct Paths<'a> {
    path: PathTracer,
    level: Level,
    view: &'a View<'a>,
}

impl AddSamples for Paths<'_> {
    fn add(&self, samples: &TileSamples, sums: &mut FilmTile, times: &mut StageTimes) -> RayCount {
        let Self { path, level, view } = self;
        dispatch!(*level, simd => path.render(simd, view, samples, sums, times))
    }
}

impl PathTracer {
    /// Adds samples to every pixel of a tile.
    #[inline(always)]
    fn render<S: Simd>(
        &self,
        simd: S,
        view: &View<'_>,
        job: &TileSamples,
        tile: &mut FilmTile,
        times: &mut StageTimes,
    ) -> RayCount {
        let mut lap = Lap::start(times);
        let mut streams = Streams::with_capacity(job.len());
        let mut rays = RayCount::default();
        stages::generate(simd, view, job, &mut streams);
        for bounce in 0.. {
            rays.intersect += streams.live.len() as u64;
            stages::intersect(simd, view, bounce, &mut streams);
            lap.end(RenderStage::Trace);
            streams.sort_by_material(view.world);
            stages::shade(simd, view, self, bounce, &mut streams);
            lap.end(RenderStage::Shade);
            rays.occluded += streams.shadow.len() as u64;
            stages::test_shadow_rays(simd, view, bounce, &mut streams);
            lap.end(RenderStage::Shadows);
            if streams.live.is_empty() {
                break;
            }
        }
        for (id, done) in job.iter().zip(&streams.done) {
            let sample = PixelSample { radiance: done.radiance, weight: done.film_weight, aov: done.aov };
            tile.add(id.pixel[0], id.pixel[1], &sample);
        }
        lap.end(RenderStage::Film);
        rays
    }
}
