use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use sunfleck_image::ImageError;
use sunfleck_scene::{EditError, MeshError, TextureError};

/// Where in a file something is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FileLocation {
    /// The file as a whole.
    #[default]
    File,
    /// In a text file.
    Text {
        /// Line, from 1.
        line: u64,
        /// Column in bytes, from 1.
        column: u64,
        /// Offset in bytes from the beginning of the file.
        offset: u64,
    },
    /// In a binary file: offset in bytes from the beginning.
    Byte(u64),
    /// A value in a JSON document, like `accessors[3].bufferView`.
    Json(String),
}

impl fmt::Display for FileLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Text { line, column, .. } => write!(f, ":{line}:{column}"),
            Self::Byte(offset) => write!(f, " at byte {offset}"),
            Self::Json(path) => write!(f, " at {path}"),
        }
    }
}

/// What is wrong, apart from where.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file, or one that it names, cannot be read.
    #[error("cannot read {what}: {source}")]
    Read {
        /// Which file.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// Neither the name nor the content tells a format that we know.
    #[error("the format is unknown; supported are {supported}")]
    UnknownFormat {
        /// The extensions, as a readable list.
        supported: String,
    },
    /// The content breaks the rules of the format.
    #[error("{0}")]
    Malformed(String),
    /// The content is good, but uses what we don't have.
    #[error("{0}")]
    Unsupported(String),
    /// The arrays of a mesh do not fit together.
    #[error("{0}")]
    Mesh(#[from] MeshError),
    /// The scene does not take it.
    #[error("{0}")]
    Scene(#[from] EditError),
    /// The picture cannot be decoded.
    #[error("{0}")]
    Image(#[from] ImageError),
    /// The texels do not make a texture.
    #[error("{0}")]
    Texture(#[from] TextureError),
}

/// Why a file could not be loaded: the file, the place in it, and one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{}{place}: {problem}", file.display())]
pub struct ImportError {
    file: PathBuf,
    place: FileLocation,
    problem: Box<Problem>,
}

impl ImportError {
    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Where in it.
    pub fn place(&self) -> &FileLocation {
        &self.place
    }

    /// What is wrong there.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Line, from 1, if the file is text.
    pub fn line(&self) -> Option<u64> {
        match self.place {
            FileLocation::Text { line, .. } => Some(line),
            _ => None,
        }
    }

    /// Column in bytes, from 1, if the file is text.
    pub fn column(&self) -> Option<u64> {
        match self.place {
            FileLocation::Text { column, .. } => Some(column),
            _ => None,
        }
    }

    /// Offset in bytes from the beginning of the file, if known.
    pub fn offset(&self) -> Option<u64> {
        match self.place {
            FileLocation::Text { offset, .. } | FileLocation::Byte(offset) => Some(offset),
            FileLocation::File | FileLocation::Json(_) => None,
        }
    }
}

/// A problem with its place, from a parser that need not know how its file is called.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) place: FileLocation,
    pub(crate) problem: Problem,
}

impl Fault {
    pub(crate) fn malformed(place: FileLocation, message: impl Into<String>) -> Self {
        Self { place, problem: Problem::Malformed(message.into()) }
    }

    pub(crate) fn unsupported(place: FileLocation, message: impl Into<String>) -> Self {
        Self { place, problem: Problem::Unsupported(message.into()) }
    }

    pub(crate) fn in_file(self, file: &Path) -> ImportError {
        ImportError { file: file.to_path_buf(), place: self.place, problem: Box::new(self.problem) }
    }
}

/// Gives any problem its place.
pub(crate) trait At<T> {
    fn at(self, place: impl FnOnce() -> FileLocation) -> Result<T, Fault>;
}

impl<T, E: Into<Problem>> At<T> for Result<T, E> {
    fn at(self, place: impl FnOnce() -> FileLocation) -> Result<T, Fault> {
        self.map_err(|problem| Fault { place: place(), problem: problem.into() })
    }
}
