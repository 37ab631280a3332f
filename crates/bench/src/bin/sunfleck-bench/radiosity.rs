use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use clap::{Args, value_parser};
use sunfleck_bench::radiosity::{self, RadiosityBenchSettings};
use sunfleck_command::{Exit, Failure, scene};
use sunfleck_gpu::{AdapterChoice, Gpu};

use crate::shared::{RoundsArgs, SharedArgs, refused};

const AFTER_HELP: &str = "\
The paper is Carr, Hall and Hart, GPU Algorithms for Radiosity and Subsurface Scattering, Graphics Hardware 2003. It
gives the rates of one matrix of a Cornell box without blocks, which has at most 2,048 elements.

Examples:
  sunfleck-bench radiosity --json radiosity.json
  sunfleck-bench radiosity erw6 --patches 4096 --rays 1024";

/// Measure matrix radiosity beside the figures of 2003, form factors, iterations and convergence, and hierarchical links.
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

    /// Also measure a GPU: sweeps over the matrices, and stochastic radiosity
    #[arg(long)]
    gpu: bool,

    /// Widths of the maps of stochastic radiosity on the GPU, texels
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "512,1024",
          value_parser = value_parser!(u32).range(8..=8192))]
    maps: Vec<u32>,

    #[command(flatten)]
    shared: SharedArgs,

    #[command(flatten)]
    timing: RoundsArgs,
}

pub(crate) fn run(args: &RadiosityArgs) -> Result<Exit, Failure> {
    let open = || Gpu::open(AdapterChoice::Best).map_err(|error| Failure::failed(error.to_string()));
    let gpu = args.gpu.then(open).transpose()?;
    let settings = RadiosityBenchSettings {
        sizes: args.patches.iter().map(|&number| number as usize).collect(),
        rays: args.rays,
        rounds: args.timing.rounds.into(),
        level: args.shared.level,
        gpu: gpu.map(Arc::new),
        maps: args.maps.clone(),
    };
    let path: &Path = args.scene.as_ref();
    let opened = scene::open(&args.scene)?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let report = radiosity::run(&settings, &name, &opened.scene, &mut |doing| eprintln!("{doing}"));
    args.shared.write(&report.map_err(refused)?)?;
    Ok(Exit::Done)
}
