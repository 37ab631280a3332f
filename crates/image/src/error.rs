use std::io;
use std::path::PathBuf;

/// Why a picture could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// A file could not be read.
    #[error("{}: cannot read the file: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written; what was there before still is.
    #[error("{}: cannot write the file: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The extension of the file to write names no format.
    #[error("{}: the file name must end in {} to say in which format to write", path.display(), supported)]
    UnknownExtension {
        /// The file.
        path: PathBuf,
        /// The extensions that can be written, as a readable list.
        supported: &'static str,
    },
    /// Bytes of which neither the beginning nor the hint names a known format.
    #[error("not a picture in a known format (PNG, JPEG, GIF, BMP, TGA, WebP, PNM, HDR, EXR)")]
    UnknownFormat,
    /// Bytes that break the rules of their format, or use a part of it that is not supported.
    #[error("not a readable {format} file: {reason}")]
    Malformed {
        /// Name of the format.
        format: &'static str,
        /// What is wrong, in the words of the decoder.
        reason: String,
    },
    /// Decoding would take more memory than was allowed.
    #[error("a picture of {width}×{height} pixels takes more than the {limit} bytes allowed")]
    TooLarge {
        /// Width in pixels.
        width: u64,
        /// Height in pixels.
        height: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// Something else in this list happened while a certain file was decoded.
    #[error("{}: {source}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: Box<ImageError>,
    },
    /// An encoder refused its input.
    #[error("cannot encode {format}: {reason}")]
    Encode {
        /// Name of the format.
        format: &'static str,
        /// What is wrong, in the words of the encoder.
        reason: String,
    },
}
