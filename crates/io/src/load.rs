use std::path::Path;

use sunfleck_scene::Scene;

use crate::error::{At, Fault, Problem};
use crate::report::Reporter;
use crate::{
    FileLocation, Format, HostFiles, ImportError, Report, Resolver, defaults, gltf, obj, off, ply, stl,
};

/// A loaded file.
#[derive(Debug)]
pub struct Loaded {
    /// What is in it; has a camera and light in any case.
    pub scene: Scene,
    /// What was noticed while loading.
    pub report: Report,
    /// What kind of file it was.
    pub format: Format,
    /// What the file lacked and was made up.
    pub added: Added,
}

/// What a scene needs to be seen and its file did not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// The scene's only camera was made to frame it.
    pub camera: bool,
    /// Its only light is a soft sky.
    pub sky: bool,
}

/// Reads a scene file and the files that it names.
///
/// The format is that of the first bytes (GLB, PLY), or else of the file name's extension. Errors: [`ImportError`].
pub fn load(path: &Path) -> Result<Loaded, ImportError> {
    let read = |source| Problem::Read { what: "the file".to_string(), source };
    let bytes =
        std::fs::read(path).map_err(read).at(|| FileLocation::File).map_err(|fault| fault.in_file(path))?;
    load_bytes(path, &bytes, &HostFiles::beside(path))
}

/// Reads a scene file from memory; the files that it names come from `files` and from nowhere else.
///
/// * `name` — for messages, and for its extension; nothing is read there.
///
/// Errors: [`ImportError`].
pub fn load_bytes(name: &Path, bytes: &[u8], files: &dyn Resolver) -> Result<Loaded, ImportError> {
    let mut report = Reporter::new(name);
    let (scene, format, added) =
        read(name, bytes, files, &mut report).map_err(|fault| fault.in_file(name))?;
    Ok(Loaded { scene, report: report.finish(), format, added })
}

fn read(
    name: &Path,
    bytes: &[u8],
    files: &dyn Resolver,
    report: &mut Reporter,
) -> Result<(Scene, Format, Added), Fault> {
    let format = Format::of(name, bytes)?;
    let title = name.file_stem().unwrap_or_default().to_string_lossy();
    let mut scene = match format {
        Format::Gltf => gltf::load(bytes, files, report)?,
        Format::Obj => obj::load(bytes, &title, files, report)?,
        Format::Ply => ply::load(bytes, &title, report)?,
        Format::Stl => stl::load(bytes, &title, report)?,
        Format::Off => off::load(bytes, &title, report)?,
    };
    if scene.instanced_triangle_count() == 0 {
        report.warn(FileLocation::File, "there are no triangles to show");
    }
    let added = defaults::complete(&mut scene, report).at(|| FileLocation::File)?;
    Ok((scene, format, added))
}
