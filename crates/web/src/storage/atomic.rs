//! Writing of files so that each is either complete or not there.

use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file that replaces the one that was there, if any.
///
/// # Errors
/// The file cannot be written; then the one before is unchanged.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    temporary(path, bytes)?.persist(path).map_err(|error| error.error).map(drop)
}

/// Writes a file where none is yet.
///
/// # Errors
/// The file exists ([`io::ErrorKind::AlreadyExists`]) or cannot be written.
pub(super) fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    temporary(path, bytes)?.persist_noclobber(path).map_err(|error| error.error).map(drop)
}

/// Writes a temporary file beside a path.
fn temporary(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sunfleck-").suffix(".part");
    // Temporary files are private by default; this one gets the permissions of a new file
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}
