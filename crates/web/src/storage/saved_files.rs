//! Where edited scenes are saved, and which files the viewer wrote: it overwrites no others.

use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sunfleck_image::{create_file, replace_file};
use sunfleck_io::save_bytes;
use sunfleck_scene::Scene;

use crate::scene::SceneSource;

/// Number of files that are remembered.
const MAX_REMEMBERED: usize = 200;
/// Number of names that are tried.
const MAX_NAMES: u32 = 1000;
/// Length of a name without what is added to it, in bytes of UTF-8.
const MAX_STEM_BYTES: usize = 200;

/// Scene that is to be saved.
#[derive(Debug)]
pub(crate) struct SaveTarget {
    /// Name of the scene.
    pub(crate) name: String,
    pub(crate) source: SceneSource,
    pub(crate) kind: SaveKind,
    /// File to which it has been saved before.
    pub(crate) saved_to: Option<PathBuf>,
}

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SaveKind {
    /// File of the scene, which may replace the one that was opened.
    Document,
    /// File of a copied command line, which stays as it is when the scene is saved.
    Copy,
}

impl SaveKind {
    /// Returns what is added to the name of the opened file.
    fn suffix(self) -> &'static str {
        match self {
            Self::Document => "-edited",
            Self::Copy => "-command",
        }
    }

    /// Returns the kinds of opened files whose suffix is replaced by that of the new file. Others keep theirs: a scene
    /// that was opened from the file of a command line is not the scene from which that was copied.
    fn replaced(self) -> &'static [Self] {
        match self {
            Self::Document => &[Self::Document],
            Self::Copy => &[Self::Document, Self::Copy],
        }
    }
}

/// Files that the viewer wrote.
#[derive(Debug)]
pub(super) struct SavedFiles {
    /// Folder for scenes that have no file of their own.
    folder: PathBuf,
    /// File with the list, if there is one.
    list: Option<PathBuf>,
    files: Vec<SavedFile>,
    /// Files of command lines: only this start of the viewer may overwrite them.
    copies: Vec<SavedFile>,
}

/// File as it was when the viewer wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedFile {
    path: PathBuf,
    bytes: u64,
    modified_nanos: u128,
}

impl SavedFile {
    fn of(path: &Path) -> Option<Self> {
        let data = path.metadata().ok()?;
        let modified = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self { path: path.to_owned(), bytes: data.len(), modified_nanos: modified.as_nanos() })
    }
}

impl SavedFiles {
    pub(super) fn new(folder: &Path, state: Option<&Path>) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        Self {
            folder,
            list: state.map(|state| state.join("saved.json")),
            files: Vec::new(),
            copies: Vec::new(),
        }
    }

    /// Saves a scene as glTF and returns the path: the file that was opened or to which it has been saved before, if
    /// the viewer wrote it; else a new file beside the opened one, `NAME-edited.glb`, numbered if that exists.
    ///
    /// # Errors
    /// A message for the user.
    pub(super) fn save(&mut self, scene: &Scene, target: &SaveTarget) -> Result<PathBuf, String> {
        self.read_list();
        let opened = target.source.path().filter(|_| target.kind == SaveKind::Document);
        let mut known = target.saved_to.as_deref().into_iter().chain(opened);
        let own = known.find(|path| self.is_own(path, target.kind));
        let (folder, stem) = self.place(target);
        let name = format!("{stem}.glb");
        let saved = save_bytes(scene, Path::new(&name)).map_err(|error| error.to_string())?;
        let path = match own {
            Some(own) => replace_file(own, &saved.bytes).map(|()| own.to_owned()),
            None => create(&folder, &stem, &saved.bytes),
        };
        let path = path.map_err(|error| {
            let shown = own.unwrap_or(&folder).display();
            format!("the scene cannot be saved in {shown}: {}", reason(&error))
        })?;
        match target.kind {
            SaveKind::Document => self.remember(&path),
            SaveKind::Copy => {
                self.copies.retain(|file| file.path != path);
                self.copies.extend(SavedFile::of(&path));
            }
        }
        Ok(path)
    }

    /// Returns the folder and the name without extension of a new file.
    fn place(&self, target: &SaveTarget) -> (PathBuf, String) {
        let (folder, file) = match target.source.path() {
            Some(path) => (path.parent().unwrap_or(&self.folder), path),
            None => (&*self.folder, Path::new(&target.name)),
        };
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        // Parameters of built-in scenes contain characters that are not allowed in file names everywhere
        let plain = |c: char| if c.is_control() || "<>:\"/\\|?*".contains(c) { '-' } else { c };
        let mut stem: String = stem.chars().map(plain).collect();
        // Most systems allow 255 bytes
        while stem.len() > MAX_STEM_BYTES {
            stem.pop();
        }
        let stem = without_suffixes(&stem, target.kind.replaced());
        (
            folder.to_owned(),
            format!("{}{}", if stem.is_empty() { "scene" } else { stem }, target.kind.suffix()),
        )
    }

    /// Returns whether the viewer wrote a file and nobody has changed it since.
    fn is_own(&self, path: &Path, kind: SaveKind) -> bool {
        let files = match kind {
            SaveKind::Document => &self.files,
            SaveKind::Copy => &self.copies,
        };
        let is_glb = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("glb"));
        is_glb && SavedFile::of(path).is_some_and(|now| files.contains(&now))
    }

    fn remember(&mut self, path: &Path) {
        self.files.retain(|file| file.path != path);
        self.files.extend(SavedFile::of(path));
        let excess = self.files.len().saturating_sub(MAX_REMEMBERED);
        self.files.drain(..excess);
        if let Some(list) = &self.list
            && let Ok(text) = serde_json::to_vec(&self.files)
        {
            // Without the list, the next start numbers its files
            drop(list.parent().map(std::fs::create_dir_all));
            drop(replace_file(list, &text));
        }
    }

    /// Adds what other servers have written.
    fn read_list(&mut self) {
        let Some(text) = self.list.as_ref().and_then(|list| std::fs::read(list).ok()) else { return };
        let listed: Vec<SavedFile> = serde_json::from_slice(&text).unwrap_or_default();
        // Of a file that both know, the newer entry counts
        let older = |file: &SavedFile| {
            listed.iter().any(|other| other.path == file.path && other.modified_nanos >= file.modified_nanos)
        };
        self.files.retain(|file| !older(file));
        let unlisted = std::mem::take(&mut self.files);
        self.files =
            listed.into_iter().filter(|file| unlisted.iter().all(|own| own.path != file.path)).collect();
        self.files.extend(unlisted);
    }
}

/// Names the usual reasons without the details of the system.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "the folder does not exist".into(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "it is read-only".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        _ => error.to_string(),
    }
}

/// Writes the first of `STEM.glb`, `STEM-2.glb` … that does not exist.
fn create(folder: &Path, stem: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    for number in 1..=MAX_NAMES {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("{stem}{number}.glb"));
        if path.symlink_metadata().is_ok() {
            continue;
        }
        match create_file(&path, bytes) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.map(|()| path),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{MAX_NAMES} files of this name exist")))
}

/// Removes the suffixes of kinds of files that the viewer saved, with their numbers.
fn without_suffixes<'a>(stem: &'a str, kinds: &[SaveKind]) -> &'a str {
    let shorter = kinds.iter().find_map(|kind| without_suffix(stem, kind.suffix()));
    shorter.map_or(stem, |shorter| without_suffixes(shorter, kinds))
}

/// Removes a suffix with its number; `None` if the name does not end so.
fn without_suffix<'a>(stem: &'a str, suffix: &str) -> Option<&'a str> {
    let (start, number) = stem.rsplit_once(suffix)?;
    let is_number =
        number.strip_prefix('-').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    (number.is_empty() || is_number).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SceneFile;

    fn target(source: SceneSource) -> SaveTarget {
        SaveTarget { name: "teapot:size=2".into(), source, kind: SaveKind::Document, saved_to: None }
    }

    fn file(path: &Path) -> SceneSource {
        SceneSource::File(SceneFile::new(path))
    }

    fn name(path: &Path) -> String {
        path.file_name().unwrap().to_string_lossy().into_owned()
    }

    #[test]
    fn only_own_files_are_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let scene = Scene::default();
        let opened = folder.path().join("room.obj");
        std::fs::write(&opened, "v 0 0 0").unwrap();
        let of_file = target(file(&opened));
        let mut files = SavedFiles::new(folder.path(), Some(&state));
        let first = files.save(&scene, &of_file).unwrap();
        assert_eq!(name(&first), "room-edited.glb");
        assert_eq!(name(&files.save(&scene, &of_file).unwrap()), "room-edited-2.glb", "of another session");
        let again = SaveTarget { saved_to: Some(first.clone()), ..target(file(&opened)) };
        assert_eq!(files.save(&scene, &again).unwrap(), first);

        // A later start
        let mut later = SavedFiles::new(folder.path(), Some(&state));
        assert_eq!(later.save(&scene, &target(file(&first))).unwrap(), first);
        std::fs::write(&first, "of another program").unwrap();
        let elsewhere = later.save(&scene, &target(file(&first))).unwrap();
        assert_eq!(name(&elsewhere), "room-edited-3.glb");
        assert_eq!(std::fs::read(&first).unwrap(), b"of another program");
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 5, "no temporary files are left");
    }

    #[test]
    fn files_of_command_lines_are_not_those_of_the_scene() {
        let folder = tempfile::tempdir().unwrap();
        let scene = Scene::default();
        let mut files = SavedFiles::new(folder.path(), None);
        let of = |source, kind, saved_to| SaveTarget { kind, saved_to, ..target(source) };
        let built_in = || SceneSource::BuiltIn("cornell".into());
        let copy = files.save(&scene, &of(built_in(), SaveKind::Copy, None)).unwrap();
        assert_eq!(name(&copy), "teapot-size=2-command.glb");
        let again = files.save(&scene, &of(built_in(), SaveKind::Copy, Some(copy.clone()))).unwrap();
        assert_eq!(again, copy, "another view of the same scene");
        // Saving does not replace it, even if it was opened
        let opened = || file(&copy);
        let saved = files.save(&scene, &of(opened(), SaveKind::Document, None)).unwrap();
        assert_eq!(name(&saved), "teapot-size=2-command-edited.glb");
        // Nor do command lines of it, or of what was saved then
        let second = files.save(&scene, &of(opened(), SaveKind::Copy, None)).unwrap();
        assert_eq!(name(&second), "teapot-size=2-command-2.glb");
        let third = files.save(&scene, &of(file(&saved), SaveKind::Copy, None)).unwrap();
        assert_eq!(name(&third), "teapot-size=2-command-3.glb");
    }

    #[test]
    fn scenes_without_a_file_are_saved_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = SavedFiles::new(folder.path(), None);
        let built_in = target(SceneSource::BuiltIn("teapot:size=2".into()));
        let path = files.save(&Scene::default(), &built_in).unwrap();
        assert_eq!(path, folder.path().join("teapot-size=2-edited.glb"));
        let missing = SavedFiles::new(&folder.path().join("none"), None).save(&Scene::default(), &built_in);
        let message = missing.unwrap_err();
        assert!(message.starts_with("the scene cannot be saved in "), "{message}");
        assert!(message.ends_with(": the folder does not exist"), "{message}");
    }

    #[test]
    fn numbers_are_replaced() {
        for (stem, edited, command) in [
            ("a-edited", "a", "a"),
            ("a-edited-12", "a", "a"),
            ("a-edited-x", "a-edited-x", "a-edited-x"),
            ("a", "a", "a"),
            ("-edited", "", ""),
            ("a-command", "a-command", "a"),
            ("a-command-3", "a-command-3", "a"),
            ("a-command-edited-2", "a-command", "a"),
            ("a-commands", "a-commands", "a-commands"),
        ] {
            let found =
                [SaveKind::Document, SaveKind::Copy].map(|kind| without_suffixes(stem, kind.replaced()));
            assert_eq!(found, [edited, command], "{stem}");
        }
    }
}
