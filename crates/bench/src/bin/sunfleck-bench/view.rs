use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, value_parser};
use sunfleck_bench::view::{self, ViewerBenchSettings};
use sunfleck_command::{Exit, Failure};
use sunfleck_engine::Device;

use crate::shared::{SharedArgs, opened, refused};

const AFTER_HELP: &str = "\
Examples:
  sunfleck-bench view erw6
  sunfleck-bench view teapot-room --width 1280 --height 720 --json view.json
  sunfleck-bench view conference --device gpu --width 1920 --height 1080";

/// Measure the viewer: the image while the camera orbits and afterwards, latency from input to frame, image codecs, and
/// frame rates of many spectators.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ViewArgs {
    /// Scene to show: a built-in scene or a file
    #[arg(default_value = "erw6")]
    scene: OsString,

    #[command(flatten)]
    shared: SharedArgs,

    /// Device that renders: `cpu`; `gpu`, or `gpu:N` of `sunfleck devices`; `auto`, a GPU if there is one; `shared`,
    /// a GPU and the CPU together
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: Device,

    /// Do not compare image codecs
    #[arg(long)]
    no_codecs: bool,

    /// Width of the page, pixels
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 960)]
    width: u32,

    /// Height of the page, pixels
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 540)]
    height: u32,

    /// Number of inputs of each kind
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000), default_value_t = 200)]
    inputs: u32,

    /// Time for which frames are counted, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    seconds: f32,

    /// Number of spectators; one of them reads nothing
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=60), default_value_t = 8)]
    watchers: u32,

    /// Samples per pixel of the images with which those of the viewer are compared; they are denoised
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=65_536), default_value_t = 64)]
    reference_samples: u32,

    /// Folder for PNGs of the images that are compared
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
}

pub(crate) fn run(args: &ViewArgs) -> Result<Exit, Failure> {
    let settings = ViewerBenchSettings {
        width: args.width,
        height: args.height,
        inputs: args.inputs,
        seconds: args.seconds,
        spectators: args.watchers,
        device: args.device,
        codecs: !args.no_codecs,
        reference_samples: args.reference_samples,
        save: args.save.clone(),
    };
    for (name, scene) in opened(std::slice::from_ref(&args.scene))? {
        let measured = view::run(&settings, &name, &scene, &mut |doing| eprintln!("{doing}"));
        args.shared.write(&measured.map_err(refused)?)?;
    }
    Ok(Exit::Done)
}
