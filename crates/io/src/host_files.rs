//! Files of the local file system, confined to the folder of the scene.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::files::read_regular_file;
use crate::{FileReference, Resolver};

/// Number of folders that a reference may climb above that of the scene file: `../../textures/wall.png` climbs two.
const MAX_CLIMB: usize = 3;

/// Files on the local file system, relative to the folder of the scene file.
///
/// If no file has the exact name, one that differs in ASCII case only is taken, since many scenes were made on file
/// systems that ignore case.
///
/// Scene files come from anywhere, and a picture of a scene that is sent back would show the files that it refers to.
/// So references are confined: relative paths may climb at most three folders above that of the scene file, and only to
/// a file with an extension that the reference expects; links must not lead further out than the path itself. All else
/// is [`OutsideFolder`], unless it is [allowed](Self::allowing_outside).
#[derive(Clone, Debug)]
pub struct HostFiles {
    folder: PathBuf,
    allow_outside: bool,
}

/// Error of a file that [`HostFiles`] does not read because of its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is outside of the folder of the scene, and outside files are not allowed")]
pub struct OutsideFolder;

impl HostFiles {
    /// Creates a resolver of names relative to `folder`.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), allow_outside: false }
    }

    /// Creates a resolver of names relative to the folder of the scene file `file`.
    pub fn beside(file: &Path) -> Self {
        Self::in_folder(file.parent().unwrap_or(Path::new("")))
    }

    /// Reads files anywhere, if `allow` is true: through absolute paths, any number of `..` and all links.
    #[must_use]
    pub fn allowing_outside(self, allow: bool) -> Self {
        Self { allow_outside: allow, ..self }
    }

    /// Reads a file that is not further out than `climb` folders above that of the scene.
    fn read_confined(&self, path: &Path, climb: usize) -> io::Result<Vec<u8>> {
        if self.allow_outside {
            return read_regular_file(path);
        }
        let folder = self.folder.join(".").canonicalize()?;
        let root = folder.ancestors().nth(climb).unwrap_or(Path::new("/"));
        // The path that is checked is the one that is read: links of the other may change in between
        let path = path.canonicalize()?;
        if path.starts_with(root) { read_regular_file(&path) } else { Err(outside()) }
    }

    /// Returns the number of folders that a reference climbs above that of the scene. Errors: [`OutsideFolder`].
    fn climb(&self, file: FileReference<'_>) -> io::Result<usize> {
        if self.allow_outside {
            return Ok(0);
        }
        let (mut depth, mut climb) = (0_usize, 0);
        for component in Path::new(file.name).components() {
            match component {
                Component::Normal(_) => depth += 1,
                Component::ParentDir if depth > 0 => depth -= 1,
                Component::ParentDir => climb += 1,
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        let allowed = climb == 0 || climb <= MAX_CLIMB && file.kind.has_extension_of(file.name);
        if allowed && !file.escaped_dots { Ok(climb) } else { Err(outside()) }
    }
}

fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, OutsideFolder)
}

impl Resolver for HostFiles {
    fn read(&self, file: FileReference<'_>) -> io::Result<Vec<u8>> {
        let climb = self.climb(file)?;
        let path = self.folder.join(file.name);
        match self.read_confined(&path, climb) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.read_confined(&ignoring_case(&path).ok_or(error)?, climb)
            }
            result => result,
        }
    }
}

/// Returns the first existing path, in byte order of its names, that differs from `path` in ASCII case only.
fn ignoring_case(path: &Path) -> Option<PathBuf> {
    path.components().try_fold(PathBuf::new(), |folder, component| {
        let exact = folder.join(component);
        let Component::Normal(name) = component else { return Some(exact) };
        if exact.exists() {
            return Some(exact);
        }
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let names = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.file_name()));
        names.filter(|other| other.eq_ignore_ascii_case(name)).min().map(|name| folder.join(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileKind;

    /// Returns the reason why a file is not read, or `None`.
    fn refusal(files: &HostFiles, name: &str) -> Option<String> {
        files.read(FileReference::new(name, FileKind::Image)).err().map(|error| error.to_string())
    }

    /// A scene's folder `a/b/c/d/e` with textures within it and above.
    fn tree() -> (tempfile::TempDir, HostFiles) {
        let temporary = tempfile::tempdir().unwrap();
        let scene = temporary.path().join("a/b/c/d/e");
        std::fs::create_dir_all(scene.join("Textures")).unwrap();
        std::fs::write(scene.join("Textures/Wall.JPG"), b"wall").unwrap();
        std::fs::write(temporary.path().join("a/b/three.png"), b"three").unwrap();
        std::fs::write(temporary.path().join("a/b/passwd"), b"secret").unwrap();
        std::fs::write(temporary.path().join("a/four.png"), b"four").unwrap();
        let files = HostFiles::beside(&scene.join("scene.obj"));
        (temporary, files)
    }

    #[test]
    fn case_is_ignored() {
        let (_tree, files) = tree();
        for name in ["Textures/Wall.JPG", "textures/wall.jpg", "./textures/../TEXTURES/wall.jpg"] {
            assert_eq!(refusal(&files, name), None, "{name}");
        }
        let error = files.read(FileReference::new("textures/floor.jpg", FileKind::Image)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!(refusal(&files, "textures").unwrap(), "it is a folder");
    }

    #[test]
    fn three_folders_up_there_are_textures_but_nothing_else() {
        let (tree, files) = tree();
        let outside = Some(OutsideFolder.to_string());
        assert_eq!(refusal(&files, "../../../three.png"), None);
        assert_eq!(refusal(&files, "Textures/../../../../three.png"), None);
        let absolute = tree.path().join("a/b/three.png");
        let absolute = absolute.to_str().unwrap();
        for name in ["../../../../four.png", "../../../passwd", "/etc/hostname", absolute] {
            assert_eq!(refusal(&files, name), outside, "{name}");
        }
        let escaped = FileReference { escaped_dots: true, ..FileReference::new("../x.png", FileKind::Image) };
        assert_eq!(files.read(escaped).unwrap_err().to_string(), OutsideFolder.to_string());
        let files = files.allowing_outside(true);
        for name in ["../../../../four.png", "../../../passwd", absolute] {
            assert_eq!(refusal(&files, name), None, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let (tree, files) = tree();
        let scene = tree.path().join("a/b/c/d/e");
        std::os::unix::fs::symlink("../../../passwd", scene.join("link.png")).unwrap();
        std::os::unix::fs::symlink("../../..", scene.join("up")).unwrap();
        std::os::unix::fs::symlink("Textures/Wall.JPG", scene.join("inner.png")).unwrap();
        assert_eq!(refusal(&files, "inner.png"), None, "links within the folder are harmless");
        for name in ["link.png", "up/three.png", "LINK.png"] {
            assert_eq!(refusal(&files, name), Some(OutsideFolder.to_string()), "{name}");
            assert_eq!(refusal(&files.clone().allowing_outside(true), name), None, "{name}");
        }
    }
}
