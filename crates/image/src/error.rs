use std::io;
use std::path::PathBuf;

use crate::ImageNote;

/// Reason why an image could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// A file could not be read.
    #[error("{}: cannot read the file: {}", path.display(), io_reason(source))]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file could not be written; an existing file is unchanged.
    #[error("{}: cannot write the file: {}", path.display(), io_reason(source))]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file extension names no writable format.
    #[error("{}: the extension of the file name must be {} to select a format", path.display(), supported)]
    UnknownExtension {
        /// Path of the file.
        path: PathBuf,
        /// Writable extensions, as a readable list.
        supported: &'static str,
    },
    /// Neither the first bytes nor the hint identify a known format.
    #[error("not an image in a supported format (PNG, JPEG, GIF, BMP, TGA, WebP, PNM, TIFF, DDS, HDR, EXR)")]
    UnknownFormat,
    /// The bytes are malformed, or use an unsupported feature of their format.
    #[error("not a readable {format} file: {reason}")]
    Malformed {
        /// Name of the format.
        format: &'static str,
        /// Message of the decoder.
        reason: String,
    },
    /// Decoding would need more memory than is allowed.
    #[error("an image of {width}×{height} pixels needs more than the allowed {limit} bytes")]
    TooLarge {
        /// Width in pixels.
        width: u64,
        /// Height in pixels.
        height: u64,
        /// Allowed number of bytes.
        limit: u64,
    },
    /// The header states a size that the rest of the file cannot hold.
    #[error("a {format} file of {file_bytes} bytes cannot hold an image of {width}×{height} pixels")]
    Implausible {
        /// Name of the format.
        format: &'static str,
        /// Width in pixels.
        width: u64,
        /// Height in pixels.
        height: u64,
        /// Length of the file in bytes.
        file_bytes: u64,
    },
    /// An error occurred while a file was decoded.
    #[error("{}: {source}", path.display())]
    InFile {
        /// Path of the file.
        path: PathBuf,
        /// Reason of the failure.
        source: Box<ImageError>,
    },
    /// A part of the pixels is missing in the file.
    #[error("{}: {fault}", path.display())]
    Incomplete {
        /// Path of the file.
        path: PathBuf,
        /// What is missing.
        fault: ImageNote,
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

/// Returns the reason of an error of the operating system in words, without its number.
pub fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        _ if error.raw_os_error().is_none() => error.to_string(),
        io::ErrorKind::NotFound => "file not found".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_lowercase()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_no_error_numbers() {
        for (number, reason) in
            [(2, "file not found"), (13, "permission denied"), (28, "no space left on device")]
        {
            assert_eq!(io_reason(&io::Error::from_raw_os_error(number)), reason);
        }
        assert_eq!(io_reason(&io::Error::other("not a regular file")), "not a regular file");
    }
}
