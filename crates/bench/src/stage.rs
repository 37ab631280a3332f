use std::sync::Arc;

use fearless_simd::Level;
use sunfleck_engine::{
    Budget, Canvas, Device, EditableWorld, Engine, EngineOptions, FrameRequest, FrameResult, Presentation,
    StageChoice,
};
use sunfleck_image::{AovSet, Film, Filter, Picture};
use sunfleck_integrators::{Algorithm, Schedule, ViewSpec};
use sunfleck_scene::Scene;

use crate::BenchError;

/// A scene made ready, and what is seen of it.
#[derive(Debug)]
pub(crate) struct StagedScene {
    pub(crate) world: EditableWorld,
    /// From its first camera or, if it has none, from inside.
    pub(crate) frame: FrameRequest,
    engine: Engine,
    /// Of the frame before: a film that is used again is no work for the operating system.
    canvas: Canvas,
}

impl StagedScene {
    /// Errors: [`BenchError::Scene`] if the scene cannot be committed or has no camera, [`BenchError::Engine`].
    pub(crate) fn set(
        name: &str,
        scene: &Scene,
        level: Level,
        [width, height]: [u32; 2],
    ) -> Result<Self, BenchError> {
        let presented = Presentation::new(scene.clone(), StageChoice::Automatic, level)
            .map_err(|error| BenchError::Scene(format!("{name}: {error}")))?;
        let camera = presented.cameras(width as f32 / height as f32).into_iter().next();
        let camera = camera.ok_or_else(|| BenchError::Scene(format!("{name}: there is no camera")))?;
        let world = presented.world;
        let frame = FrameRequest { filter: Filter::Box, ..FrameRequest::new(camera, width, height) };
        let engine = Engine::new(EngineOptions {
            threads: rayon::current_num_threads(),
            schedule: Schedule { level, ..Schedule::default() },
            device: Device::Processor,
            ..EngineOptions::default()
        })?;
        Ok(Self { world, frame, engine, canvas: Canvas::new() })
    }

    /// How its frame is seen.
    pub(crate) fn view(&self) -> ViewSpec {
        self.frame.view()
    }

    /// An image of so many samples, and how it was made.
    pub(crate) fn shoot(&self, algorithm: &Algorithm, samples: u32) -> (Arc<Picture>, FrameResult) {
        self.canvas.clear();
        let frame = FrameRequest { algorithm: *algorithm, ..self.frame.clone() };
        self.shoot_onto(&self.canvas, &frame, samples)
    }

    /// The same of another frame, onto another canvas.
    pub(crate) fn shoot_onto(
        &self,
        canvas: &Canvas,
        frame: &FrameRequest,
        samples: u32,
    ) -> (Arc<Picture>, FrameResult) {
        let frame = FrameRequest { budget: Budget::samples(samples), ..frame.clone() };
        let shot = self.engine.render(&self.world, &frame, canvas).wait();
        let nothing = || Arc::new(Film::new(frame.width, frame.height, AovSet::EMPTY).radiance());
        (canvas.picture().unwrap_or_else(nothing), shot)
    }
}
