//! Plan of a rendering: its arguments, checked before the scene is opened, and what follows from the size of the images,
//! which the scene may state.

use sunfleck_command::arguments::set_parameters;
use sunfleck_command::{Failure, start_threads};
use sunfleck_engine::Engine;
use sunfleck_integrators::{Algorithm, StopRules};
use sunfleck_scene::CameraFilm;

use super::animation::Reuse;
use super::args::RenderArgs;
use super::background::{Backdrop, Background};
use super::denoising::Denoising;
use super::image_size::ImageSize;
use super::memory_budget::MemoryBudget;
use super::output::Outputs;
use super::{film, setup};

/// Arguments of a rendering that were checked, as far as they do not depend on the size of the images.
#[derive(Debug)]
pub(super) struct CheckedArgs<'a> {
    args: &'a RenderArgs,
    algorithm: Algorithm,
    pub(super) rules: StopRules,
    background: Background,
    outputs: Outputs,
    denoising: Option<Denoising>,
    engine: Engine,
}

/// Plan of a rendering.
#[derive(Debug)]
pub(super) struct RenderPlan<'a> {
    pub(super) args: &'a RenderArgs,
    pub(super) algorithm: Algorithm,
    pub(super) rules: StopRules,
    /// Whether the camera sees the environment behind the scene.
    pub(super) shows_environment: bool,
    pub(super) size: ImageSize,
    pub(super) outputs: Outputs,
    /// What replaces the environment behind the scene.
    pub(super) backdrop: Option<Backdrop>,
    /// Memory of the images, and the limit.
    pub(super) budget: MemoryBudget,
    /// Denoiser of the images, if a file is denoised.
    pub(super) denoising: Option<Denoising>,
    /// Whether frames of a sequence reuse those before; `None` of a single image.
    pub(super) reuse: Option<Reuse>,
    pub(super) engine: Engine,
}

impl<'a> CheckedArgs<'a> {
    /// Checks the arguments, and starts the threads and the engine.
    ///
    /// # Errors
    /// An argument is invalid, contradicts another one, or asks for what is not there.
    pub(super) fn new(args: &'a RenderArgs) -> Result<Self, Failure> {
        let algorithm = algorithm(args)?;
        let rules = args.stop.rules(&algorithm);
        let background = Background::new(&args.background)?;
        let outputs = Outputs::check(args, &background)?.of_algorithm(&algorithm);
        args.view.aov_set(&algorithm)?;
        background.check(&algorithm)?;
        args.checkpoint.check(args.how_to_continue(), &outputs)?;
        let denoising = Denoising::new(rules, &algorithm, &outputs)?;

        start_threads(args.machine.threads)?;
        let engine = setup::engine(args)?;
        if engine.gpu().is_some() && args.checkpoint.file().is_some() {
            let failure = Failure::bad_input("only the CPU can render images with checkpoints");
            return Err(failure.with_help("add `--device cpu`"));
        }
        Ok(Self { args, algorithm, rules, background, outputs, denoising, engine })
    }

    /// Returns the plan for images of the size that the arguments ask for, or else the film of the camera.
    ///
    /// # Errors
    /// The part to render is not inside the image, or the files or the memory cannot have such images.
    pub(super) fn with_film(self, film: Option<CameraFilm>) -> Result<RenderPlan<'a>, Failure> {
        let Self { args, algorithm, rules, background, outputs, mut denoising, engine } = self;
        let size = ImageSize::new(args, film)?;
        outputs.check_size(&size)?;
        check_device(args, &engine, &size)?;
        let images = film::bytes_needed(args, &algorithm, &outputs, &background, &size);
        let budget = MemoryBudget { limit: args.machine.memory_limit, images, ..MemoryBudget::default() };
        budget.check()?;

        let backdrop = background.behind(size.window, size.full);
        if let Some(denoising) = &mut denoising {
            denoising.measure(rules, size.rendered(&algorithm))?;
        }
        let excluded_by = args.excludes_reuse(size.part().is_some());
        let reuse = args.animation.reuse(excluded_by, outputs.are_all_denoised());
        let shows_environment = background.is_environment();
        Ok(RenderPlan {
            args,
            algorithm,
            rules,
            shows_environment,
            size,
            outputs,
            backdrop,
            budget,
            denoising,
            reuse,
            engine,
        })
    }
}

impl RenderPlan<'_> {
    /// Returns whether frames reuse those before.
    pub(super) fn reuses(&self) -> bool {
        self.reuse == Some(Reuse::On)
    }

    /// Returns whether `--noise` limits the noise of the denoised image.
    pub(super) fn limits_denoised(&self) -> bool {
        self.denoising.as_ref().is_some_and(|denoising| denoising.limits_denoised)
    }
}

/// Checks that the device can render images of a size.
///
/// # Errors
/// A GPU alone is to render a part of the image.
fn check_device(args: &RenderArgs, engine: &Engine, size: &ImageSize) -> Result<(), Failure> {
    let is_gpu_alone = engine.gpu().is_some() && !args.method.device.falls_back();
    if !is_gpu_alone || size.part().is_none() {
        return Ok(());
    }
    let failure = Failure::bad_input("only the CPU can render a part of the image");
    Err(match args.crop {
        Some(_) => failure.with_help("add `--device cpu`, or omit --crop"),
        None => {
            let [width, height] = size.full;
            failure.with_help(format!(
                "the film of the camera has a crop window: add `--device cpu`, or `--crop 0,0,{width},{height}` for \
                 the whole image"
            ))
        }
    })
}

/// Returns the integrator with preset and parameters as given.
///
/// # Errors
/// The preset or a parameter is unknown, or a value is out of range.
fn algorithm(args: &RenderArgs) -> Result<Algorithm, Failure> {
    let RenderArgs { method: args, fireflies, .. } = args;
    let mut algorithm = args.integrator;
    if let Some(preset) = &args.preset {
        algorithm
            .set_preset(preset)
            .map_err(|error| Failure::bad_input(format!("--preset {preset}: {error}")))?;
    }
    set_parameters(&mut algorithm, &args.parameters)?;
    fireflies.apply(&mut algorithm)?;
    Ok(algorithm)
}
