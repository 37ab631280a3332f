use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, value_parser};
use sunfleck_bench::path::{self, PathSettings, Peer};
use sunfleck_command::{Exit, Failure, arguments};
use sunfleck_engine::StageChoice;
use sunfleck_integrators::path::PathTracer;

use crate::shared::{self, SharedArgs};

const AFTER_HELP: &str = "\
Every renderer gets the same CPU time; loading and compilation do not count. Its error is that against a longer
rendering of its own, where the references of all renderers agree. The last column is below 1 where Sunfleck is better.

The peers are Python packages: pip install mitsuba bpy. Mitsuba needs LLVM's library (Debian: libllvm19).

Examples:
  sunfleck-bench path cornell office --peer mitsuba,cycles
  sunfleck-bench path sponza.obj --stage sky --cpu-secs 8";

/// Compare the error of path tracing with that of other renderers at equal CPU time.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct PathArgs {
    /// Scenes: files, or built-in scenes
    #[arg(required = true)]
    scenes: Vec<OsString>,

    #[command(flatten)]
    shared: SharedArgs,

    /// Renderers to compare with
    #[arg(long = "peer", value_name = "NAMES", value_delimiter = ',', value_parser = peer())]
    peers: Vec<Peer>,

    /// Python interpreter with the packages of the peers
    #[arg(long, value_name = "FILE", default_value = "python3")]
    python: PathBuf,

    /// Stage of the scenes [default: one where a scene has no light]
    #[arg(long, value_name = "NAME", value_parser = arguments::stage())]
    stage: Option<StageChoice>,

    /// Width and height of the square images, pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 192, value_parser = value_parser!(u32).range(16..=4096))]
    size: u32,

    /// CPU time of a rendering, seconds
    #[arg(long, value_name = "S", default_value_t = 4.0)]
    cpu_secs: f64,

    /// CPU time of a reference, as a multiple of that of a rendering
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = value_parser!(u32).range(1..))]
    reference: u32,

    /// Number of renderings with different seeds
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u32).range(1..))]
    rounds: u32,

    /// Number of threads of each renderer
    #[arg(long, value_name = "N", default_value = "1")]
    threads: NonZero<usize>,
}

pub(crate) fn run(args: &PathArgs) -> Result<Exit, Failure> {
    if args.cpu_secs.is_nan() || args.cpu_secs <= 0.0 {
        return Err(Failure::bad_input("--cpu-secs must be positive"));
    }
    let settings = PathSettings {
        size: [args.size; 2],
        cpu_secs: args.cpu_secs,
        reference_factor: args.reference,
        rounds: args.rounds,
        threads: args.threads.get(),
        level: args.shared.level,
        path: PathTracer::DEFAULT,
        peers: args.peers.clone(),
        python: args.python.clone(),
    };
    let stage = args.stage.unwrap_or_default();
    let scenes = shared::opened(&args.scenes)?.into_iter().map(|(name, scene)| (name, scene, stage));
    let report = path::run(&settings, scenes, &mut |line| eprintln!("{line}")).map_err(shared::refused)?;
    args.shared.write(&report)?;
    Ok(Exit::Done)
}

fn peer() -> impl TypedValueParser<Value = Peer> {
    let named = |name: String| Peer::ALL.into_iter().find(|peer| peer.name() == name);
    PossibleValuesParser::new(Peer::ALL.map(Peer::name)).try_map(move |name| named(name).ok_or("unknown"))
}
