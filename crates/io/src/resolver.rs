//! Access to the files that a scene file refers to.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Source of the files that a scene file refers to: textures, buffers, material libraries.
pub trait Resolver: Debug {
    /// Reads the file that the scene file calls `name`: a path relative to the scene file, with `/` between folders.
    /// Errors: the file does not exist or cannot be read.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;
}

/// Resolver without any files, for scene files from an untrusted source.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Resolver for NoFiles {
    fn read(&self, _name: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::NotFound, "other files cannot be read in this context"))
    }
}

/// Files in memory by name, such as the upload of a browser.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(pub BTreeMap<String, Vec<u8>>);

impl Resolver for MemoryFiles {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let name = name.trim_start_matches("./");
        let exact = self.0.get(name);
        let found = exact
            .or_else(|| self.0.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, b)| b));
        found.cloned().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "file not found"))
    }
}

/// Files on the local file system, relative to the folder of the scene file.
///
/// If no file has the exact name, one that differs in ASCII case only is taken, since many scenes were made on file
/// systems that ignore case. Names are not confined to the folder; they may contain `..` and absolute paths. Use it for
/// scene files that the local user opens, and [`MemoryFiles`] or [`NoFiles`] for those received over a network.
#[derive(Clone, Debug)]
pub struct HostFiles {
    folder: PathBuf,
}

impl HostFiles {
    /// Creates a resolver of names relative to `folder`.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Creates a resolver of names relative to the folder of the scene file `file`.
    pub fn beside(file: &Path) -> Self {
        Self::in_folder(file.parent().unwrap_or(Path::new("")))
    }
}

impl Resolver for HostFiles {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let path = self.folder.join(name);
        match read_regular(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                read_regular(&ignoring_case(&path).ok_or(error)?)
            }
            result => result,
        }
    }
}

/// Reads a regular file; other files, such as devices and pipes, are refused, since reading them may never end.
fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::read(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
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

    #[test]
    fn host_files_ignore_case() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("Textures")).unwrap();
        std::fs::write(folder.path().join("Textures/Wall.JPG"), b"wall").unwrap();
        let files = HostFiles::beside(&folder.path().join("scene.obj"));
        assert_eq!(files.read("Textures/Wall.JPG").unwrap(), b"wall");
        assert_eq!(files.read("textures/wall.jpg").unwrap(), b"wall");
        assert_eq!(files.read("./textures/../TEXTURES/wall.jpg").unwrap(), b"wall");
        assert_eq!(files.read("textures/floor.jpg").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(files.read("textures").unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn memory_files_ignore_case() {
        let files = MemoryFiles(BTreeMap::from([("a/B.png".to_string(), vec![1, 2])]));
        assert_eq!(files.read("./A/b.PNG").unwrap(), [1, 2]);
        assert!(files.read("b.png").is_err());
    }
}
