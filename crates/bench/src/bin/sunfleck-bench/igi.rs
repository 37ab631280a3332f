use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use sunfleck_bench::igi::{self, IgiBenchSettings, IgiImages};
use sunfleck_command::{Exit, Failure};
use sunfleck_image::ToneCurve;

use crate::frame::FrameArgs;
use crate::shared::{RoundsArgs, SharedArgs, make_folder, opened, refused, save};

const AFTER_HELP: &str = "\
The paper is Wald, Purcell, Schmittler, Benthin and Slusallek, Realtime Ray Tracing and its use for Interactive Global
Illumination, Eurographics 2003. Built-in scenes replace ERW6, the conference room, Soda Hall and the power plant.

Examples:
  sunfleck-bench igi --json igi.json --pictures pictures --reference 256
  sunfleck-bench igi erw6 --set vpls=32 --rounds 20
  sunfleck-bench igi office --checks --width 320 --height 240";

/// Measure independent frames of instant global illumination, beside the figures published in 2003.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct IgiArgs {
    /// Scenes to render: built-in scenes or files
    #[arg(default_values = ["erw6", "office", "conference", "building", "sunflowers", "plant"])]
    scenes: Vec<OsString>,

    #[command(flatten)]
    shared: SharedArgs,

    #[command(flatten)]
    timing: RoundsArgs,

    #[command(flatten)]
    frame: FrameArgs,

    /// Compare a frame with a path-traced image with this number of samples per pixel; 0: none
    #[arg(long, value_name = "SAMPLES", default_value_t = 0)]
    reference: u32,

    /// Also measure the cost of anti-aliasing, and the error against a frame without interleaving and filter, in
    /// which the virtual point lights of all sets light each pixel
    #[arg(long)]
    checks: bool,

    /// Write the frames, and references if there are any, into this folder
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
}

pub(crate) fn run(args: &IgiArgs) -> Result<Exit, Failure> {
    let settings = IgiBenchSettings {
        width: args.frame.width,
        height: args.frame.height,
        frames: args.timing.rounds.into(),
        level: args.shared.level,
        igi: args.frame.igi()?,
        reference_samples: args.reference,
        checks: args.checks,
    };
    args.frame.start_threads()?;
    let scenes = opened(&args.scenes)?;
    let measured = igi::run(&settings, &scenes, &mut |doing| eprintln!("{doing}"));
    let (report, images) = measured.map_err(refused)?;
    if let Some(folder) = &args.pictures {
        make_folder(folder)?;
        for IgiImages { name, frame, reference } in &images {
            save(frame, name, ToneCurve::default(), folder)?;
            if let Some(reference) = reference {
                save(reference, &format!("{name}-reference"), ToneCurve::default(), folder)?;
            }
        }
    }
    args.shared.write(&report)?;
    Ok(Exit::Done)
}
