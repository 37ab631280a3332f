//! One GPU for worlds that change: what was uploaded and compiled for one picture serves the next.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_image::Film;
use sunfleck_integrators::{Algorithm, Observer, Outcome, StopRules, ViewSpec, World};
use sunfleck_shaders::film;

use crate::gpu_integrator::{DynGpuIntegrator, RenderRequest, unsupported};
use crate::pipeline::Pipeline;
use crate::{FrameSequence, Gpu, GpuError, LivePicture, MirrorOptions, SceneMirror, Supply};

/// Renders one world after the other by any algorithm that has kernels. It holds the mirror of the last world, which follows to the next, and the kernels that
/// have been asked for.
#[derive(Debug)]
pub struct Renderer {
    gpu: Arc<Gpu>,
    scene: Scene,
    integrators: Vec<Box<dyn DynGpuIntegrator>>,
    /// Of live pictures.
    means: Option<Pipeline>,
}

/// The mirror of a world.
#[derive(Debug, Default)]
struct Scene {
    mirror: Option<SceneMirror>,
    /// Which; none if it holds none as a whole.
    of: Option<Arc<World>>,
    /// How many it has held.
    worlds: u64,
    options: MirrorOptions,
}

impl Renderer {
    /// Nothing is uploaded or compiled yet.
    pub fn new(gpu: Arc<Gpu>) -> Self {
        Self { gpu, scene: Scene::default(), integrators: Vec::new(), means: None }
    }

    /// As [`new`](Self::new), for worlds that are edited while somebody looks: kernels are ready for what moves before anything does.
    pub fn of_changes(gpu: Arc<Gpu>) -> Self {
        let options = MirrorOptions { changes: true, ..MirrorOptions::default() };
        Self { scene: Scene { options, ..Scene::default() }, ..Self::new(gpu) }
    }

    /// The one it works on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Makes the mirror that of a world. Returns a number, which is another one whenever the world is: of no picture and no sequence that was begun under
    /// another number may more be asked.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if something else than triangles is placed in it; [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn hold(&mut self, world: &Arc<World>) -> Result<u64, GpuError> {
        self.scene.turn_to(&self.gpu, world)?;
        Ok(self.scene.worlds)
    }

    /// Whether there are kernels of an algorithm.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`].
    pub fn check(algorithm: &Algorithm) -> Result<(), GpuError> {
        let known = crate::GPU_INTEGRATORS.iter().any(|row| (row.is_of)(algorithm));
        if known { Ok(()) } else { Err(unsupported(algorithm)) }
    }

    /// Renders samples of some numbers into a film, which is of the size of `spec`, until a stop rule or `cancel` says enough: the twin of
    /// [`sunfleck_integrators::render`]. What the film held is replaced; it has the channels that are recorded.
    ///
    /// * `level` — of what the processor finds out for classical ray tracing: ambient light.
    /// * `samples` — their numbers.
    /// * `stop` — about these samples.
    /// * `supply` — limits them if others render the rest.
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
        samples: Range<u32>,
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
        supply: Option<&dyn Supply>,
    ) -> Result<Outcome, GpuError> {
        let spec = ViewSpec { aovs: film.aovs(), ..*spec };
        let (integrator, order) = self.ready(world, &spec, algorithm, level)?;
        integrator.render(&order, algorithm, film, samples, stop, cancel, observer, supply)
    }

    /// Begins a picture with the channels of `spec`, to which samples are added when they are wanted.
    ///
    /// * `level` — as for [`render`](Self::render). * `first` — number of its first sample.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn live(
        &mut self,
        world: &Arc<World>,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        level: Level,
        first: u32,
    ) -> Result<LivePicture, GpuError> {
        let gpu = self.gpu.clone();
        let means = match self.means.take() {
            Some(means) => means,
            None => Pipeline::new(&gpu, &film::MEANS, film::MEANS.text)?,
        };
        let means = self.means.insert(means).clone();
        let (integrator, order) = self.ready(world, spec, algorithm, level)?;
        let source = integrator.live(&order, algorithm, first)?;
        LivePicture::new(gpu, source, &means, [spec.width, spec.height], spec.aovs)
    }

    /// Begins a sequence: see [`IgiRenderer::sequence`](crate::IgiRenderer::sequence). `None`: frames of this algorithm do not take after one another.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn sequence(
        &mut self,
        world: &Arc<World>,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        level: Level,
        frames: u32,
    ) -> Result<Option<Box<dyn FrameSequence>>, GpuError> {
        let (integrator, order) = self.ready(world, spec, algorithm, level)?;
        integrator.sequence(&order, algorithm, frames).transpose()
    }

    /// The kernels of an algorithm, made anew where those that there are do not serve, and the mirror of a world.
    fn ready<'a>(
        &'a mut self,
        world: &'a Arc<World>,
        spec: &'a ViewSpec,
        algorithm: &Algorithm,
        level: Level,
    ) -> Result<(&'a dyn DynGpuIntegrator, RenderRequest<'a>), GpuError> {
        let Self { gpu, scene, integrators, .. } = self;
        let scene = scene.turn_to(gpu, world)?;
        integrators.retain(|integrator| !integrator.is_of(algorithm) || integrator.serves(scene));
        let at = match integrators.iter().position(|integrator| integrator.is_of(algorithm)) {
            Some(at) => at,
            None => {
                let row = crate::GPU_INTEGRATORS.iter().find(|row| (row.is_of)(algorithm));
                let row = row.ok_or_else(|| unsupported(algorithm))?;
                integrators.push((row.compile)(gpu, scene)?);
                integrators.len() - 1
            }
        };
        Ok((&*integrators[at], RenderRequest { scene, world, spec, level }))
    }
}

impl Scene {
    /// Makes it that of a world.
    fn turn_to(&mut self, gpu: &Gpu, world: &Arc<World>) -> Result<&SceneMirror, GpuError> {
        let is_known = self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, world));
        // Should this fail it holds no world as a whole
        self.of = None;
        let mirror = match self.mirror.take() {
            Some(mirror) if is_known => mirror,
            before => {
                self.worlds += 1;
                match before {
                    Some(mut mirror) => {
                        mirror.update(gpu, world)?;
                        mirror
                    }
                    None => SceneMirror::with_options(gpu, world, &self.options)?,
                }
            }
        };
        self.of = Some(world.clone());
        Ok(self.mirror.insert(mirror))
    }
}
