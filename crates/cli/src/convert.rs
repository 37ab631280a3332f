//! `sunfleck convert`: a scene as a glTF file.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use sunfleck_command::{Exit, Failure, scene, stdout};
use sunfleck_io::ExportError;

use crate::sheet::Sheet;
use crate::{destination, units};

const AFTER_HELP: &str = "\
Examples:
  sunfleck convert sponza.obj sponza.glb
  sunfleck convert teapot-room:divisions=4 teapots.gltf";

/// Writes a scene as glTF 2.0: .glb, or .gltf with everything in it.
///
/// Sunfleck reads the same scene from it, and makes the same picture of it, bit for bit. Other programs see what glTF can say;
/// what it cannot say is listed.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ConvertArgs {
    #[arg(help = scene::scene_help())]
    scene: OsString,

    /// Where to write; .glb or .gltf says in which form
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// Say nothing unless it fails
    #[arg(short, long)]
    quiet: bool,

    /// Report as JSON
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
}

/// What was done. Sizes are in bytes.
#[derive(Debug, Serialize)]
struct Facts {
    scene: String,
    /// By the importer and the exporter.
    notes: Vec<String>,
    written: PathBuf,
    bytes: u64,
}

/// Opens the scene and writes it, whole or not at all. Errors: it cannot be read, the file cannot be written.
pub(crate) fn run(args: &ConvertArgs) -> Result<Exit, Failure> {
    // Whatever can be refused is refused before the work
    let extension = args.output.extension().unwrap_or_default().to_ascii_lowercase();
    if !sunfleck_io::writable_extensions().iter().any(|&known| extension == known) {
        return Err(refused(&ExportError::UnknownExtension { path: args.output.clone() }));
    }
    destination::check_folder(&args.output)?;
    let opened = scene::open(&args.scene)?;
    let report = sunfleck_io::save(&opened.scene, &args.output).map_err(|error| refused(&error))?;
    let mut notes = opened.notes;
    notes.extend(report.entries.iter().map(ToString::to_string));
    let bytes = std::fs::metadata(&args.output).map_or(0, |metadata| metadata.len());
    let facts = Facts { scene: opened.name, notes, written: args.output.clone(), bytes };
    match (args.quiet, args.json) {
        (true, _) => {}
        (false, true) => stdout::print_json(&facts)?,
        (false, false) => stdout::print(&sheet(&facts).to_string())?,
    }
    Ok(Exit::Done)
}

fn refused(error: &ExportError) -> Failure {
    match error {
        ExportError::UnknownExtension { .. } => Failure::bad_input(error.to_string()),
        _ => Failure::failed(error.to_string()),
    }
}

fn sheet(facts: &Facts) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.row("scene", [facts.scene.clone()]);
    sheet.row("noted", facts.notes.iter().cloned());
    sheet.facts("written", [facts.written.display().to_string(), units::bytes(facts.bytes)]);
    sheet
}
