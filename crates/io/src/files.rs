//! Reading of files, with an event for each.

use std::io;
use std::path::Path;
use std::time::Instant;

/// Reads a regular file, and emits an event with its size and the time.
///
/// Errors: those of [`read_regular_file`](sunfleck_image::read_regular_file).
pub(crate) fn read_regular_file(path: &Path) -> io::Result<Vec<u8>> {
    let begun = Instant::now();
    let bytes = sunfleck_image::read_regular_file(path)?;
    tracing::debug!(file = %path.display(), bytes = bytes.len(), elapsed = ?begun.elapsed(), "file read");
    Ok(bytes)
}
