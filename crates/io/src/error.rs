//! Errors of imports, with the file, the location in it and the cause.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use sunfleck_image::{ImageError, io_reason};
use sunfleck_scene::{EditError, MeshError, TextureError};

/// Location within a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FileLocation {
    /// The file as a whole.
    #[default]
    File,
    /// Position in a text file.
    Text {
        /// Line, from 1.
        line: u64,
        /// Column in bytes, from 1.
        column: u64,
        /// Offset in bytes from the beginning of the file.
        offset: u64,
    },
    /// Position in a binary file: offset in bytes from the beginning.
    Byte(u64),
    /// Path of a value in a JSON document, such as `accessors[3].bufferView`.
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

/// Cause of an [`ImportError`], without its location.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportProblem {
    /// The file, or one that it refers to, cannot be read.
    #[error("cannot read {what}: {}", read_reason(what, source))]
    Read {
        /// Name of the file, or "the file" for the scene file itself.
        what: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Neither the name nor the content identifies a supported format.
    #[error("unknown file format; supported are {supported}")]
    UnknownFormat {
        /// Supported extensions, separated by commas.
        supported: String,
    },
    /// The content violates the specification of the format.
    #[error("{0}")]
    Malformed(String),
    /// The content is valid, but uses a feature that is not supported.
    #[error("{0}")]
    Unsupported(String),
    /// The arrays of a mesh are inconsistent.
    #[error("{0}")]
    Mesh(#[from] MeshError),
    /// The scene refuses an object of the file.
    #[error("{0}")]
    Scene(#[from] EditError),
    /// An image cannot be decoded.
    #[error("{0}")]
    Image(#[from] ImageError),
    /// The texels of an image do not form a valid texture.
    #[error("{0}")]
    Texture(#[from] TextureError),
}

/// Name of the scene file itself in [`ImportProblem::Read`].
pub(crate) const THE_FILE: &str = "the file";

/// Returns why a file could not be read and, if it is one that the scene refers to, where it should be.
fn read_reason(what: &str, source: &io::Error) -> String {
    let reason = io_reason(source);
    match source.raw_os_error().is_some() && source.kind() == io::ErrorKind::NotFound && what != THE_FILE {
        true => format!("{reason}; the scene needs it, relative to the folder of the scene file"),
        false => reason,
    }
}

/// Error of an import: the file, the location in it, and one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{}{location}: {problem}", file.display())]
pub struct ImportError {
    file: PathBuf,
    location: FileLocation,
    problem: Box<ImportProblem>,
}

impl ImportError {
    /// Returns the file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the location in the file.
    pub fn location(&self) -> &FileLocation {
        &self.location
    }

    /// Returns the cause of the error.
    pub fn problem(&self) -> &ImportProblem {
        &self.problem
    }

    /// Returns the line, from 1, if the file is text.
    pub fn line(&self) -> Option<u64> {
        match self.location {
            FileLocation::Text { line, .. } => Some(line),
            _ => None,
        }
    }

    /// Returns the column in bytes, from 1, if the file is text.
    pub fn column(&self) -> Option<u64> {
        match self.location {
            FileLocation::Text { column, .. } => Some(column),
            _ => None,
        }
    }

    /// Returns the offset in bytes from the beginning of the file, if it is known.
    pub fn offset(&self) -> Option<u64> {
        match self.location {
            FileLocation::Text { offset, .. } | FileLocation::Byte(offset) => Some(offset),
            FileLocation::File | FileLocation::Json(_) => None,
        }
    }
}

/// Error of a parser: a problem and its location. Parsers do not know the name of their file, which
/// [`in_file`](Self::in_file) adds.
#[derive(Debug)]
pub(crate) struct ParseError {
    pub(crate) location: FileLocation,
    pub(crate) problem: ImportProblem,
}

impl ParseError {
    pub(crate) fn malformed(location: FileLocation, message: impl Into<String>) -> Self {
        Self { location, problem: ImportProblem::Malformed(message.into()) }
    }

    pub(crate) fn unsupported(location: FileLocation, message: impl Into<String>) -> Self {
        Self { location, problem: ImportProblem::Unsupported(message.into()) }
    }

    pub(crate) fn in_file(self, file: &Path) -> ImportError {
        ImportError { file: file.to_path_buf(), location: self.location, problem: Box::new(self.problem) }
    }
}

/// Adds a location to the error of a result.
pub(crate) trait WithLocation<T> {
    fn at(self, location: impl FnOnce() -> FileLocation) -> Result<T, ParseError>;
}

impl<T, E: Into<ImportProblem>> WithLocation<T> for Result<T, E> {
    fn at(self, location: impl FnOnce() -> FileLocation) -> Result<T, ParseError> {
        self.map_err(|problem| ParseError { location: location(), problem: problem.into() })
    }
}
