use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use sunfleck_bench::kernel::BuildPreset;
use sunfleck_bench::table1::{self, Table1Report};
use sunfleck_command::{Exit, Failure};
use sunfleck_image::{Picture, ToneCurve};

use crate::shared::{RoundsArgs, SharedArgs, make_folder, opened, preset, refused, save};

const TABLE1_AFTER_HELP: &str = "\
The paper is Wald, Purcell, Schmittler, Benthin and Slusallek, Realtime Ray Tracing and its use for Interactive Global
Illumination, Eurographics 2003. Built-in scenes replace ERW6, the conference room and Soda Hall.

Examples:
  sunfleck-bench table1 --json table1.json --pictures pictures
  sunfleck-bench table1 erw6 conference --rounds 3";

/// Measure casting and simple shading of primary rays on one thread, beside the figures published in 2003.
#[derive(Args, Debug)]
#[command(after_help = TABLE1_AFTER_HELP)]
pub(crate) struct Table1Args {
    /// Scenes to trace: built-in scenes or files
    #[arg(default_values = ["erw6", "conference", "building"])]
    scenes: Vec<OsString>,

    /// Pixels per side of the image; rounded down to a multiple of 8
    #[arg(long, value_name = "PIXELS", value_parser = value_parser!(u32).range(8..=8192), default_value_t = 1024)]
    resolution: u32,

    /// Build quality
    #[arg(long, value_name = "PRESET", value_parser = preset(), default_value = BuildPreset::Best.name())]
    quality: BuildPreset,

    /// Do not measure two-level structures
    #[arg(long)]
    only_static: bool,

    /// Write the shaded images into this folder, one PNG per scene
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,

    #[command(flatten)]
    shared: SharedArgs,

    #[command(flatten)]
    timing: RoundsArgs,
}

pub(crate) fn run(args: &Table1Args) -> Result<Exit, Failure> {
    let settings = table1::Table1Settings {
        level: args.shared.level,
        rounds: args.timing.rounds.into(),
        resolution: args.resolution,
        preset: args.quality,
        dynamic: !args.only_static,
    };
    let scenes = opened(&args.scenes)?;
    let (report, pictures): (Table1Report, _) =
        table1::run(&settings, &scenes, &mut |doing| eprintln!("{doing}")).map_err(refused)?;
    if let Some(folder) = &args.pictures {
        make_folder(folder)?;
        pictures.into_iter().try_for_each(|picture| save_shaded(picture, folder))?;
    }
    args.shared.write(&report)?;
    Ok(Exit::Done)
}

/// Writes an image as `NAME.png` with a linear tone curve.
fn save_shaded(
    table1::ShadedImage { name, width, pixels }: table1::ShadedImage,
    folder: &Path,
) -> Result<(), Failure> {
    let picture = Picture::new(width, width, pixels).map_err(|error| Failure::failed(error.to_string()))?;
    save(&picture, &name, ToneCurve::Linear, folder)
}
