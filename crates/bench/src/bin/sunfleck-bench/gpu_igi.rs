use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use sunfleck_bench::gpu::igi::{self, Settings, Walk};
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

/// Frames of instant global illumination on a GPU: everything computed anew in each, and of a camera that walks.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct GpuIgiArgs {
    /// What to show: built-in scenes or files
    #[arg(default_values = ["erw6", "office", "conference", "building"])]
    scenes: Vec<OsString>,

    /// Which GPU, by its number in `sunfleck devices` [default: the best]
    #[arg(long, value_name = "N")]
    number: Option<usize>,

    /// Pixels of the film. Can be given several times
    #[arg(long = "size", value_name = "WIDTHxHEIGHT", value_parser = size, default_values = ["1920x1080", "3840x2160"])]
    sizes: Vec<[u32; 2]>,

    /// A parameter of the integrator; `sunfleck render --help` lists them. Can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = arguments::assignment)]
    assignments: Vec<(String, String)>,

    /// A camera that walks, too: each frame takes over what the one before saw of the same surfaces, and a picture is a mean of
    /// so many frames
    #[arg(long, value_name = "FRAMES", value_parser = clap::value_parser!(u32).range(1..=64))]
    walk: Option<u32>,

    /// Metres that it walks from frame to frame: 0.023 are 1.4 m a second at 60 frames
    #[arg(long, value_name = "METRES", default_value_t = 0.023, requires = "walk")]
    step: f32,

    /// How far pictures of the walk are from means of so many frames [default: not compared]
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
        .ok_or_else(|| "two numbers from 8 to 16384, such as 1920x1080".to_owned())
}

pub(crate) fn run(args: &GpuIgiArgs) -> Result<Exit, Failure> {
    let mut algorithm = Algorithm::Igi(Igi { vpls: 32, compensate: false, ..Igi::DEFAULT });
    arguments::set_parameters(&mut algorithm, &args.assignments)?;
    let Algorithm::Igi(igi) = algorithm else { return Ok(Exit::Done) };
    let which = args.number.map_or(AdapterChoice::Best, AdapterChoice::Number);
    let gpu = Arc::new(Gpu::open(which).map_err(|error| Failure::failed(error.to_string()))?);
    let walk = args.walk.map(|mean_of| Walk { mean_of, step: args.step, reference_frames: args.reference });
    let settings = Settings { sizes: args.sizes.clone(), frames: args.timing.rounds.into(), igi, walk };
    let scenes = opened(&args.scenes)?;
    let mut progress = |doing: &str| eprintln!("{doing}");
    let report = igi::run(&settings, &scenes, &gpu, &mut progress).map_err(refused)?;
    args.shared.write(&report)?;
    Ok(Exit::Done)
}
