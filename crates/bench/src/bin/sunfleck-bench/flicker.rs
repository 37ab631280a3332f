use std::ffi::OsString;

use clap::{Args, value_parser};
use sunfleck_bench::flicker::{self, FlickerSettings};
use sunfleck_command::{Exit, Failure};

use crate::frame::FrameArgs;
use crate::shared::{SharedArgs, opened, refused};

const AFTER_HELP: &str = "\
Examples:
  sunfleck-bench flicker building --reference 64
  sunfleck-bench flicker conference --frames 30 --distance 0.5";

/// Measure the flicker of instant global illumination while the camera moves, for several schemes of sampling lights.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
#[command(mut_arg("width", |width| width.default_value("160")), mut_arg("height", |height| height.default_value("120")))]
pub(crate) struct FlickerArgs {
    /// Scene to move through: a built-in scene or a file
    #[arg(default_value = "building")]
    scene: OsString,

    #[command(flatten)]
    shared: SharedArgs,

    #[command(flatten)]
    frame: FrameArgs,

    /// Frames of the camera's path
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=100_000), default_value_t = 120)]
    frames: u32,

    /// Length of the camera's path, metres
    #[arg(long, value_name = "METRES", default_value_t = 1.0)]
    distance: f32,

    /// Samples per pixel of the path-traced reference frames; 0: none
    #[arg(long, value_name = "SAMPLES", default_value_t = 0)]
    reference: u32,
}

pub(crate) fn run(args: &FlickerArgs) -> Result<Exit, Failure> {
    let settings = FlickerSettings {
        width: args.frame.width,
        height: args.frame.height,
        frames: args.frames,
        distance: args.distance,
        reference_samples: args.reference,
        level: args.shared.level,
        igi: args.frame.igi()?,
    };
    args.frame.start_threads()?;
    for (name, scene) in opened(std::slice::from_ref(&args.scene))? {
        let measured = flicker::run(&settings, &name, &scene, &mut |doing| eprintln!("{doing}"));
        args.shared.write(&measured.map_err(refused)?)?;
    }
    Ok(Exit::Done)
}
