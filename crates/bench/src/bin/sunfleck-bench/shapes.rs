use clap::{Args, value_parser};
use sunfleck_bench::kernel::{ShapesSettings, shapes};
use sunfleck_command::{Exit, Failure};

use crate::shared::{RoundsArgs, SharedArgs, refused};

const AFTER_HELP: &str = "\
Examples:
  sunfleck-bench shapes
  sunfleck-bench shapes --count 10000 --rounds 9";

/// Trace rays among spheres, and among as many triangles of their size in the same places, on one CPU core.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ShapesArgs {
    /// Number of spheres
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=10_000_000), default_value_t = 1_000_000)]
    count: u32,

    /// Primary rays per side of the image, and as many random rays in all
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 1024)]
    resolution: u32,

    #[command(flatten)]
    rounds: RoundsArgs,

    #[command(flatten)]
    shared: SharedArgs,
}

pub(crate) fn run(args: &ShapesArgs) -> Result<Exit, Failure> {
    let settings = ShapesSettings {
        count: args.count,
        resolution: args.resolution,
        rounds: args.rounds.rounds.into(),
        level: args.shared.level,
    };
    args.shared.write(&shapes(&settings).map_err(refused)?)?;
    Ok(Exit::Done)
}
