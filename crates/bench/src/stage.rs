use std::sync::Arc;

use fearless_simd::Level;
use sunfleck_engine::{
    Budget, Canvas, DenoiseMethod, Denoiser, Device, EditableWorld, Engine, EngineOptions, FrameRequest,
    FrameResult, Presentation, StageChoice,
};
use sunfleck_image::{AovSet, Film, Filter, Picture};
use sunfleck_integrators::{Algorithm, Schedule, ViewSpec};
use sunfleck_scene::Scene;

use crate::BenchError;

/// Committed scene with a view of it, and the engine that renders it on the CPU.
#[derive(Debug)]
pub(crate) struct StagedScene {
    pub(crate) world: EditableWorld,
    /// View of the first camera or, if the scene has none, a view from inside.
    pub(crate) frame: FrameRequest,
    engine: Engine,
    /// Reused by all frames, so that the operating system does not provide new pages for each film.
    canvas: Canvas,
}

impl StagedScene {
    /// Commits a scene and starts an engine with as many threads as the current rayon pool.
    ///
    /// Errors: [`BenchError::Scene`] if the scene cannot be committed or has no camera, [`BenchError::Engine`].
    pub(crate) fn new(
        name: &str,
        scene: &Scene,
        level: Level,
        [width, height]: [u32; 2],
    ) -> Result<Self, BenchError> {
        let presented = Presentation::new(scene.clone(), StageChoice::Automatic, level)
            .map_err(|error| BenchError::Scene(format!("{name}: {error}")))?;
        let camera = presented.cameras(width as f32 / height as f32).into_iter().next();
        let camera = camera.ok_or_else(|| BenchError::Scene(format!("{name}: the scene has no camera")))?;
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

    /// Returns the view of the frame.
    pub(crate) fn view(&self) -> ViewSpec {
        self.frame.view()
    }

    /// Renders an image with `samples` samples per pixel; returns it with its statistics.
    pub(crate) fn render(&self, algorithm: &Algorithm, samples: u32) -> (Arc<Picture>, FrameResult) {
        self.canvas.clear();
        let frame = FrameRequest { algorithm: *algorithm, ..self.frame.clone() };
        self.render_onto(&self.canvas, &frame, samples)
    }

    /// Renders an image with `samples` samples per pixel and denoises it. Errors: those of the denoiser.
    pub(crate) fn denoised(&self, algorithm: &Algorithm, samples: u32) -> Result<Picture, BenchError> {
        let denoiser = Denoiser::new(DenoiseMethod::Auto)?;
        let frame = FrameRequest { algorithm: *algorithm, aovs: Denoiser::AOVS, ..self.frame.clone() };
        self.canvas.clear();
        let (picture, _) = self.render_onto(&self.canvas, &frame, samples);
        Ok(self.canvas.denoised(&denoiser)?.unwrap_or_else(|| picture.as_ref().clone()))
    }

    /// Renders another frame onto another canvas, as [`render`](Self::render).
    pub(crate) fn render_onto(
        &self,
        canvas: &Canvas,
        frame: &FrameRequest,
        samples: u32,
    ) -> (Arc<Picture>, FrameResult) {
        let frame = FrameRequest { budget: Budget::samples(samples), ..frame.clone() };
        let result = self.engine.render(&self.world, &frame, canvas).wait();
        let black = || Arc::new(Film::new(frame.width, frame.height, AovSet::EMPTY).radiance());
        (canvas.picture().unwrap_or_else(black), result)
    }
}
