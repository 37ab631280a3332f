//! `sunfleck convert`: export of a scene as glTF.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use sunfleck_command::{Exit, Failure, ImportArgs, scene, stdout};
use sunfleck_io::ExportError;

use crate::summary::Summary;
use crate::{destination, units};

const AFTER_HELP: &str = "\
Examples:
  sunfleck convert sponza.obj sponza.glb
  sunfleck convert teapot-room:divisions=4 teapots.gltf";

/// Convert a scene to glTF 2.0.
///
/// Writes .glb, or .gltf with embedded buffers. Sunfleck reads the same scene back and renders the same image, bit for
/// bit. The report lists features that glTF cannot express and other programs therefore ignore.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ConvertArgs {
    #[arg(help = scene::scene_help())]
    scene: OsString,

    #[command(flatten)]
    import: ImportArgs,

    /// File to write; its extension, .glb or .gltf, selects the format
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// Print errors only
    #[arg(short, long)]
    quiet: bool,

    /// Print the report as JSON
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
}

/// Report of a conversion. Sizes are in bytes.
#[derive(Debug, Serialize)]
struct ConvertReport {
    scene: String,
    /// Notes of the importer and the exporter.
    notes: Vec<String>,
    written: PathBuf,
    bytes: u64,
}

/// Opens the scene and writes it atomically.
///
/// # Errors
/// The scene cannot be read, or the file cannot be written.
pub(crate) fn run(args: &ConvertArgs) -> Result<Exit, Failure> {
    // Check the arguments before the scene is read
    let extension = args.output.extension().unwrap_or_default().to_ascii_lowercase();
    if !sunfleck_io::writable_extensions().iter().any(|&known| extension == known) {
        return Err(failure(&ExportError::UnknownExtension { path: args.output.clone() }));
    }
    destination::check_folder(&args.output)?;
    let opened = args.import.open(&args.scene)?;
    let exported = sunfleck_io::save(&opened.scene, &args.output).map_err(|error| failure(&error))?;
    let mut notes = opened.notes;
    notes.extend(exported.entries.iter().map(ToString::to_string));
    let bytes = std::fs::metadata(&args.output).map_or(0, |metadata| metadata.len());
    let report = ConvertReport { scene: opened.name, notes, written: args.output.clone(), bytes };
    match (args.quiet, args.json) {
        (true, _) => {}
        (false, true) => stdout::print_json(&report)?,
        (false, false) => stdout::print(&summary(&report).to_string())?,
    }
    Ok(Exit::Done)
}

fn failure(error: &ExportError) -> Failure {
    match error {
        ExportError::UnknownExtension { .. } => Failure::bad_input(error.to_string()),
        _ => Failure::failed(error.to_string()),
    }
}

fn summary(report: &ConvertReport) -> Summary {
    let mut summary = Summary::default();
    summary.lines("scene", [report.scene.clone()]);
    summary.notes(report.notes.iter().cloned());
    summary.line("written", [report.written.display().to_string(), units::bytes(report.bytes)]);
    summary
}
