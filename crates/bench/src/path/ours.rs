//! Sunfleck as one of the renderers.

use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film, Filter, Picture};
use sunfleck_integrators::{Algorithm, PlacedCamera, Schedule, StopRules, View, ViewSpec, World, render};

use super::{PathSettings, Renderer};
use crate::BenchError;
use crate::clock::{ClockScope, Elapsed, Stopwatch};

/// Path tracer of Sunfleck.
pub(super) struct Ours<'a> {
    pub(super) world: &'a World,
    pub(super) camera: &'a PlacedCamera,
    pub(super) settings: &'a PathSettings,
    pub(super) pool: &'a rayon::ThreadPool,
}

impl Renderer for Ours<'_> {
    fn name(&self) -> String {
        format!("Sunfleck {}", env!("CARGO_PKG_VERSION"))
    }

    fn render(&mut self, samples: u32, seed: u32) -> Result<(Picture, Elapsed), BenchError> {
        let [width, height] = self.settings.size;
        let spec = ViewSpec { seed, filter: Filter::Box, ..ViewSpec::new(self.camera, width, height) };
        let view = View::new(self.world, spec);
        let stop = StopRules { samples: Some(samples), time: None, noise: None };
        let schedule = Schedule { level: self.settings.level, ..Schedule::default() };
        let path = Algorithm::Path(self.settings.path);
        let watch = Stopwatch::start(ClockScope::Process);
        let film = self.pool.install(|| {
            let mut film = Film::new(width, height, AovSet::EMPTY);
            render(&view, &path, &mut film, 0, &stop, &schedule, &AtomicBool::new(false), &|_: &_| {});
            film
        });
        Ok((film.radiance(), watch.stop()))
    }
}
