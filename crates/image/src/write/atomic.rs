use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::ImageError;

/// Writes a file atomically: to a temporary file in the same folder, which is flushed to the disk and then renamed.
///
/// After an error, an existing file is unchanged, and the temporary file is removed.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ImageError> {
    replace_file(path, bytes).map_err(|source| ImageError::Write { path: path.to_owned(), source })
}

/// Writes a file as [`write_atomically`] does. Errors: those of the system.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    temporary(path, bytes)?.persist(path).map_err(|error| error.error).map(drop)
}

/// Writes a file as [`replace_file`] does where none is yet. Errors: the file exists
/// ([`io::ErrorKind::AlreadyExists`]), and those of the system.
pub fn create_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    temporary(path, bytes)?.persist_noclobber(path).map_err(|error| error.error).map(drop)
}

/// Writes a temporary file beside a path.
fn temporary(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    // `parent` of a bare file name is empty, which means the current folder
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
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
