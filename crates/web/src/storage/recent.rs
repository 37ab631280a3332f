//! List of recent scenes.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sunfleck_engine::StageChoice;
use sunfleck_image::replace_file;

use super::BuiltInScenes;
use super::UploadCopies;
use crate::ViewerScene;
use crate::protocol::RecentRow;
use crate::scene::{SceneFile, SceneSource};

/// Number of scenes in the list.
const MAX_RECENT: usize = 10;

/// List of recent scenes, the newest first. Its file is shared by all servers.
#[derive(Debug)]
pub(super) struct RecentScenes {
    file: PathBuf,
    copies: UploadCopies,
}

/// Scene in the list.
#[derive(Debug, Serialize, Deserialize)]
struct RecentScene {
    /// Number by which a page opens the scene, larger than those of the scenes below it.
    number: u32,
    source: SceneSource,
}

impl RecentScenes {
    pub(super) fn new(state: &Path) -> Self {
        Self { file: state.join("recent.json"), copies: UploadCopies::new(state) }
    }

    /// Puts a scene at the front of the list.
    pub(super) fn add(&self, source: SceneSource) {
        if matches!(&source, SceneSource::Upload { copy: None, .. }) {
            return;
        }
        // Who cannot read the list must not replace it: it names the copies that are kept
        let Some(mut scenes) = self.read() else { return };
        let number = scenes.iter().map(|scene| scene.number).max().unwrap_or(0).wrapping_add(1);
        // Many uploads are called `scene.gltf`: only those with the same content are the same
        let is_same = |other: &SceneSource| match (other.copy(), source.copy()) {
            (Some(a), Some(b)) => a == b || self.copies.are_same(a, b),
            _ => match (other, &source) {
                // Read with other options, it is the same file
                (SceneSource::File(a), SceneSource::File(b)) => canonical(&a.path) == canonical(&b.path),
                _ => *other == source,
            },
        };
        scenes.retain(|scene| !is_same(&scene.source));
        scenes.insert(0, RecentScene { number, source });
        scenes.truncate(MAX_RECENT);
        // Without the list, only convenience is lost
        if let Ok(text) = serde_json::to_vec(&scenes) {
            drop(self.file.parent().map(std::fs::create_dir_all));
            drop(replace_file(&self.file, &text));
        }
        let copies = scenes.iter().filter_map(|scene| scene.source.copy());
        self.copies.prune(&copies.collect::<Vec<_>>());
    }

    /// Returns the list for pages.
    pub(super) fn rows(&self) -> Vec<RecentRow> {
        let row = |RecentScene { number, source }: RecentScene| {
            let (name, detail, exists) = match source {
                SceneSource::BuiltIn(name) => (name, "built-in scene".to_string(), true),
                SceneSource::File(SceneFile { path, .. }) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    (name, canonical(&path).display().to_string(), path.exists())
                }
                SceneSource::Upload { name, copy } => {
                    let bytes = copy.and_then(|copy| self.copies.bytes(&copy));
                    // The size tells uploads of the same name apart
                    let size = bytes.map_or(String::new(), |bytes| format!(", {}", size_text(bytes)));
                    (name, format!("uploaded{size}"), bytes.is_some())
                }
            };
            RecentRow { number, name, detail, exists }
        };
        self.read().unwrap_or_default().into_iter().map(row).collect()
    }

    /// Returns a scene of the list.
    pub(super) fn source(&self, number: u32) -> Option<SceneSource> {
        self.read()
            .unwrap_or_default()
            .into_iter()
            .find(|scene| scene.number == number)
            .map(|scene| scene.source)
    }

    pub(super) fn copies(&self) -> &UploadCopies {
        &self.copies
    }

    /// Reads the list, which is empty before the first start; `None` if it cannot be read.
    fn read(&self) -> Option<Vec<RecentScene>> {
        match std::fs::read(&self.file) {
            Ok(text) => serde_json::from_slice(&text).ok(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Vec::new()),
            Err(_) => None,
        }
    }
}

/// Returns the path without links and `..`, if the file is there.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Formats a number of bytes with three digits at most.
fn size_text(bytes: u64) -> String {
    let kilobytes = bytes.div_ceil(1000);
    match kilobytes {
        0..1000 => format!("{kilobytes} kB"),
        1000..10_000 => format!("{:.1} MB", kilobytes as f64 / 1e3),
        _ => format!("{} MB", kilobytes / 1000),
    }
}

/// Opens a scene again.
///
/// # Errors
/// A message for the user.
pub(super) fn open(
    source: SceneSource,
    copies: &UploadCopies,
    built_in: BuiltInScenes,
) -> Result<ViewerScene, String> {
    let scene = match &source {
        SceneSource::BuiltIn(spec) => open_built_in(spec, built_in)?,
        SceneSource::File(SceneFile { path, options }) => {
            if !path.exists() {
                return Err(format!("{}: file not found; it was moved or deleted", path.display()));
            }
            let loaded = options.load(path).map_err(|error| error.to_string())?;
            ViewerScene::from_loaded(&path.to_string_lossy(), loaded).map_err(|error| error.to_string())?
        }
        SceneSource::Upload { name, copy } => {
            let files = copy.as_ref().and_then(|copy| copies.read(copy).ok());
            ViewerScene::from_files(files.ok_or_else(|| {
                format!("{name}: the copy of this upload is no longer there; open the file again")
            })?)?
        }
    };
    Ok(scene.of_source(source))
}

/// Opens a built-in scene.
///
/// # Errors
/// A message for the user.
pub(super) fn open_built_in(spec: &str, built_in: BuiltInScenes) -> Result<ViewerScene, String> {
    let opened = ViewerScene::new(spec, built_in(spec)?, StageChoice::Automatic, Vec::new());
    opened.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use sunfleck_engine::VisibleContent;
    use sunfleck_io::{LoadOptions, UpAxis};

    use super::*;

    const NONE: BuiltInScenes = |name| Err(name.into());

    #[test]
    fn the_last_ten_scenes_are_listed_once() {
        let state = tempfile::tempdir().unwrap();
        let recent = RecentScenes::new(state.path());
        for i in 0..12 {
            recent.add(SceneSource::BuiltIn(format!("cornell:seed={i}")));
        }
        recent.add(SceneSource::BuiltIn("cornell:seed=5".into()));
        recent.add(SceneSource::File(SceneFile::new("/nowhere/a.glb")));
        let rows = recent.rows();
        assert_eq!(rows.len(), 10);
        assert_eq!((&*rows[0].name, &*rows[0].detail, rows[0].exists), ("a.glb", "/nowhere/a.glb", false));
        assert_eq!(rows.iter().filter(|row| row.name == "cornell:seed=5").count(), 1);
        let source = recent.source(rows[0].number).unwrap();
        let error = open(source, recent.copies(), NONE).unwrap_err();
        assert!(error.contains("/nowhere/a.glb: file not found"), "{error}");
        assert!(recent.source(99).is_none());
    }

    /// Writes a triangle that is three units high along z.
    fn write_triangle(path: &Path) {
        std::fs::write(path, "v 0 0 0\nv 1 0 0\nv 0 0 3\nf 1 2 3\n").unwrap();
    }

    #[test]
    fn files_are_opened_with_their_options() {
        let state = tempfile::tempdir().unwrap();
        let path = state.path().join("part.obj");
        write_triangle(&path);
        let recent = RecentScenes::new(state.path());
        let height = || {
            let [row] = &recent.rows()[..] else { panic!("one file, one row") };
            let source = recent.source(row.number).unwrap();
            let opened = open(source.clone(), recent.copies(), NONE).unwrap();
            assert_eq!(opened.source, source, "command lines need its options");
            VisibleContent::of(opened.world.scene()).bounds.max.y
        };
        let options = LoadOptions { up: Some(UpAxis::Z), allow_outside: true };
        recent.add(SceneSource::File(SceneFile { path: path.clone(), options: options.clone() }));
        assert_eq!(height(), 3.0, "the z axis points up");
        assert!(
            matches!(recent.source(recent.rows()[0].number), Some(SceneSource::File(file)) if file.options == options)
        );
        recent.add(SceneSource::File(SceneFile::new(&path)));
        assert_eq!(height(), 0.0, "opened the other way since");
    }

    #[test]
    fn files_of_older_lists_have_default_options() {
        let state = tempfile::tempdir().unwrap();
        let path = state.path().join("part.obj");
        write_triangle(&path);
        let recent = RecentScenes::new(state.path());
        let list = serde_json::json!([{"number": 7, "source": {"file": path}}]);
        std::fs::write(state.path().join("recent.json"), list.to_string()).unwrap();
        assert_eq!(recent.source(7), Some(SceneSource::File(SceneFile::new(&path))));
        // Older programs can read what they could write
        recent.add(SceneSource::File(SceneFile::new(&path)));
        let text = std::fs::read_to_string(state.path().join("recent.json")).unwrap();
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap()[0]["source"]["file"],
            serde_json::json!(path)
        );
    }

    #[test]
    fn copies_of_uploads_are_opened() {
        let state = tempfile::tempdir().unwrap();
        let recent = RecentScenes::new(state.path());
        let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec();
        let copy = recent.copies().add(&[("my.obj".to_string(), obj)]).unwrap();
        recent.add(SceneSource::Upload { name: "my.obj".into(), copy: Some(copy) });
        let source = recent.source(recent.rows()[0].number).unwrap();
        assert_eq!(open(source, recent.copies(), NONE).unwrap().name, "my.obj");
    }

    #[test]
    fn uploads_with_the_same_name_are_the_same_if_their_content_is() {
        let state = tempfile::tempdir().unwrap();
        let recent = RecentScenes::new(state.path());
        for bytes in [b"a", b"b", b"a"] {
            let copy = recent.copies().add(&[("scene.gltf".to_string(), bytes.to_vec())]).unwrap();
            recent.add(SceneSource::Upload { name: "scene.gltf".into(), copy: Some(copy) });
        }
        let content = |row: &RecentRow| {
            let source = recent.source(row.number).unwrap();
            recent.copies().read(source.copy().unwrap()).unwrap()[0].1.clone()
        };
        assert_eq!(recent.rows().iter().map(content).collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!((&*recent.rows()[0].detail, recent.rows()[0].exists), ("uploaded, 1 kB", true));
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(
            [1, 999_001, 9_440_000, 250_000_000].map(size_text),
            ["1 kB", "1.0 MB", "9.4 MB", "250 MB"]
        );
    }

    #[test]
    fn a_list_that_cannot_be_read_is_left_alone() {
        let state = tempfile::tempdir().unwrap();
        let recent = RecentScenes::new(state.path());
        let copy = recent.copies().add(&[("my.obj".to_string(), Vec::new())]).unwrap();
        std::fs::write(state.path().join("recent.json"), "[{\"of\": \"a later version\"}]").unwrap();
        recent.add(SceneSource::BuiltIn("cornell".into()));
        assert!(std::fs::read_to_string(state.path().join("recent.json")).unwrap().contains("later"));
        assert!(recent.copies().bytes(&copy).is_some() && recent.rows().is_empty());
    }
}
