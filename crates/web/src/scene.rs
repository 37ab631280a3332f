//! Scene that the viewer has opened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fearless_simd::Level;
use serde::{Deserialize, Serialize};
use sunfleck_engine::{EditableWorld, InitialCamera, Presentation, Stage, StageChoice};
use sunfleck_integrators::CommitError;
use sunfleck_io::{LoadOptions, LoadedScene, MemoryFiles, load_bytes, main_scene, supported_extensions};
use sunfleck_scene::Scene;

/// Opened scene with its initial camera.
#[derive(Debug)]
pub struct ViewerScene {
    pub(crate) name: String,
    pub(crate) world: EditableWorld,
    /// Notes and warnings of the import, and on the stage.
    pub(crate) notes: Vec<String>,
    /// First camera of the scene, or the default one.
    pub(crate) camera: InitialCamera,
    /// Stage as chosen by the user when the scene was opened.
    pub(crate) stage: StageChoice,
    /// Stage that was added.
    pub(crate) initial_stage: Option<Stage>,
    /// Initial exposure in stops; `None` if it is automatic.
    pub(crate) exposure: Option<f32>,
    pub(crate) source: SceneSource,
}

/// Origin of a scene, from which it can be opened again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SceneSource {
    /// Built-in scene, by its name and parameters.
    BuiltIn(String),
    /// File on this machine.
    File(SceneFile),
    /// Files that a browser has sent.
    Upload {
        /// Name of the scene file.
        name: String,
        /// Name of the folder with a copy of the files, if there is one.
        copy: Option<String>,
    },
}

/// File on this machine, and how it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredFile", into = "StoredFile")]
pub(crate) struct SceneFile {
    /// Absolute path.
    pub(crate) path: PathBuf,
    pub(crate) options: LoadOptions,
}

/// Form of a [`SceneFile`] in lists. Most have default options, and older lists have none.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredFile {
    Path(PathBuf),
    WithOptions { path: PathBuf, options: LoadOptions },
}

impl SceneFile {
    /// File that is read with the default options.
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), options: LoadOptions::default() }
    }
}

impl From<StoredFile> for SceneFile {
    fn from(stored: StoredFile) -> Self {
        match stored {
            StoredFile::Path(path) => Self::new(path),
            StoredFile::WithOptions { path, options } => Self { path, options },
        }
    }
}

impl From<SceneFile> for StoredFile {
    fn from(SceneFile { path, options }: SceneFile) -> Self {
        match options == LoadOptions::default() {
            true => Self::Path(path),
            false => Self::WithOptions { path, options },
        }
    }
}

impl SceneSource {
    /// Returns the path of the file, if the scene was read from one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(&file.path),
            Self::BuiltIn(_) | Self::Upload { .. } => None,
        }
    }

    /// Returns the name of the folder with a copy of uploaded files, if there is one.
    pub(crate) fn copy(&self) -> Option<&str> {
        match self {
            Self::Upload { copy, .. } => copy.as_deref(),
            Self::BuiltIn(_) | Self::File(_) => None,
        }
    }
}

impl ViewerScene {
    /// Commits a scene, and chooses camera and stage as [`Presentation`] does.
    ///
    /// * `name` — file or built-in scene as typed; shown as title and in command lines.
    ///
    /// # Errors
    /// [`CommitError`].
    pub fn new(
        name: impl Into<String>,
        scene: Scene,
        stage: StageChoice,
        mut notes: Vec<String>,
    ) -> Result<Self, CommitError> {
        let exposure = scene.exposure_stops();
        let presented = Presentation::new(scene, stage, Level::new())?;
        let Presentation { world, camera, stage: initial_stage, notes: added } = presented;
        notes.extend(added);
        if world.committed().light_count() == 0 {
            notes.push(
                "warning: the scene has no light, so the image is black; add one in the tab Light".into(),
            );
        }
        let name = name.into();
        let source = SceneSource::BuiltIn(name.clone());
        Ok(Self { name, world, notes, camera, stage, initial_stage, exposure, source })
    }

    /// Declares that the scene was read from a file, beside which it is saved.
    ///
    /// * `options` — how it was read, and is read again.
    #[must_use]
    pub fn of_file(self, path: &Path, options: LoadOptions) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.of_source(SceneSource::File(SceneFile { path, options }))
    }

    pub(crate) fn of_source(self, source: SceneSource) -> Self {
        Self { source, ..self }
    }

    /// Returns the notes and warnings of the import, and on what was added.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Makes a viewer scene of an imported file; see [`ViewerScene::new`].
    pub(crate) fn from_loaded(name: &str, loaded: LoadedScene) -> Result<Self, CommitError> {
        let notes = loaded.report.entries.iter().map(ToString::to_string).collect();
        Self::new(name, loaded.scene, StageChoice::Automatic, notes)
    }

    /// Reads the scene among several files. It can refer to the others, but not to files of the host.
    ///
    /// # Errors
    /// A message for the user.
    pub(crate) fn from_files(files: Vec<(String, Vec<u8>)>) -> Result<Self, String> {
        let (name, loaded) = load_files(files)?;
        Self::from_loaded(&name, loaded).map_err(|error| error.to_string())
    }
}

/// Loads the scene among some files, and returns its name, too; it can refer to the others. See [`main_scene`].
///
/// # Errors
/// A message for the user.
pub(crate) fn load_files(files: Vec<(String, Vec<u8>)>) -> Result<(String, LoadedScene), String> {
    let Some(scene) = main_scene(files.iter().map(|(name, bytes)| (Path::new(name), bytes.as_slice())))
    else {
        let known = supported_extensions().join(", .");
        return Err(format!("none of these files is a scene; supported formats: .{known}"));
    };
    let (name, bytes) = files[scene].clone();
    // Paths are relative to the scene file, while the page sends paths relative to the dropped folder
    let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let relative = |name: String| name.strip_prefix(&folder).map(str::to_string).unwrap_or(name);
    let files: BTreeMap<_, _> = files.into_iter().map(|(name, bytes)| (relative(name), bytes)).collect();
    let loaded = load_bytes(Path::new(&name), &bytes, &MemoryFiles(files)).map_err(|e| e.to_string())?;
    Ok((name, loaded))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJ: &[u8] = b"mtllib my.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n";

    #[test]
    fn files_of_a_folder_are_resolved() {
        let mtl = b"newmtl red\nKd 1 0 0\n".to_vec();
        let files = vec![("thing/my.mtl".to_string(), mtl), ("thing/a.obj".to_string(), OBJ.to_vec())];
        let scene = ViewerScene::from_files(files).unwrap();
        assert!(scene.world.scene().materials().any(|(_, material)| material.name == "red"));
        assert!(!scene.notes.iter().any(|note| note.contains("my.mtl")), "{:?}", scene.notes);
    }

    /// The page sends the files of a folder by name: the mesh comes first.
    #[test]
    fn a_scene_comes_before_its_meshes() {
        let xml = b"<scene version='3.0.0'><shape type='obj'><string name='filename' value='a.obj'/></shape></scene>";
        let files = vec![
            ("thing/a.obj".to_string(), OBJ.to_vec()),
            ("thing/more/included.xml".to_string(), b"<scene version='3.0.0'></scene>".to_vec()),
            ("thing/scene.xml".to_string(), xml.to_vec()),
        ];
        let (name, loaded) = load_files(files).unwrap();
        assert_eq!((name.as_str(), loaded.scene.instanced_triangle_count()), ("thing/scene.xml", 1));
    }

    #[test]
    fn no_file_of_the_host_is_read() {
        let obj =
            format!("mtllib {}/Cargo.toml\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", env!("CARGO_MANIFEST_DIR"));
        let scene = ViewerScene::from_files(vec![("a.obj".to_string(), obj.into_bytes())]).unwrap();
        assert!(scene.notes.iter().any(|note| note.contains("file not found")), "{:?}", scene.notes);
    }

    #[test]
    fn errors_are_explained() {
        let error = ViewerScene::from_files(vec![("notes.txt".into(), Vec::new())]).unwrap_err();
        assert!(error.contains(".glb"), "{error}");
        let error = ViewerScene::from_files(vec![("a.obj".into(), b"v 0 0 nought\n".to_vec())]).unwrap_err();
        assert_eq!(error, "a.obj:1:7: \"nought\" is not a number");
    }
}
