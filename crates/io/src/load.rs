//! Import of scene files.

use std::path::Path;
use std::time::Instant;

use sunfleck_scene::Scene;

use crate::error::{ImportProblem, ParseError, THE_FILE, WithLocation};
use crate::files::read_regular_file;
use crate::load_options::turn_z_up;
use crate::origin::report_origin;
use crate::report::Reporter;
use crate::{
    FileLocation, Format, ImportError, LoadOptions, Report, Resolver, UpAxis, aff, bpt, gltf, mitsuba, nff,
    obj, off, pbrt, ply, stl,
};

/// Result of loading a scene file.
#[derive(Debug)]
pub struct LoadedScene {
    /// The scene as the file describes it: it may have no camera and no light.
    pub scene: Scene,
    /// Notes and warnings of the import.
    pub report: Report,
    /// Format of the file.
    pub format: Format,
}

/// Reads a scene file and the files that it refers to.
///
/// The format is detected from the first bytes (GLB, PLY) or from the extension of the file name. Errors:
/// [`ImportError`].
pub fn load(path: &Path) -> Result<LoadedScene, ImportError> {
    LoadOptions::default().load(path)
}

/// Reads a scene file from memory. The files that it refers to are read through `files` only.
///
/// * `name` — file name for messages and for its extension; it is not opened.
///
/// Errors: [`ImportError`].
pub fn load_bytes(name: &Path, bytes: &[u8], files: &dyn Resolver) -> Result<LoadedScene, ImportError> {
    LoadOptions::default().load_bytes(name, bytes, files)
}

/// Reads a scene file, which must be a regular one.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ImportError> {
    let cannot_read = |source| ImportProblem::Read { what: THE_FILE.to_string(), source };
    read_regular_file(path)
        .map_err(cannot_read)
        .at(|| FileLocation::File)
        .map_err(|error| error.in_file(path))
}

pub(crate) fn read_bytes(
    name: &Path,
    bytes: &[u8],
    files: &dyn Resolver,
    options: &LoadOptions,
) -> Result<LoadedScene, ImportError> {
    let begun = Instant::now();
    let mut report = Reporter::new(name);
    let (scene, format) =
        read(name, bytes, files, options, &mut report).map_err(|error| error.in_file(name))?;
    tracing::debug!(file = %name.display(), elapsed = ?begun.elapsed(), "file imported");
    Ok(LoadedScene { scene, report: report.finish(), format })
}

fn read(
    name: &Path,
    bytes: &[u8],
    files: &dyn Resolver,
    options: &LoadOptions,
    report: &mut Reporter,
) -> Result<(Scene, Format), ParseError> {
    let format = Format::of(name, bytes)?;
    let title = name.file_stem().unwrap_or_default().to_string_lossy();
    let mut scene = match format {
        Format::Gltf => gltf::load(bytes, files, report)?,
        Format::Obj => obj::load(bytes, &title, files, report)?,
        Format::Ply => ply::load(bytes, &title, files, report)?,
        Format::Stl => stl::load(bytes, &title, report)?,
        Format::Off => off::load(bytes, &title, report)?,
        Format::Bpt => bpt::load(bytes, &title, report)?,
        Format::Nff => nff::load(bytes, &title, report)?,
        Format::Aff => aff::load(bytes, &title, files, report)?,
        Format::Mitsuba => mitsuba::load(bytes, files, report)?,
        Format::Pbrt => pbrt::load(bytes, files, report)?,
    };
    if scene
        .world_instances()
        .iter()
        .all(|placed| scene.mesh(placed.mesh).is_none_or(|m| m.primitive_count() == 0))
    {
        report.warn(FileLocation::File, "the scene has no visible surfaces");
    }
    if options.up(format) == UpAxis::Z {
        turn_z_up(&mut scene).at(|| FileLocation::File)?;
        let message = "the z axis of the file points up: the scene is turned, (x, y, z) to (x, z, -y)";
        report.note(FileLocation::File, message);
    }
    report_origin(&scene, report);
    Ok((scene, format))
}
