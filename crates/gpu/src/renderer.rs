//! One GPU for worlds that change: what was uploaded and compiled for one picture serves the next.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use fearless_simd::Level;
use sunfleck_image::Film;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{Algorithm, Observer, Outcome, Status, StopRules, View, ViewSpec, World};

use crate::{Gpu, GpuError, IgiRenderer, IgiSequence, PathRenderer, SceneMirror, WhittedRenderer};

/// Renders one world after the other by any algorithm. It holds the mirror of the last one, which follows to the next, and the kernels of the algorithms that
/// have been asked for.
#[derive(Debug)]
pub struct Renderer {
    gpu: Arc<Gpu>,
    scene: Option<SceneMirror>,
    /// The world that the mirror holds; none if it holds none as a whole.
    of: Option<Arc<World>>,
    path: Option<PathRenderer>,
    whitted: Option<WhittedRenderer>,
    igi: Option<IgiRenderer>,
}

/// Samples until noise is looked at again.
const ROUND: u32 = 16;

impl Renderer {
    /// Nothing is uploaded or compiled yet.
    pub fn new(gpu: Arc<Gpu>) -> Self {
        Self { gpu, scene: None, of: None, path: None, whitted: None, igi: None }
    }

    /// The one it works on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Renders into `film`, which is of the size of `spec` and already holds `first` samples of the same view, usually none; `stop` is about all of them, and
    /// so is what is returned: the twin of [`sunfleck_integrators::render`]. After an error the film has what it had.
    ///
    /// * `level` — of what the processor finds out for classical ray tracing: ambient light.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn render(
        &mut self,
        world: &Arc<World>,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        level: Level,
        film: &mut Film,
        first: u32,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Outcome, GpuError> {
        let spec = ViewSpec { aovs: film.aovs(), ..*spec };
        let order = Order { world, spec: &spec, algorithm, level, cancel };
        if first == 0 {
            return self.add(&order, film, 0, stop, observer).inspect_err(|_| film.clear());
        }
        // Noise is that of all samples, so it is looked at between rounds of new ones
        let (start, mut done) = (Instant::now(), None::<Outcome>);
        loop {
            let before = done.map_or(first, |done| done.samples);
            let end = if stop.noise.is_some() { before.saturating_add(ROUND) } else { u32::MAX };
            let left = stop.time.map(|time| time.saturating_sub(start.elapsed()));
            let round = StopRules { samples: Some(stop.target().min(end)), time: left, noise: None };
            let mut part = Film::new(film.width(), film.height(), film.aovs());
            let onto = Onto { film, first: before, observer };
            let mut outcome = self.add(&order, &mut part, before, &round, &onto)?;
            film.add(&part);
            if let Some(done) = done {
                outcome.rays += done.rays;
            }
            outcome.elapsed = start.elapsed();
            let cancelled = cancel.load(std::sync::atomic::Ordering::Relaxed);
            let enough = outcome.samples >= stop.target() || stop.out_of_time(outcome.elapsed);
            if cancelled || enough || stop.noise.is_none() || stop.clean(Some(film.noise())) {
                return Ok(outcome);
            }
            done = Some(outcome);
        }
    }

    /// Samples from number `first` on into an empty film.
    fn add(
        &mut self,
        order: &Order<'_>,
        film: &mut Film,
        first: u32,
        stop: &StopRules,
        observer: &dyn Observer,
    ) -> Result<Outcome, GpuError> {
        let Order { world, spec, algorithm, level, cancel } = *order;
        self.turn_to(world)?;
        let Self { gpu, scene: Some(scene), path, whitted, igi, .. } = self else {
            return Err(GpuError::lost("there is no mirror"));
        };
        let more = StopRules { samples: Some(stop.target().saturating_sub(first)), ..*stop };
        let samples = first..stop.target();
        let outcome = match algorithm {
            Algorithm::Path(parameters) => {
                let make = || PathRenderer::new(gpu, scene);
                let renderer = ready(path, |path| path.serves(scene), make)?;
                renderer
                    .picture(scene, spec, parameters, samples)?
                    .drive(film, &more, cancel, observer, None)?
            }
            Algorithm::Whitted(parameters) => {
                let make = || WhittedRenderer::new(gpu, scene);
                let renderer = ready(whitted, |whitted| whitted.serves(scene), make)?;
                let ambient = parameters.ambient_light(level, &View::new(world, *spec));
                renderer
                    .picture(scene, spec, parameters, ambient, samples)?
                    .drive(film, &more, cancel, observer, None)?
            }
            Algorithm::Igi(parameters) => {
                let renderer = ready(igi, |igi| igi.serves(scene), || IgiRenderer::new(gpu, scene))?;
                renderer
                    .render_some(scene, world, spec, parameters, film, first, &more, cancel, observer, None)?
            }
        };
        Ok(Outcome { samples: first + outcome.samples, ..outcome })
    }

    /// Begins a sequence: see [`IgiRenderer::sequence`]. It ends when something else is rendered of another world.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn sequence(
        &mut self,
        world: &Arc<World>,
        spec: &ViewSpec,
        igi: &Igi,
        frames: u32,
    ) -> Result<IgiSequence, GpuError> {
        self.turn_to(world)?;
        let Self { gpu, scene: Some(scene), igi: kernels, .. } = self else {
            return Err(GpuError::lost("there is no mirror"));
        };
        let renderer = ready(kernels, |igi| igi.serves(scene), || IgiRenderer::new(gpu, scene))?;
        renderer.sequence(scene, world, spec, igi, frames)
    }

    /// Makes the mirror that of a world.
    fn turn_to(&mut self, world: &Arc<World>) -> Result<(), GpuError> {
        if self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, world)) {
            return Ok(());
        }
        self.of = None;
        match &mut self.scene {
            Some(scene) => _ = scene.update(&self.gpu, world)?,
            None => self.scene = Some(SceneMirror::new(&self.gpu, world)?),
        }
        self.of = Some(world.clone());
        Ok(())
    }
}

/// What is wanted.
#[derive(Clone, Copy)]
struct Order<'a> {
    world: &'a Arc<World>,
    spec: &'a ViewSpec,
    algorithm: &'a Algorithm,
    level: Level,
    cancel: &'a AtomicBool,
}

/// Kernels, made anew where those that there are do not serve.
fn ready<T>(
    kernels: &mut Option<T>,
    serve: impl Fn(&T) -> bool,
    make: impl FnOnce() -> Result<T, GpuError>,
) -> Result<&T, GpuError> {
    let made = match kernels.take().filter(serve) {
        Some(kernels) => kernels,
        None => make()?,
    };
    Ok(kernels.insert(made))
}

/// Tells an observer of the samples that there were before.
struct Onto<'a> {
    film: &'a Film,
    first: u32,
    observer: &'a dyn Observer,
}

impl Observer for Onto<'_> {
    fn tile(&self, status: &Status) {
        self.observer.tile(&Status { samples: self.first + status.samples, ..*status });
    }

    fn pass(&self, film: &Film, samples: u32) {
        let mut all = self.film.clone();
        all.add(film);
        self.observer.pass(&all, self.first + samples);
    }

    fn looks(&self) -> bool {
        self.observer.looks()
    }
}
