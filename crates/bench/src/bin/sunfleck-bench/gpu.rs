use std::ffi::OsString;
use std::sync::Arc;

use clap::{Args, value_parser};
use fearless_simd::Level;
use sunfleck_bench::RayKind;
use sunfleck_bench::gpu::{self, GpuTraceSettings};
use sunfleck_command::{Exit, Failure, scene};
use sunfleck_engine::{Presentation, StageChoice};
use sunfleck_gpu::{AdapterChoice, Gpu};
use sunfleck_integrators::ViewSpec;

use crate::kernel::{kind, subject};
use crate::shared::{RoundsArgs, SharedArgs, refused};

/// Film size of path-traced images, pixels.
const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

const AFTER_HELP: &str = "\
Examples:
  sunfleck-bench gpu conference plant --json gpu.json
  sunfleck-bench gpu sponza.obj --kinds primary,diffuse --resolution 2048
  sunfleck-bench gpu office building --path 16
  sunfleck-bench gpu teapot conference --grid";

/// Measure rays on a GPU: closest and any hits per second by its time stamps, and tests of all pairs of rays and
/// triangles as in 2002.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct GpuArgs {
    /// Scenes to trace: built-in scenes or files, as for `sunfleck-bench kernel`
    #[arg(default_values = ["teapot", "conference"])]
    scenes: Vec<OsString>,

    /// GPU, by its number in `sunfleck devices` [default: the best]
    #[arg(long, value_name = "N")]
    number: Option<usize>,

    /// Kinds of rays to generate
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kind(), default_values_t = RayKind::ALL.map(RayKind::name).map(String::from))]
    kinds: Vec<String>,

    /// Primary rays per side of the image
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 1024)]
    resolution: u32,

    /// Number of rays of the crossbar
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(64..=4_194_304), default_value_t = 65_536)]
    crossbar_rays: u32,

    /// Number of triangles of the crossbar
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=4_194_304), default_value_t = 4096)]
    crossbar_triangles: u32,

    /// Also trace the rays through a uniform grid, the structure of the streaming ray tracer of 2003, and print its
    /// table of images
    #[arg(long)]
    grid: bool,

    /// Also measure top-level builds: the time to update the GPU after all of many instances have moved
    #[arg(long)]
    top_levels: bool,

    /// Do not trace the rays through the driver's ray-tracing pipeline
    #[arg(long)]
    no_driver: bool,

    /// Also measure path tracing, except of bare meshes, with this number of samples per pixel at 1920 × 1080
    #[arg(long, value_name = "SAMPLES", value_parser = value_parser!(u32).range(1..=65_536))]
    path: Option<u32>,

    #[command(flatten)]
    shared: SharedArgs,

    #[command(flatten)]
    timing: RoundsArgs,
}

pub(crate) fn run(args: &GpuArgs) -> Result<Exit, Failure> {
    let adapter = args.number.map_or(AdapterChoice::Best, AdapterChoice::Number);
    let gpu = Arc::new(Gpu::open(adapter).map_err(|error| Failure::failed(error.to_string()))?);
    let settings = GpuTraceSettings {
        kinds: RayKind::ALL
            .into_iter()
            .filter(|kind| args.kinds.iter().any(|name| name == kind.name()))
            .collect(),
        resolution: args.resolution,
        rounds: args.timing.rounds.into(),
        crossbar: [args.crossbar_rays, args.crossbar_triangles],
        grid: args.grid,
        driver: !args.no_driver,
    };
    let subjects = args.scenes.iter().map(|scene| subject(scene, 0)).collect::<Result<Vec<_>, _>>()?;
    let mut progress = |doing: &str| eprintln!("{doing}");
    let mut report = gpu::run(&settings, &subjects, &gpu, &mut progress).map_err(refused)?;
    if let Some(samples) = args.path {
        for name in &args.scenes {
            let title = name.to_string_lossy();
            progress(&format!("{title}: path tracing"));
            let Ok(opened) = scene::open(name) else { continue };
            let presented = Presentation::new(opened.scene, StageChoice::Automatic, Level::new());
            let presented = presented.map_err(|error| Failure::failed(format!("{title}: {error}")))?;
            let cameras = presented.cameras(WIDTH as f32 / HEIGHT as f32);
            let Some(camera) = cameras.first() else { continue };
            let spec = ViewSpec::new(camera, WIDTH, HEIGHT);
            let world = presented.world.committed();
            report.paths.push(gpu::path(&title, world, &spec, samples, &gpu).map_err(refused)?);
        }
    }
    if args.grid {
        report.table3 = gpu::table3(&gpu, &mut progress).map_err(refused)?;
    }
    if args.top_levels {
        report.top_levels =
            gpu::top_levels(&gpu, args.timing.rounds.into(), &mut progress).map_err(refused)?;
    }
    args.shared.write(&report)?;
    Ok(Exit::Done)
}
