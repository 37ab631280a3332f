use std::ffi::OsString;
use std::path::Path;

use clap::{Args, value_parser};
use sunfleck_bench::radiosity::{self, RadiosityBenchSettings};
use sunfleck_command::{Exit, Failure, scene};

use crate::shared::{RoundsArgs, SharedArgs, refused};

const AFTER_HELP: &str = "\
The paper is Carr, Hall and Hart, GPU Algorithms for Radiosity and Subsurface Scattering, Graphics Hardware 2003. It
gives the rates of one matrix of a Cornell box without blocks, which has at most 2,048 elements.

Examples:
  sunfleck-bench radiosity --json radiosity.json
  sunfleck-bench radiosity erw6 --patches 4096 --rays 1024";

/// Measure matrix radiosity: form factors, iterations of its solvers and their convergence, beside the figures of 2003.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct RadiosityArgs {
    /// Scene: a built-in scene or a file
    #[arg(default_value = "cornell")]
    scene: OsString,

    /// Numbers of patches
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1541,2048,4096,8192",
          value_parser = value_parser!(u32).range(1..=32_768))]
    patches: Vec<u32>,

    /// Rays per patch
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1_048_576), default_value_t = 256)]
    rays: u32,

    #[command(flatten)]
    shared: SharedArgs,

    #[command(flatten)]
    timing: RoundsArgs,
}

pub(crate) fn run(args: &RadiosityArgs) -> Result<Exit, Failure> {
    let settings = RadiosityBenchSettings {
        sizes: args.patches.iter().map(|&number| number as usize).collect(),
        rays: args.rays,
        rounds: args.timing.rounds.into(),
        level: args.shared.level,
    };
    let path: &Path = args.scene.as_ref();
    let opened = scene::open(path.as_ref())?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let report = radiosity::run(&settings, &name, &opened.scene, &mut |doing| eprintln!("{doing}"));
    args.shared.write(&report.map_err(refused)?)?;
    Ok(Exit::Done)
}
