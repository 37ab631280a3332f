use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use sunfleck_bench::gallery::{self, GallerySettings};
use sunfleck_command::{Exit, Failure, scene};
use sunfleck_image::{DisplayOptions, ToneCurve, save_picture};

use crate::shared::SharedArgs;

const AFTER_HELP: &str = "\
Images of landscape, square and portrait format, two scenes to a row. Flagged are those whose mean value is outside of
0.2 to 0.6, and objects whose silhouette fills less than 80 % of the side that limits it, or is cut off.

Example:
  sunfleck-bench gallery models/ -o sheet.png";

/// Render every scene file in folders without any options into one contact sheet, and flag bad images.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct GalleryArgs {
    /// Folders, which are searched with all folders in them, or files
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    shared: SharedArgs,

    /// Contact sheet to write
    #[arg(short, long, default_value = "gallery.png")]
    output: PathBuf,

    /// Edge length of the cells of the sheet, pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 192, value_parser = value_parser!(u32).range(8..=2048))]
    cell: u32,

    /// Samples per pixel
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = value_parser!(u32).range(1..))]
    spp: u32,
}

pub(crate) fn run(args: &GalleryArgs) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    for path in &args.paths {
        collect(path, &mut files)?;
    }
    let settings = GallerySettings { cell: args.cell, samples: args.spp, level: args.shared.level };
    let scenes = files.iter().map(|file| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, scene::open(file.as_os_str()).map(|opened| opened.scene).map_err(|error| error.to_string()))
    });
    let (report, sheet) = gallery::run(&settings, scenes, &mut |name| eprintln!("{name}"));
    args.shared.write(&report)?;
    let Some(sheet) = sheet else {
        return Err(Failure::bad_input("there are no scene files in these folders"));
    };
    let display = DisplayOptions { tone_curve: ToneCurve::Linear, ..DisplayOptions::default() };
    save_picture(&sheet, &args.output, &display).map_err(|error| Failure::failed(error.to_string()))?;
    Ok(Exit::Done)
}

/// Adds the scene files of a folder and of all folders in it, in the order of names; a file is added itself.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let failed = |error: std::io::Error| Failure::bad_input(format!("{}: {error}", path.display()));
    let entries = std::fs::read_dir(path).map_err(failed)?;
    let mut entries = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() || sunfleck_io::has_supported_extension(&entry) {
            collect(&entry, files)?;
        }
    }
    Ok(())
}
