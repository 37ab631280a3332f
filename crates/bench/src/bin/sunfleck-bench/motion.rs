use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, value_parser};
use sunfleck_bench::motion::{self, MotionKind, MotionSettings, UnknownMotion};
use sunfleck_command::{Exit, Failure, scene};
use sunfleck_engine::Device;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Algorithm, UnknownAlgorithm};

use crate::shared::{SharedArgs, make_folder, refused};

const AFTER_HELP: &str = "\
Frames alone are compared with frames that reuse previous ones, noisy and denoised: relMSE and the error of regions of
8 × 8 pixels against path-traced references, flicker (change of regions beyond that of the references), time.

Examples:
  sunfleck-bench motion walk building --distance 8
  sunfleck-bench motion lamp office --save frames
  sunfleck-bench motion play CesiumMan.glb --integrator igi
  sunfleck-bench motion switch-off office --node lamp";

/// Measure reuse of previous frames while the camera or the scene moves.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct MotionArgs {
    /// What moves: walk (the camera), lamp, object, play (the first animation), switch-off (a lamp, halfway), jump (an
    /// object, halfway)
    #[arg(value_parser = |name: &str| name.parse::<MotionKind>().map_err(|error: UnknownMotion| error.to_string()))]
    motion: MotionKind,

    /// Scenes: files, or built-in scenes
    #[arg(required = true)]
    scenes: Vec<OsString>,

    #[command(flatten)]
    shared: SharedArgs,

    /// Integrator of the frames, path tracing with four samples per pixel unless given
    #[arg(long, value_name = "NAME", value_parser = |name: &str| name.parse::<Algorithm>().map_err(|error: UnknownAlgorithm| error.to_string()))]
    integrator: Option<Algorithm>,

    /// Part of the names of the nodes that move [default: the last lamp or object]
    #[arg(long, value_name = "NAME")]
    node: Option<String>,

    /// Frames of the sequence, at least 8, since four frames after a sudden change are reported
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(8..=10_000), default_value_t = 120)]
    frames: u32,

    /// Distance of the motion, metres
    #[arg(long, value_name = "METRES", default_value_t = 1.0)]
    distance: f32,

    /// Number of pairs of consecutive frames that are compared with references
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000), default_value_t = 6)]
    checks: u32,

    /// Samples per pixel of the references
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = value_parser!(u32).range(1..))]
    reference_spp: u32,

    /// Width and height of the images, pixels
    #[arg(long, value_name = "WxH", default_value = "160x120", value_parser = crate::picture::size)]
    size: [u32; 2],

    /// Write the images at these places into this folder as PNG
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,

    /// Device that renders: `cpu`; `gpu`, or `gpu:N` of `sunfleck devices`
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: Device,
}

pub(crate) fn run(args: &MotionArgs) -> Result<Exit, Failure> {
    let settings = MotionSettings {
        size: args.size,
        frames: args.frames,
        kind: args.motion,
        distance: args.distance,
        node: args.node.clone(),
        algorithm: args.integrator.unwrap_or_else(|| PathTracer::INTERACTIVE.into()),
        reference_samples: args.reference_spp,
        checks: args.checks,
        device: args.device,
        level: args.shared.level,
        save: args.save.clone(),
    };
    args.save.iter().try_for_each(|folder| make_folder(folder))?;
    for name in &args.scenes {
        let opened = scene::open(name)?;
        let report = motion::run(&settings, &opened.name, &opened.scene, &mut |doing| eprintln!("{doing}"));
        args.shared.write(&report.map_err(refused)?)?;
    }
    Ok(Exit::Done)
}
