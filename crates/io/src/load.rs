//! Import of scene files.

use std::path::Path;

use sunfleck_scene::Scene;

use crate::error::{ImportProblem, ParseError, THE_FILE, WithLocation};
use crate::report::Reporter;
use crate::{FileLocation, Format, HostFiles, ImportError, Report, Resolver, gltf, obj, off, ply, stl};

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
    let read = |source| ImportProblem::Read { what: THE_FILE.to_string(), source };
    let bytes =
        std::fs::read(path).map_err(read).at(|| FileLocation::File).map_err(|error| error.in_file(path))?;
    load_bytes(path, &bytes, &HostFiles::beside(path))
}

/// Reads a scene file from memory. The files that it refers to are read through `files` only.
///
/// * `name` — file name for messages and for its extension; it is not opened.
///
/// Errors: [`ImportError`].
pub fn load_bytes(name: &Path, bytes: &[u8], files: &dyn Resolver) -> Result<LoadedScene, ImportError> {
    let mut report = Reporter::new(name);
    let (scene, format) = read(name, bytes, files, &mut report).map_err(|error| error.in_file(name))?;
    Ok(LoadedScene { scene, report: report.finish(), format })
}

fn read(
    name: &Path,
    bytes: &[u8],
    files: &dyn Resolver,
    report: &mut Reporter,
) -> Result<(Scene, Format), ParseError> {
    let format = Format::of(name, bytes)?;
    let title = name.file_stem().unwrap_or_default().to_string_lossy();
    let scene = match format {
        Format::Gltf => gltf::load(bytes, files, report)?,
        Format::Obj => obj::load(bytes, &title, files, report)?,
        Format::Ply => ply::load(bytes, &title, report)?,
        Format::Stl => stl::load(bytes, &title, report)?,
        Format::Off => off::load(bytes, &title, report)?,
    };
    if scene.instanced_triangle_count() == 0 {
        report.warn(FileLocation::File, "the scene has no visible triangles");
    }
    Ok((scene, format))
}
