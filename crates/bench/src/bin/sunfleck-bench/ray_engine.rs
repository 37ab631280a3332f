use std::sync::Arc;

use clap::{Args, value_parser};
use sunfleck_bench::ray_engine::{self, RayEngineBenchSettings};
use sunfleck_command::{Exit, Failure};
use sunfleck_gpu::{AdapterChoice, Gpu};

use crate::shared::{RoundsArgs, SharedArgs, refused};

const AFTER_HELP: &str = "\
The paper is Carr, Hall and Hart, The Ray Engine, Graphics Hardware 2002. The built-in scenes teapot-room, office and a
floor of building replace its teapot room, office and Soda Hall. Without a GPU, only the CPU is measured.

Examples:
  sunfleck-bench ray-engine --json ray-engine.json
  sunfleck-bench ray-engine --resolution 512 --batch 65536";

/// Measure the tables and the figure of the ray engine of 2002, with its organisation and with today's engine.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct RayEngineArgs {
    /// GPU, by its number in `sunfleck devices` [default: the best]
    #[arg(long, value_name = "N")]
    number: Option<usize>,

    /// Primary rays per side of the image
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=4096), default_value_t = 256)]
    resolution: u32,

    /// Rays per batch
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1_048_576), default_value_t = 16_384)]
    batch: u32,

    #[command(flatten)]
    shared: SharedArgs,

    #[command(flatten)]
    timing: RoundsArgs,
}

pub(crate) fn run(args: &RayEngineArgs) -> Result<Exit, Failure> {
    let gpu = Gpu::open(args.number.map_or(AdapterChoice::Best, AdapterChoice::Number)).map(Arc::new);
    let settings = RayEngineBenchSettings {
        resolution: args.resolution,
        rounds: args.timing.rounds.into(),
        batch: args.batch as usize,
        level: args.shared.level,
    };
    let mut progress = |doing: &str| eprintln!("{doing}");
    let gpu = gpu.map_err(|error| error.to_string());
    let report = ray_engine::run(&settings, gpu, &mut progress).map_err(refused)?;
    args.shared.write(&report)?;
    Ok(Exit::Done)
}
