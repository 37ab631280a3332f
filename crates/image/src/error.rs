use std::io;
use std::path::PathBuf;

/// Reason why an image could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// A file could not be read.
    #[error("{}: cannot read the file: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file could not be written; what was there before still is.
    #[error("{}: cannot write the file: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file extension names no writable format.
    #[error("{}: the file name must end in {} to say in which format to write", path.display(), supported)]
    UnknownExtension {
        /// The file.
        path: PathBuf,
        /// Writable extensions, as a readable list.
        supported: &'static str,
    },
    /// Neither the first bytes nor the hint identify a known format.
    #[error("not a picture in a known format (PNG, JPEG, GIF, BMP, TGA, WebP, PNM, HDR, EXR)")]
    UnknownFormat,
    /// The bytes are malformed, or use an unsupported feature of their format.
    #[error("not a readable {format} file: {reason}")]
    Malformed {
        /// Name of the format.
        format: &'static str,
        /// Message of the decoder.
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
    /// Another of these errors occurred while a file was decoded.
    #[error("{}: {source}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// The error.
        source: Box<ImageError>,
    },
    /// An encoder refused its input.
    #[error("cannot encode {format}: {reason}")]
    Encode {
        /// Name of the format.
        format: &'static str,
        /// Message of the encoder.
        reason: String,
    },
}
