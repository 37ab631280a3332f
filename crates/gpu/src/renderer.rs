//! A renderer for worlds that change: what was uploaded and compiled for one image is reused for the next.

use std::sync::Arc;

use fearless_simd::Level;
use sunfleck_image::Film;
use sunfleck_integrators::reuse::ChangeMap;
use sunfleck_integrators::{Algorithm, RayCount, RenderOutcome, ViewSpec, World};

use crate::denoise::Denoisers;
use crate::film::MeansKernels;
use crate::gpu_integrator::{GpuIntegrator, RenderRequest, RenderRun, unsupported};
use crate::reuse::{GpuProbes, NewFrame, ReuseKernels, ReuseState};
use crate::{
    FrameSequence, GPU_INTEGRATORS, Gpu, GpuError, GpuReuse, LivePicture, MirrorOptions, SceneMirror,
};

/// Renders one world after the other with any algorithm that has kernels. It holds the mirror of the last world, which
/// is updated to the next one, and all kernels compiled so far.
#[derive(Debug)]
pub struct Renderer {
    gpu: Arc<Gpu>,
    scene: HeldWorld,
    /// Integrators, by entry of the table; `None` if not used yet.
    integrators: [Option<Box<dyn GpuIntegrator>>; GPU_INTEGRATORS.len()],
    /// Kernels of live images; `None` if not used yet.
    means: Option<Arc<MeansKernels>>,
    /// Denoisers of live images.
    denoisers: Arc<Denoisers>,
    /// Kernels that reuse previous frames; `None` if not used yet.
    reuse: Option<ReuseKernels>,
}

/// The world that a renderer holds, and its mirror.
#[derive(Debug, Default)]
struct HeldWorld {
    mirror: Option<SceneMirror>,
    /// World of the mirror; `None` if an update failed.
    world: Option<Arc<World>>,
    /// Number of worlds held so far.
    world_count: u64,
    options: MirrorOptions,
}

impl Renderer {
    /// Creates a renderer. Nothing is uploaded or compiled yet.
    pub fn new(gpu: Arc<Gpu>) -> Self {
        Self {
            gpu,
            scene: HeldWorld::default(),
            integrators: Default::default(),
            means: None,
            denoisers: Arc::default(),
            reuse: None,
        }
    }

    /// As [`new`](Self::new), for worlds that are edited interactively: kernels are compiled for the features that
    /// edits may introduce.
    pub fn for_changing_worlds(gpu: Arc<Gpu>) -> Self {
        let options = MirrorOptions { changes: true, ..MirrorOptions::default() };
        Self { scene: HeldWorld { options, ..HeldWorld::default() }, ..Self::new(gpu) }
    }

    /// The GPU in use.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Updates the mirror to a world. Returns a number, which changes whenever the world does: images and sequences
    /// that were begun under another number must not be used any more.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the world has geometry other than triangles and shapes; [`GpuError::TooLarge`],
    /// [`GpuError::OutOfMemory`].
    pub fn hold(&mut self, world: &Arc<World>) -> Result<u64, GpuError> {
        self.scene.switch_to(&self.gpu, world)?;
        Ok(self.scene.world_count)
    }

    /// Checks that GPUs can render a view by an algorithm.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`].
    pub fn check(spec: &ViewSpec, algorithm: &Algorithm) -> Result<(), GpuError> {
        if !spec.shows_environment {
            return Err(GpuError::Unsupported { what: "transparent backgrounds" });
        }
        if matches!(algorithm, Algorithm::Path(path) if path.firefly_clamp > 0.0) {
            return Err(GpuError::Unsupported { what: "the limit of fireflies" });
        }
        if matches!(algorithm, Algorithm::Radiosity(radiosity) if !radiosity.is_light_of_texels()) {
            return Err(GpuError::Unsupported { what: "patches and pictures of radiosity" });
        }
        entry_of(algorithm).map(drop)
    }

    /// Renders samples into a film of the size of `spec`: the GPU counterpart of [`sunfleck_integrators::render`]. The
    /// content of the film is replaced; its channels are recorded.
    ///
    /// * `level` — SIMD level of what is computed on the CPU: the ambient light of Whitted ray tracing.
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
    ) -> Result<RenderOutcome, GpuError> {
        let spec = ViewSpec { aovs: film.aovs(), ..*spec };
        let (integrator, request) = self.ready(world, &spec, algorithm, level)?;
        integrator.render(&request, film, run)
    }

    /// Starts an image with the channels of `spec`, to which samples are added on demand.
    ///
    /// * `level` — as for [`render`](Self::render).
    /// * `first` — number of its first sample.
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
        let means = self.means_kernels()?;
        let denoisers = self.denoisers.clone();
        let (integrator, request) = self.ready(world, spec, algorithm, level)?;
        let source = integrator.live(&request, first)?;
        LivePicture::new(gpu, source, &means, &denoisers, [spec.width, spec.height], spec.aovs)
    }

    /// Adds a frame to a sequence of frames that reuse previous ones: the GPU counterpart of
    /// [`TemporalReuse::add`](sunfleck_integrators::reuse::TemporalReuse::add). A frame of another size, of other
    /// AOVs, or by another algorithm begins the sequence again. Returns the number of rays.
    ///
    /// If the world has changed, the renderer holds both worlds in turn: images begun before must not be used any more
    /// if [`hold`](Self::hold) then returns another number.
    ///
    /// * `level` — as for [`render`](Self::render).
    /// * `frame` — the samples of this frame alone; their random numbers have to differ from those of previous frames.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the world has geometry other than triangles and shapes, or if there are no kernels for the
    /// algorithm; [`GpuError::Shader`], [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn reuse(
        &mut self,
        reuse: &mut GpuReuse,
        world: &Arc<World>,
        spec: &ViewSpec,
        algorithm: &Algorithm,
        level: Level,
        frame: &LivePicture,
    ) -> Result<RayCount, GpuError> {
        let mut rays = RayCount::default();
        if reuse.state().is_some_and(|state| !state.is_on(&self.gpu)) {
            *reuse = GpuReuse::default();
        }
        let previous = reuse.state().and_then(|state| state.previous(spec, algorithm));
        let changed = previous.as_ref().filter(|(previous, _)| !Arc::ptr_eq(&previous.world, world));
        let motion = changed.map(|(previous, _)| world.motion_since(&previous.world));
        let change = match changed.zip(motion.as_ref()) {
            Some(((previous, number), motion)) => {
                let probes = GpuProbes { renderer: self, level };
                let (map, traced) = ChangeMap::trace(
                    &previous.world,
                    motion,
                    world,
                    &previous.spec,
                    algorithm,
                    *number,
                    probes,
                )?;
                rays += traced;
                Some(map)
            }
            None => None,
        };
        let means = self.means_kernels()?;
        let Self { gpu, scene, denoisers, reuse: kernels, .. } = self;
        let scene = scene.switch_to(gpu, world)?;
        let known = kernels.take().filter(|kernels| kernels.supports(scene));
        let kernels = kernels.insert(known.unwrap_or_else(|| ReuseKernels::new(gpu, scene)));
        let (strips, aovs) = frame.sums();
        let strips = &strips;
        let (motion, change) = (motion.as_ref(), change.as_ref());
        let frame = NewFrame { scene, world, spec, algorithm, strips, aovs, motion, change };
        let fits = reuse.state().is_some_and(|state| state.fits(&frame));
        if !fits {
            reuse.begin(ReuseState::new(gpu, &means, denoisers, &frame)?);
        }
        if let Some(state) = reuse.state() {
            rays += state.add(kernels, &frame)?;
        }
        Ok(rays)
    }

    /// Starts a temporal sequence: see [`IgiRenderer::sequence`](crate::IgiRenderer::sequence). `None` if the algorithm
    /// has none.
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

    fn means_kernels(&mut self) -> Result<Arc<MeansKernels>, GpuError> {
        let means = match self.means.take() {
            Some(means) => means,
            None => Arc::new(MeansKernels::new(&self.gpu)?),
        };
        Ok(self.means.insert(means).clone())
    }

    /// Updates the mirror to a world, and compiles the kernels of an algorithm unless existing ones can render that
    /// world.
    fn ready<'a>(
        &'a mut self,
        world: &'a Arc<World>,
        spec: &'a ViewSpec,
        algorithm: &'a Algorithm,
        level: Level,
    ) -> Result<(&'a dyn GpuIntegrator, RenderRequest<'a>), GpuError> {
        Self::check(spec, algorithm)?;
        let Self { gpu, scene, integrators, .. } = self;
        let scene = scene.switch_to(gpu, world)?;
        let entry = entry_of(algorithm)?;
        let integrator = match integrators[entry].take().filter(|integrator| integrator.supports(scene)) {
            Some(integrator) => integrator,
            None => (GPU_INTEGRATORS[entry].compile)(gpu, scene)?,
        };
        let integrator = integrators[entry].insert(integrator);
        Ok((&**integrator, RenderRequest { scene, world, spec, algorithm, level }))
    }
}

/// Index of an algorithm in the table of integrators.
fn entry_of(algorithm: &Algorithm) -> Result<usize, GpuError> {
    GPU_INTEGRATORS.iter().position(|entry| (entry.accepts)(algorithm)).ok_or_else(|| unsupported(algorithm))
}

impl HeldWorld {
    /// Updates the mirror to a world.
    fn switch_to(&mut self, gpu: &Gpu, world: &Arc<World>) -> Result<&SceneMirror, GpuError> {
        let is_known = self.world.as_ref().is_some_and(|held| Arc::ptr_eq(held, world));
        // If the update fails, the mirror belongs to no world
        self.world = None;
        let mirror = match self.mirror.take() {
            Some(mirror) if is_known => mirror,
            before => {
                self.world_count += 1;
                match before {
                    Some(mut mirror) => {
                        mirror.update(gpu, world)?;
                        mirror
                    }
                    None => SceneMirror::with_options(gpu, world, &self.options)?,
                }
            }
        };
        self.world = Some(world.clone());
        Ok(self.mirror.insert(mirror))
    }
}
