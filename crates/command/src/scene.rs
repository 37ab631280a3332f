//! Opening of scenes by the name of a built-in scene or by path.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sunfleck_io::{FileLocation, ImportError, ImportProblem, LoadOptions, OutsideFolder, ReportEntry};
use sunfleck_models::ModelError;
use sunfleck_scene::Scene;

use crate::Failure;

/// Hint for files that are not read because of their place.
const READ_OUTSIDE: &str = "--allow-outside reads it";

/// Opened scene, with its name, its load time and the notes of its import.
#[derive(Debug)]
pub struct OpenedScene {
    /// Name or path, as given by the user.
    pub name: String,
    /// Path of the file; `None` for built-in scenes.
    pub file: Option<PathBuf>,
    /// Content of the file, or the built-in scene.
    pub scene: Scene,
    /// Notes and warnings of the importer, each starting with `note: ` or `warning: `.
    pub notes: Vec<String>,
    /// Time taken to read or build the scene.
    pub elapsed: Duration,
}

/// Opens a built-in scene (`cornell`, `sunflowers:flowers=1000`) or a file. A file with the name of a built-in scene is
/// opened as `./cornell`.
///
/// # Errors
/// No such scene exists, a parameter of the built-in scene is invalid, or the file cannot be imported.
pub fn open(name_or_path: &OsStr) -> Result<OpenedScene, Failure> {
    open_with(name_or_path, &LoadOptions::default())
}

/// Opens a scene as [`open`] does, and files as the options say.
pub(crate) fn open_with(name_or_path: &OsStr, options: &LoadOptions) -> Result<OpenedScene, Failure> {
    let start = Instant::now();
    let name = name_or_path.to_string_lossy().into_owned();
    let spec = name_or_path.to_str().filter(|spec| is_model(spec));
    let file = spec.is_none().then(|| PathBuf::from(name_or_path));
    let (scene, notes) = match spec {
        Some(spec) => (build(spec)?, Vec::new()),
        None => read(Path::new(name_or_path), options)?,
    };
    Ok(OpenedScene { name, file, scene, notes, elapsed: start.elapsed() })
}

/// Returns the help text of an argument that names a scene.
pub fn scene_help() -> String {
    let extensions: Vec<_> = sunfleck_io::supported_extensions().iter().map(|e| format!(".{e}")).collect();
    let extensions = extensions.join(", ");
    format!(
        "Scene to open: a file ({extensions}), or a built-in scene such as `sunflowers:flowers=1000` (see `sunfleck scenes`)"
    )
}

/// Failure of an import, with an excerpt if the file is text and the location of the error is known.
impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        let failure = match error.problem() {
            ImportProblem::Read { source, .. } if is_outside(source) => {
                Self::bad_input(error.to_string()).with_help(READ_OUTSIDE)
            }
            _ => Self::bad_input(error.to_string()),
        };
        match *error.location() {
            FileLocation::Text { offset, .. } => {
                failure.at(error.file(), usize::try_from(offset).unwrap_or(usize::MAX))
            }
            _ => failure,
        }
    }
}

fn is_outside(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(|why| why.is::<OutsideFolder>())
}

fn is_model(spec: &str) -> bool {
    let name = spec.split(':').next().unwrap_or(spec).trim();
    sunfleck_models::models().iter().any(|model| model.name == name)
}

fn build(spec: &str) -> Result<Scene, Failure> {
    sunfleck_models::build(spec).map_err(|error| match error {
        ModelError::Edit(_) | ModelError::Mesh(_) | ModelError::Texture(_) => {
            Failure::failed(error.to_string())
        }
        _ => Failure::bad_input(error.to_string())
            .with_help("`sunfleck scenes` lists the built-in scenes and their parameters"),
    })
}

fn read(file: &Path, options: &LoadOptions) -> Result<(Scene, Vec<String>), Failure> {
    if !file.exists() {
        return Err(missing_file(file));
    }
    let loaded = options.load(file)?;
    let notes = loaded.report.entries.iter().map(note).collect();
    Ok((loaded.scene, notes))
}

/// Formats a note of an import. Textures that are not read because of their place are such notes.
fn note(entry: &ReportEntry) -> String {
    match entry.message.contains(&OutsideFolder.to_string()) {
        true => format!("{entry}; {READ_OUTSIDE}"),
        false => entry.to_string(),
    }
}

/// Failure for a path that does not exist. If it looks like the name of a built-in scene, similar names are suggested.
fn missing_file(file: &Path) -> Failure {
    let looks_like_name = file.extension().is_none() && file.components().count() == 1;
    let unknown =
        file.to_str().filter(|_| looks_like_name).and_then(|spec| sunfleck_models::build(spec).err());
    Failure::bad_input(match unknown {
        Some(error) => format!("{}: file not found, and {error}", file.display()),
        None => format!("{}: file not found", file.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_scenes_are_known_with_and_without_parameters() {
        for model in sunfleck_models::models() {
            assert!(is_model(model.name) && is_model(&format!("{}:seed=3", model.name)), "{}", model.name);
            assert!(!is_model(&format!("./{}", model.name)), "a path refers to a file");
        }
    }
}
