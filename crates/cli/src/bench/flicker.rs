use std::ffi::OsString;

use clap::{Args, value_parser};
use rayon::ThreadPoolBuilder;
use sunfleck_bench::flicker::{self, Settings};

use super::igi::parameters;
use super::{SharedArgs, opened, refused};
use crate::failure::{Exit, Failure};
use crate::values;

const AFTER_HELP: &str = "\
Examples:
  sunfleck bench flicker building --reference 64
  sunfleck bench flicker conference --frames 30 --distance 0.5";

/// Flicker of instant global illumination while the camera walks, by ways to choose lights.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct FlickerArgs {
    /// Where to walk: a built-in scene or a file
    #[arg(default_value = "building")]
    scene: OsString,

    #[command(flatten)]
    shared: SharedArgs,

    /// Width of the pictures, pixels
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 160)]
    width: u32,

    /// Height of the pictures, pixels
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 120)]
    height: u32,

    /// Frames of the walk
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=100_000), default_value_t = 120)]
    frames: u32,

    /// How far it goes, metres
    #[arg(long, value_name = "METRES", default_value_t = 1.0)]
    distance: f32,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,

    /// A parameter of the integrator; `sunfleck render --help` lists them. Can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = values::assignment)]
    parameters: Vec<(String, String)>,

    /// Samples per pixel of the path-traced frames that tell what ought to change; 0: none
    #[arg(long, value_name = "SAMPLES", default_value_t = 0)]
    reference: u32,
}

pub(super) fn run(args: &FlickerArgs) -> Result<Exit, Failure> {
    let settings = Settings {
        width: args.width,
        height: args.height,
        frames: args.frames,
        distance: args.distance,
        reference_samples: args.reference,
        level: args.shared.level,
        igi: parameters(&args.parameters)?,
    };
    let pool = ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0).into()).build();
    let pool = pool.map_err(|error| Failure::failed(format!("cannot start threads: {error}")))?;
    for (name, scene) in opened(std::slice::from_ref(&args.scene))? {
        let measured =
            pool.install(|| flicker::run(&settings, &name, &scene, &mut |doing| eprintln!("{doing}")));
        args.shared.write(&measured.map_err(refused)?)?;
    }
    Ok(Exit::Done)
}
