//! Measurement of the light that a camera sees, by a few thousand paths.

use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_image::{Aov, AovSet, Film};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Algorithm, PlacedCamera, Schedule, StopRules, View, ViewSpec, World, render};
use sunfleck_math::Vec3;

/// Pixels of the measurement, with one path each.
const WIDTH: u32 = 72;
const HEIGHT: u32 = 48;
/// Longest path: light that arrives by more reflections alone is too dim to see by.
const MAX_BOUNCES: u32 = 4;
/// Least share of reflected light in the light that visible surfaces send to the camera. Emissive lines of a model that
/// light nothing but themselves have less.
const MIN_REFLECTED: f32 = 0.1;
/// Least fraction of the visible surfaces that reflect any light.
const MIN_LIT: f32 = 0.02;

/// Light that a camera sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lighting {
    /// Number of camera rays that hit a surface.
    pub(super) surfaces: u32,
    /// Fraction of the visible surfaces that reflect light to the camera.
    pub(super) lit: f32,
    /// Share of reflected light in the light that surfaces send to the camera; the rest is emitted by them.
    reflected: f32,
}

impl Lighting {
    /// Traces the paths: once with all scattering events, and once with none, which leaves emission alone. Both use the
    /// same camera rays, so the difference is the reflected light.
    pub(super) fn measure(world: &World, camera: &PlacedCamera, level: Level) -> Self {
        let emitted = trace(world, camera, level, 0);
        let all = trace(world, camera, level, MAX_BOUNCES);
        let depth = emitted.depth().unwrap_or_default();
        let (emitted, all) = (emitted.radiance(), all.radiance());
        let pixels =
            emitted.pixels().iter().zip(all.pixels()).zip(&depth).filter(|(_, depth)| depth.is_finite());
        let (mut surfaces, mut lit, mut reflected, mut total) = (0u32, 0u32, 0.0, 0.0);
        for ((&emitted, &all), _) in pixels {
            let difference = (all - emitted).max(Vec3::ZERO);
            surfaces += 1;
            lit += u32::from(difference.max_element() > 0.0);
            reflected += difference.element_sum();
            total += all.element_sum();
        }
        Self {
            surfaces,
            lit: lit as f32 / surfaces.max(1) as f32,
            reflected: if total > 0.0 { reflected / total } else { 0.0 },
        }
    }

    /// Returns whether there is enough light to see the surfaces by.
    pub(super) fn is_sufficient(&self) -> bool {
        self.lit >= MIN_LIT && self.reflected >= MIN_REFLECTED
    }
}

fn trace(world: &World, camera: &PlacedCamera, level: Level, max_bounces: u32) -> Film {
    let aovs = AovSet::EMPTY.with(Aov::Depth);
    let view = View::new(world, ViewSpec { aovs, ..ViewSpec::new(camera, WIDTH, HEIGHT) });
    let path = Algorithm::Path(PathTracer { max_bounces, ..PathTracer::DEFAULT });
    let mut film = Film::new(WIDTH, HEIGHT, aovs);
    let schedule = Schedule { level, ..Schedule::default() };
    let one_sample = StopRules { samples: Some(1), time: None, noise: None };
    render(&view, &path, &mut film, 0, &one_sample, &schedule, &AtomicBool::new(false), &|_: &_| {});
    film
}
