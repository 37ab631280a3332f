use clap::{Args, value_parser};
use sunfleck_command::{Failure, arguments, start_threads};
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::igi::Igi;

/// Arguments of the benchmarks of instant global illumination.
#[derive(Args, Debug)]
pub(crate) struct FrameArgs {
    /// Width of the images, pixels
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 640)]
    pub(crate) width: u32,

    /// Height of the images, pixels
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 480)]
    pub(crate) height: u32,

    /// Number of threads [default: one per logical CPU]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,

    /// Set a parameter of the integrator; `sunfleck render --help` lists them. Can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::assignment)]
    assignments: Vec<(String, String)>,
}

impl FrameArgs {
    /// Starts the threads of `--threads`. Errors: see [`start_threads`].
    pub(crate) fn start_threads(&self) -> Result<(), Failure> {
        start_threads(self.threads)
    }

    /// Returns the parameters of independent frames, with those of `--set`. There is no bias compensation, as in
    /// [Wald03, §12]: it is meant for accumulated frames.
    pub(crate) fn igi(&self) -> Result<Igi, Failure> {
        let mut algorithm = Algorithm::Igi(Igi { compensate: false, ..Igi::DEFAULT });
        arguments::set_parameters(&mut algorithm, &self.assignments)?;
        Ok(algorithm.get().copied().unwrap_or_default())
    }
}
