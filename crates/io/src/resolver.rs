//! Access to the files that a scene file refers to.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;

use sunfleck_image::READABLE_EXTENSIONS;

/// What a scene file refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// Binary data of a glTF file.
    Buffer,
    /// Texture or environment map.
    Image,
    /// Material library of an OBJ file.
    MaterialLibrary,
    /// Scene that another one includes.
    Scene,
    /// Mesh of a shape.
    Mesh,
    /// Spectrum: wavelengths and values.
    Spectrum,
}

impl FileKind {
    /// Returns whether files of this kind have the extension of `name`, in upper or lower case.
    pub fn has_extension_of(self, name: &str) -> bool {
        let expected: &[&str] = match self {
            Self::Buffer => &["bin", "glbin", "buf"],
            Self::Image => READABLE_EXTENSIONS,
            Self::MaterialLibrary => &["mtl"],
            Self::Scene => &["aff", "xml", "pbrt"],
            Self::Mesh => &["obj", "ply", "serialized"],
            Self::Spectrum => &["spd"],
        };
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        expected.iter().any(|expected| expected.eq_ignore_ascii_case(extension))
    }
}

/// Reference of a scene file to another file.
#[derive(Clone, Copy, Debug)]
pub struct FileReference<'a> {
    /// Path relative to the scene file, with `/` between folders.
    pub name: &'a str,
    /// What the file should be.
    pub kind: FileKind,
    /// Whether the scene file writes a `.` or `..` of the path in an escaped form, as only attacks do.
    pub escaped_dots: bool,
}

impl<'a> FileReference<'a> {
    /// Creates a reference without escaped dots.
    pub fn new(name: &'a str, kind: FileKind) -> Self {
        Self { name, kind, escaped_dots: false }
    }
}

/// Source of the files that a scene file refers to: textures, buffers, material libraries, meshes.
pub trait Resolver: Debug {
    /// Reads a file. Errors: it does not exist, cannot be read, or must not be read.
    fn read(&self, file: FileReference<'_>) -> io::Result<Vec<u8>>;
}

/// Resolver without any files, for scene files from an untrusted source.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Resolver for NoFiles {
    fn read(&self, _file: FileReference<'_>) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::NotFound, "other files cannot be read in this context"))
    }
}

/// Files in memory by name, such as the upload of a browser.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(pub BTreeMap<String, Vec<u8>>);

impl Resolver for MemoryFiles {
    fn read(&self, file: FileReference<'_>) -> io::Result<Vec<u8>> {
        let name = file.name.trim_start_matches("./");
        let exact = self.0.get(name);
        let found = exact
            .or_else(|| self.0.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, b)| b));
        found.cloned().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "file not found"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_files_ignore_case() {
        let files = MemoryFiles(BTreeMap::from([("a/B.png".to_string(), vec![1, 2])]));
        let read = |name| files.read(FileReference::new(name, FileKind::Image));
        assert_eq!(read("./A/b.PNG").unwrap(), [1, 2]);
        assert!(read("b.png").is_err());
    }
}
