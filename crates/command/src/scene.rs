//! Scenes as people name them: a built-in scene by its name, or a file.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use sunfleck_io::{Added, FileLocation, ImportError};
use sunfleck_models::ModelError;
use sunfleck_scene::Scene;

use crate::Failure;

/// A scene and how it was opened.
#[derive(Debug)]
pub struct OpenedScene {
    /// Name or path, as it was given.
    pub name: String,
    /// The scene itself.
    pub scene: Scene,
    /// What the file lacked and the importer added.
    pub added: Added,
    /// Warnings and remarks of the importer.
    pub notes: Vec<String>,
    /// Time that reading or building took.
    pub elapsed: Duration,
}

/// Opens a built-in scene (`cornell`, `sunflowers:flowers=1000`) or a file. A file whose name is that of a built-in scene
/// can be written as `./cornell`.
///
/// # Errors
/// There is no such scene, a parameter of a built-in scene is wrong, or the file cannot be imported.
pub fn open(wanted: &OsStr) -> Result<OpenedScene, Failure> {
    let start = Instant::now();
    let name = wanted.to_string_lossy().into_owned();
    let (scene, notes, added) = match wanted.to_str().filter(|spec| is_model(spec)) {
        Some(spec) => (build(spec)?, Vec::new(), Added::default()),
        None => read(Path::new(wanted))?,
    };
    Ok(OpenedScene { name, scene, added, notes, elapsed: start.elapsed() })
}

/// Help text of an argument that names a scene.
pub fn scene_help() -> String {
    let extensions: Vec<_> = sunfleck_io::supported_extensions().iter().map(|e| format!(".{e}")).collect();
    let extensions = extensions.join(", ");
    format!(
        "A file ({extensions}), or a built-in scene such as `sunflowers:flowers=1000` (see `sunfleck scenes`)"
    )
}

/// A file that cannot be imported; the place in the file is shown if it is known and the file is text.
impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        let failure = Self::bad_input(error.to_string());
        match *error.place() {
            FileLocation::Text { offset, .. } => {
                failure.at(error.file(), usize::try_from(offset).unwrap_or(usize::MAX))
            }
            _ => failure,
        }
    }
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

fn read(file: &Path) -> Result<(Scene, Vec<String>, Added), Failure> {
    if !file.exists() {
        return Err(nothing_there(file));
    }
    let loaded = sunfleck_io::load(file)?;
    let notes = loaded.report.entries.iter().map(ToString::to_string).collect();
    Ok((loaded.scene, notes, loaded.added))
}

/// Neither a built-in scene nor a file: what looks like a name was probably meant as one.
fn nothing_there(file: &Path) -> Failure {
    let like_a_name = file.extension().is_none() && file.components().count() == 1;
    let unknown = file.to_str().filter(|_| like_a_name).and_then(|spec| sunfleck_models::build(spec).err());
    Failure::bad_input(match unknown {
        Some(error) => format!("there is no file `{}`, and {error}", file.display()),
        None => format!("{}: there is no such file", file.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_scenes_are_known_with_and_without_parameters() {
        for model in sunfleck_models::models() {
            assert!(is_model(model.name) && is_model(&format!("{}:seed=3", model.name)), "{}", model.name);
            assert!(!is_model(&format!("./{}", model.name)), "a path is a file");
        }
    }
}
