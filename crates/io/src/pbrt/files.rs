//! Files that a scene refers to, also those that are compressed.

use std::io::Read;

use flate2::read::GzDecoder;
use sunfleck_image::io_reason;

use crate::{FileKind, FileReference, Resolver};

/// Decompressed files that are larger than this are refused.
const MAX_DECOMPRESSED: u64 = 4 << 30;

/// Files that become more than this many times as large are refused: text becomes about five times as large.
const MAX_RATIO: u64 = 100;

/// Files beside the scene.
#[derive(Debug)]
pub(super) struct SceneFiles<'a>(pub(super) &'a dyn Resolver);

impl SceneFiles<'_> {
    /// Reads a file. One that is compressed by gzip is decompressed.
    ///
    /// Errors: one sentence.
    pub(super) fn read(&self, name: &str, kind: FileKind) -> Result<Vec<u8>, String> {
        let name = name.replace('\\', "/");
        let read = self.0.read(FileReference::new(&name, kind));
        let bytes = read.map_err(|error| format!("cannot read {name}: {}", io_reason(&error)))?;
        decompressed(bytes).map_err(|reason| format!("cannot read {name}: {reason}"))
    }
}

/// Returns the content of a file. Errors: why it cannot be decompressed.
pub(super) fn decompressed(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return Ok(bytes);
    }
    let limit = MAX_DECOMPRESSED.min(MAX_RATIO * bytes.len() as u64);
    let mut content = Vec::new();
    let read = GzDecoder::new(&bytes[..]).take(limit + 1).read_to_end(&mut content);
    read.map_err(|error| io_reason(&error))?;
    if content.len() as u64 > limit {
        return Err(format!("it is larger than {limit} bytes when it is decompressed"));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn compressed_files_are_bounded() {
        assert_eq!(decompressed(b"plain".to_vec()).unwrap(), b"plain");
        assert_eq!(decompressed(compressed(b"Shape \"sphere\"")).unwrap(), b"Shape \"sphere\"");
        assert!(decompressed(compressed(&vec![0; 1 << 20])).unwrap_err().contains("larger than"));
        assert!(decompressed(vec![0x1F, 0x8B, 1]).is_err());
    }
}
