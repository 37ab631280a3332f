use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_image::{Film, Filter, Picture};
use sunfleck_integrators::Memory;
use sunfleck_integrators::{Algorithm, Outcome, Schedule, Status, StopRules, View, ViewSpec, World, render};
use sunfleck_scene::Scene;

use crate::BenchError;

/// A scene made ready, and what is seen of it.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) world: World,
    /// From its first camera or, if it has none, from inside.
    pub(crate) view: ViewSpec,
    level: Level,
    /// Of the frame before: a film that is used again is no work for the operating system.
    film: RefCell<Film>,
}

impl Stage {
    /// Errors: [`BenchError::Scene`] if the scene cannot be committed or has no camera.
    pub(crate) fn set(
        name: &str,
        scene: &Scene,
        level: Level,
        [width, height]: [u32; 2],
    ) -> Result<Self, BenchError> {
        let world = World::commit(scene).map_err(|error| BenchError::Scene(format!("{name}: {error}")))?;
        let camera = world.cameras().first().cloned().or_else(|| world.view_from_inside(level));
        let camera = camera.ok_or_else(|| BenchError::Scene(format!("{name}: there is no camera")))?;
        let view = ViewSpec { filter: Filter::Box, ..ViewSpec::new(&camera, width, height) };
        let film = RefCell::new(Film::new(width, height, view.aovs));
        Ok(Self { world, view, level, film })
    }

    /// A picture of so many samples, and how it was made.
    pub(crate) fn shoot(&self, algorithm: &Algorithm, samples: u32) -> (Picture, Outcome) {
        self.shoot_from(self.view, algorithm, samples, None)
    }

    /// The same from elsewhere.
    ///
    /// * `memory` — of frames before, if the algorithm shall have one.
    pub(crate) fn shoot_from(
        &self,
        spec: ViewSpec,
        algorithm: &Algorithm,
        samples: u32,
        memory: Option<&Memory>,
    ) -> (Picture, Outcome) {
        let view = View::new(&self.world, spec);
        let view = if let Some(memory) = memory { view.with_memory(memory) } else { view };
        let mut film = self.film.borrow_mut();
        if (film.width(), film.height(), film.aovs()) == (spec.width, spec.height, spec.aovs) {
            film.clear();
        } else {
            *film = Film::new(spec.width, spec.height, spec.aovs);
        }
        let stop = StopRules { samples: Some(samples), ..StopRules::default() };
        let schedule = Schedule { level: self.level, ..Schedule::default() };
        let go_on = AtomicBool::new(false);
        let outcome = render(&view, algorithm, &mut film, 0, &stop, &schedule, &go_on, &|_: &Status| ());
        (film.radiance(), outcome)
    }
}
