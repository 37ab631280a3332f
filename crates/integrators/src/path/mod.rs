//! The boring reference: unbiased path tracing [Kajiya86, path tracing] with next-event estimation, multiple importance sampling and
//! Russian roulette, organised as stages over streams of rays (DESIGN.md, decision 2).
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

use fearless_simd::Simd;
use serde::{Deserialize, Serialize};
use sunfleck_image::{FilmTile, PixelSample};
use sunfleck_scene::parameter::{Kind, Parameter};

use crate::stage_times::{Lap, RenderStage, StageTimes};
use crate::view::{RayCount, TileSamples, View};
use streams::Streams;

/// The path tracer's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathTracer {
    /// Longest path: this many scatterings. The default loses less than rounding does.
    pub max_bounces: u32,
    /// Russian roulette may end a path after this many scatterings.
    pub roulette_after: u32,
}

impl PathTracer {
    /// The values that the table states.
    pub const DEFAULT: Self = Self { max_bounces: 512, roulette_after: 3 };

    /// Name, range, default and meaning of each.
    pub const PARAMETERS: &'static [Parameter] = &[
        Parameter {
            name: "max_bounces",
            kind: Kind::Integer { least: 0, most: 100_000, default: Self::DEFAULT.max_bounces },
            unit: "",
            summary: "paths end after this many scatterings; small values lose light",
        },
        Parameter {
            name: "roulette_after",
            kind: Kind::Integer { least: 0, most: 100_000, default: Self::DEFAULT.roulette_after },
            unit: "",
            summary: "Russian roulette may end dim paths after this many scatterings",
        },
    ];

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the table's ranges fit")]
    pub(crate) fn set(&mut self, name: &str, value: f64) {
        match name {
            "max_bounces" => self.max_bounces = value as u32,
            _ => self.roulette_after = value as u32,
        }
    }

    pub(crate) fn get(&self, name: &str) -> f64 {
        match name {
            "max_bounces" => self.max_bounces.into(),
            _ => self.roulette_after.into(),
        }
    }

    /// Adds samples to every pixel of a tile.
    #[inline(always)]
    pub(crate) fn render<S: Simd>(
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
