use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, value_parser};
use rayon::ThreadPoolBuilder;
use sunfleck_bench::igi::{self, Settings, Shown};
use sunfleck_image::ToneCurve;
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::igi::Igi;

use super::{RoundsArgs, SharedArgs, make_folder, opened, refused, save};
use crate::failure::{Exit, Failure};
use crate::values;

const AFTER_HELP: &str = "\
The paper is Wald, Purcell, Schmittler, Benthin and Slusallek, Realtime Ray Tracing and its use for Interactive Global
Illumination, Eurographics 2003. Our scenes stand for ERW6, the conference room, Soda Hall and the power plant.

Examples:
  sunfleck bench igi --json igi.json --pictures pictures --reference 256
  sunfleck bench igi erw6 --set vpls=32 --rounds 20";

/// Instant global illumination, everything computed anew in each frame, beside what was published in 2003.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct IgiArgs {
    /// What to show: built-in scenes or files
    #[arg(default_values = ["erw6", "office", "conference", "building", "sunflowers", "plant"])]
    scenes: Vec<OsString>,

    #[command(flatten)]
    shared: SharedArgs,

    #[command(flatten)]
    timing: RoundsArgs,

    /// Width of the picture, pixels
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 640)]
    width: u32,

    /// Height of the picture, pixels
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 480)]
    height: u32,

    /// How many threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,

    /// A parameter of the integrator; `sunfleck render --help` lists them. Can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = values::assignment)]
    parameters: Vec<(String, String)>,

    /// Compare a frame with a path-traced picture of so many samples per pixel; 0: do not
    #[arg(long, value_name = "SAMPLES", default_value_t = 0)]
    reference: u32,

    /// Write the frames, and references if there are any, into this folder
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
}

pub(super) fn run(args: &IgiArgs) -> Result<Exit, Failure> {
    let settings = Settings {
        width: args.width,
        height: args.height,
        frames: args.timing.rounds.into(),
        level: args.shared.level,
        igi: parameters(&args.parameters)?,
        reference_samples: args.reference,
    };
    let scenes = opened(&args.scenes)?;
    let pool = ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0).into()).build();
    let pool = pool.map_err(|error| Failure::failed(format!("cannot start threads: {error}")))?;
    let measured = pool.install(|| igi::run(&settings, &scenes, &mut |doing| eprintln!("{doing}")));
    let (report, shown) = measured.map_err(refused)?;
    if let Some(folder) = &args.pictures {
        make_folder(folder)?;
        for Shown { name, frame, reference } in &shown {
            save(frame, name, ToneCurve::default(), folder)?;
            if let Some(reference) = reference {
                save(reference, &format!("{name}-reference"), ToneCurve::default(), folder)?;
            }
        }
    }
    args.shared.write(&report)?;
    Ok(Exit::Done)
}

/// Those of frames that are computed anew, with some set otherwise. Without compensation, as in [Wald03, §12]: it is for frames that are added
/// up.
pub(super) fn parameters(set: &[(String, String)]) -> Result<Igi, Failure> {
    let mut algorithm = Algorithm::Igi(Igi { compensate: 0, ..Igi::DEFAULT });
    for (name, value) in set {
        algorithm
            .set(name, value)
            .map_err(|error| Failure::bad_input(format!("--set {name}={value}: {error}")))?;
    }
    match algorithm {
        Algorithm::Igi(igi) => Ok(igi),
        Algorithm::Path(_) | Algorithm::Whitted(_) => Ok(Igi::DEFAULT),
    }
}
