//! One GPU for worlds that change: what was uploaded and compiled for one picture serves the next.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_image::Film;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{Algorithm, Observer, Outcome, StopRules, View, ViewSpec, World};
use sunfleck_shaders::film;

use crate::pipeline::Pipeline;
use crate::{
    Gpu, GpuError, IgiRenderer, IgiSequence, LivePicture, MirrorOptions, PathRenderer, SceneMirror,
    WhittedRenderer,
};

/// Renders one world after the other by any algorithm. It holds the mirror of the last one, which follows to the next, and the kernels of the algorithms that
/// have been asked for.
#[derive(Debug)]
pub struct Renderer {
    gpu: Arc<Gpu>,
    scene: Scene,
    path: Option<PathRenderer>,
    whitted: Option<WhittedRenderer>,
    igi: Option<IgiRenderer>,
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
        Self { gpu, scene: Scene::default(), path: None, whitted: None, igi: None, means: None }
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

    /// Renders into a film, which is of the size of `spec`, until a stop rule or `cancel` says enough: the twin of
    /// [`sunfleck_integrators::render`]. What the film held is replaced.
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
        stop: &StopRules,
        cancel: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<Outcome, GpuError> {
        match algorithm {
            Algorithm::Path(path) => {
                let (scene, renderer) = self.path(world)?;
                renderer.render(scene, spec, path, film, stop, cancel, observer)
            }
            Algorithm::Whitted(whitted) => {
                let ambient = whitted.ambient_light(level, &View::new(world, *spec));
                let (scene, renderer) = self.whitted(world)?;
                renderer.render(scene, spec, whitted, ambient, film, stop, cancel, observer)
            }
            Algorithm::Igi(igi) => {
                let (scene, renderer) = self.igi(world)?;
                renderer.render(scene, world, spec, igi, film, stop, cancel, observer)
            }
        }
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
        let (size, aovs) = ([spec.width, spec.height], spec.aovs);
        let means =
            ready(&mut self.means, |_| true, || Pipeline::new(&gpu, &film::MEANS, film::MEANS.text))?.clone();
        match algorithm {
            Algorithm::Path(path) => {
                let (scene, renderer) = self.path(world)?;
                LivePicture::new(gpu, renderer.live(scene, spec, path, first)?, &means, size, aovs)
            }
            Algorithm::Whitted(whitted) => {
                let ambient = whitted.ambient_light(level, &View::new(world, *spec));
                let (scene, renderer) = self.whitted(world)?;
                let source = renderer.live(scene, spec, whitted, ambient, first)?;
                LivePicture::new(gpu, source, &means, size, aovs)
            }
            Algorithm::Igi(igi) => {
                let (scene, renderer) = self.igi(world)?;
                LivePicture::new(gpu, renderer.live(scene, world, spec, igi, first)?, &means, size, aovs)
            }
        }
    }

    /// Begins a sequence: see [`IgiRenderer::sequence`].
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
        let (scene, renderer) = self.igi(world)?;
        renderer.sequence(scene, world, spec, igi, frames)
    }

    fn path(&mut self, world: &Arc<World>) -> Result<(&SceneMirror, &PathRenderer), GpuError> {
        let Self { gpu, scene, path, .. } = self;
        let scene = scene.turn_to(gpu, world)?;
        Ok((scene, ready(path, |path| path.serves(scene), || PathRenderer::new(gpu, scene))?))
    }

    fn whitted(&mut self, world: &Arc<World>) -> Result<(&SceneMirror, &WhittedRenderer), GpuError> {
        let Self { gpu, scene, whitted, .. } = self;
        let scene = scene.turn_to(gpu, world)?;
        let make = || WhittedRenderer::new(gpu, scene);
        Ok((scene, ready(whitted, |whitted| whitted.serves(scene), make)?))
    }

    fn igi(&mut self, world: &Arc<World>) -> Result<(&SceneMirror, &IgiRenderer), GpuError> {
        let Self { gpu, scene, igi, .. } = self;
        let scene = scene.turn_to(gpu, world)?;
        Ok((scene, ready(igi, |igi| igi.serves(scene), || IgiRenderer::new(gpu, scene))?))
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
