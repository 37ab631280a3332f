//! One GPU for worlds that change: what was uploaded and compiled for one picture serves the next.

use std::sync::Arc;

use fearless_simd::Level;
use sunfleck_image::Film;
use sunfleck_integrators::{Algorithm, Outcome, ViewSpec, World};

use crate::film::MeansKernels;
use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun, unsupported};
use crate::{FrameSequence, GPU_INTEGRATORS, Gpu, GpuError, LivePicture, MirrorOptions, SceneMirror};

/// Renders one world after the other by any algorithm that has kernels. It holds the mirror of the last world, which follows to the next, and the kernels that
/// have been asked for.
#[derive(Debug)]
pub struct Renderer {
    gpu: Arc<Gpu>,
    scene: Scene,
    /// Of each row of the table, if it has been asked for.
    integrators: [Option<Box<dyn GpuIntegrator>>; GPU_INTEGRATORS.len()],
    /// Of live pictures.
    means: Option<Arc<MeansKernels>>,
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
        Self { gpu, scene: Scene::default(), integrators: Default::default(), means: None }
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
        row_of(algorithm).map(drop)
    }

    /// Renders samples into a film, which is of the size of `spec`: the twin of [`sunfleck_integrators::render`]. What the film held is replaced; it has the
    /// channels that are recorded.
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
        run: &RenderRun<'_>,
    ) -> Result<Outcome, GpuError> {
        let spec = ViewSpec { aovs: film.aovs(), ..*spec };
        let (integrator, request) = self.ready(world, &spec, algorithm, level)?;
        integrator.render(&request, film, run)
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
            None => Arc::new(MeansKernels::new(&gpu)?),
        };
        let means = self.means.insert(means).clone();
        let (integrator, request) = self.ready(world, spec, algorithm, level)?;
        let source = integrator.live(&request, first)?;
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
        let (integrator, request) = self.ready(world, spec, algorithm, level)?;
        integrator.sequence(&request, frames)
    }

    /// The kernels of an algorithm, made anew where those that there are do not serve, and the mirror of a world.
    fn ready<'a>(
        &'a mut self,
        world: &'a Arc<World>,
        spec: &'a ViewSpec,
        algorithm: &'a Algorithm,
        level: Level,
    ) -> Result<(&'a dyn GpuIntegrator, RenderRequest<'a>), GpuError> {
        let Self { gpu, scene, integrators, .. } = self;
        let scene = scene.turn_to(gpu, world)?;
        let row = row_of(algorithm)?;
        let integrator = match integrators[row].take().filter(|integrator| integrator.serves(scene)) {
            Some(integrator) => integrator,
            None => (GPU_INTEGRATORS[row].compile)(gpu, scene)?,
        };
        let integrator = integrators[row].insert(integrator);
        Ok((&**integrator, RenderRequest { scene, world, spec, algorithm, level }))
    }
}

/// The number of an algorithm's row.
fn row_of(algorithm: &Algorithm) -> Result<usize, GpuError> {
    GPU_INTEGRATORS.iter().position(|row| (row.is_of)(algorithm)).ok_or_else(|| unsupported(algorithm))
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
