use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use sunfleck_bench::gpu::igi::{self, CameraPath, IgiGpuSettings};
use sunfleck_command::{Exit, Failure, arguments};
use sunfleck_gpu::{AdapterChoice, Gpu};
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::igi::Igi;

use crate::shared::{RoundsArgs, SharedArgs, opened, refused};

const AFTER_HELP: &str = "\
Examples:
  sunfleck-bench gpu-igi conference building --json igi.json
  sunfleck-bench gpu-igi erw6 --size 640x480 --set vpls=16
  sunfleck-bench gpu-igi building --size 3840x2160 --walk 8 --reference 64";

/// Measure frames of instant global illumination on a GPU: independent frames, and those of a moving camera.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct GpuIgiArgs {
    /// Scenes to render: built-in scenes or files
    #[arg(default_values = ["erw6", "office", "conference", "building"])]
    scenes: Vec<OsString>,

    /// GPU, by its number in `sunfleck devices` [default: the best]
    #[arg(long, value_name = "N")]
    number: Option<usize>,

    /// Film size in pixels. Can be given several times
    #[arg(long = "size", value_name = "WIDTHxHEIGHT", value_parser = size, default_values = ["1920x1080", "3840x2160"])]
    sizes: Vec<[u32; 2]>,

    /// Set a parameter of the integrator; `sunfleck render --help` lists them. Can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::assignment)]
    assignments: Vec<(String, String)>,

    /// Also measure a moving camera: each frame reuses the one before, and an image is the mean of this number of
    /// frames
    #[arg(long, value_name = "FRAMES", value_parser = clap::value_parser!(u32).range(1..=64))]
    walk: Option<u32>,

    /// Distance from frame to frame, metres: 0.023 is 1.4 m/s at 60 frames per second
    #[arg(long, value_name = "METRES", default_value_t = 0.023, requires = "walk")]
    step: f32,

    /// Also compare images of the moving camera with means of this number of frames [default: not compared]
    #[arg(long, value_name = "FRAMES", default_value_t = 0, hide_default_value = true, requires = "walk")]
    reference: u32,

    #[command(flatten)]
    shared: SharedArgs,

    #[command(flatten)]
    timing: RoundsArgs,
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let edges = text.split_once('x').and_then(|(x, y)| Some([x.parse().ok()?, y.parse().ok()?]));
    edges
        .filter(|edges| edges.iter().all(|edge| (8..=16_384).contains(edge)))
        .ok_or_else(|| "expected two numbers from 8 to 16384, such as 1920x1080".to_owned())
}

pub(crate) fn run(args: &GpuIgiArgs) -> Result<Exit, Failure> {
    let mut algorithm = Algorithm::Igi(Igi { vpls: 32, compensate: false, ..Igi::DEFAULT });
    arguments::set_parameters(&mut algorithm, &args.assignments)?;
    let Algorithm::Igi(igi) = algorithm else { return Ok(Exit::Done) };
    let adapter = args.number.map_or(AdapterChoice::Best, AdapterChoice::Number);
    let gpu = Arc::new(Gpu::open(adapter).map_err(|error| Failure::failed(error.to_string()))?);
    let camera_path =
        args.walk.map(|mean_of| CameraPath { mean_of, step: args.step, reference_frames: args.reference });
    let settings =
        IgiGpuSettings { sizes: args.sizes.clone(), frames: args.timing.rounds.into(), igi, camera_path };
    let scenes = opened(&args.scenes)?;
    let mut progress = |doing: &str| eprintln!("{doing}");
    let report = igi::run(&settings, &scenes, &gpu, &mut progress).map_err(refused)?;
    args.shared.write(&report)?;
    Ok(Exit::Done)
}
