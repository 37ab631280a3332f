//! Plan of a rendering: its arguments, checked before the scene is opened, and what follows from them.

use sunfleck_command::arguments::set_parameters;
use sunfleck_command::{Failure, start_threads};
use sunfleck_engine::Engine;
use sunfleck_integrators::{Algorithm, StopRules};
use sunfleck_scene::CameraFilm;

use super::animation::Reuse;
use super::args::RenderArgs;
use super::background::Background;
use super::denoising::Denoising;
use super::memory_budget::MemoryBudget;
use super::output::Outputs;
use super::{film, setup};

/// Plan of a rendering.
#[derive(Debug)]
pub(super) struct RenderPlan<'a> {
    pub(super) args: &'a RenderArgs,
    pub(super) algorithm: Algorithm,
    pub(super) rules: StopRules,
    /// Whether the camera sees the environment behind the scene.
    pub(super) shows_environment: bool,
    pub(super) outputs: Outputs,
    /// Memory of the images, and the limit.
    pub(super) budget: MemoryBudget,
    /// Denoiser of the images, if a file is denoised.
    pub(super) denoising: Option<Denoising>,
    /// Whether frames of a sequence reuse those before; `None` of a single image.
    pub(super) reuse: Option<Reuse>,
    pub(super) engine: Engine,
}

impl<'a> RenderPlan<'a> {
    /// Checks the arguments, and starts the threads and the engine.
    ///
    /// # Errors
    /// An argument is invalid, contradicts another one, or asks for what is not there.
    pub(super) fn new(args: &'a RenderArgs) -> Result<Self, Failure> {
        let algorithm = algorithm(args)?;
        let rules = args.stop.rules(&algorithm);
        let background = Background::new(&args.background)?;
        let (mut outputs, budget) = images(args, &algorithm, &background)?;
        args.view.aov_set(&algorithm)?;
        background.check(&algorithm)?;
        args.checkpoint.check(args.how_to_continue(), &outputs)?;
        let mut denoising = Denoising::new(rules, &algorithm, &outputs)?;

        start_threads(args.machine.threads)?;
        outputs.prepare_background(&background);
        if let Some(denoising) = &mut denoising {
            denoising.measure(rules, &algorithm, args)?;
        }
        let engine = setup::engine(args)?;
        if engine.gpu().is_some() && args.checkpoint.file().is_some() {
            let failure = Failure::bad_input("only the CPU can render images with checkpoints");
            return Err(failure.with_help("add `--device cpu`"));
        }
        let reuse = args.animation.reuse(args.excludes_reuse(), outputs.are_all_denoised());
        let shows_environment = background.is_environment();
        Ok(Self { args, algorithm, rules, shows_environment, outputs, budget, denoising, reuse, engine })
    }

    /// Sets the size of the images that the scene asks for, unless the arguments give another one.
    ///
    /// # Errors
    /// The files or the memory cannot have such images.
    pub(super) fn set_film(&mut self, film: CameraFilm) -> Result<(), Failure> {
        self.args.film.get_or_init(|| film);
        let background = Background::new(&self.args.background)?;
        (self.outputs, self.budget) = images(self.args, &self.algorithm, &background)?;
        self.outputs.prepare_background(&background);
        if let Some(denoising) = &mut self.denoising {
            denoising.measure(self.rules, &self.algorithm, self.args)?;
        }
        Ok(())
    }

    /// Returns whether frames reuse those before.
    pub(super) fn reuses(&self) -> bool {
        self.reuse == Some(Reuse::On)
    }

    /// Returns whether `--noise` limits the noise of the denoised image.
    pub(super) fn limits_denoised(&self) -> bool {
        self.denoising.as_ref().is_some_and(|denoising| denoising.limits_denoised)
    }
}

/// Checks the images to write, and the memory that they need.
///
/// # Errors
/// See [`Outputs::check`]; the limit of memory is exceeded.
fn images(
    args: &RenderArgs,
    algorithm: &Algorithm,
    background: &Background,
) -> Result<(Outputs, MemoryBudget), Failure> {
    let outputs = Outputs::check(args, background)?;
    let images = film::bytes_needed(args, algorithm, &outputs, background)?;
    let budget = MemoryBudget { limit: args.machine.memory_limit, images, ..MemoryBudget::default() };
    budget.check()?;
    Ok((outputs, budget))
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
