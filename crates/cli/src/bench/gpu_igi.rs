use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use sunfleck_bench::gpu::igi::{self, Settings};
use sunfleck_gpu::{Gpu, Which};
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::igi::Igi;

use super::{RoundsArgs, SharedArgs, opened, refused};
use crate::failure::{Exit, Failure};
use crate::{parameters, values};

const AFTER_HELP: &str = "\
Examples:
  sunfleck bench gpu-igi conference building --json igi.json
  sunfleck bench gpu-igi erw6 --size 640x480 --set vpls=16";

/// Frames of instant global illumination on a GPU, everything computed anew in each.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct GpuIgiArgs {
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
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = values::assignment)]
    assignments: Vec<(String, String)>,

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

pub(super) fn run(args: &GpuIgiArgs) -> Result<Exit, Failure> {
    let mut algorithm = Algorithm::Igi(Igi { vpls: 32, compensate: 0, ..Igi::DEFAULT });
    parameters::set(&mut algorithm, &args.assignments)?;
    let Algorithm::Igi(igi) = algorithm else { return Ok(Exit::Done) };
    let which = args.number.map_or(Which::Best, Which::Number);
    let gpu = Arc::new(Gpu::open(which).map_err(|error| Failure::failed(error.to_string()))?);
    let settings = Settings { sizes: args.sizes.clone(), frames: args.timing.rounds.into(), igi };
    let scenes = opened(&args.scenes)?;
    let mut progress = |doing: &str| eprintln!("{doing}");
    let report = igi::run(&settings, &scenes, &gpu, &mut progress).map_err(refused)?;
    args.shared.write(&report)?;
    Ok(Exit::Done)
}
