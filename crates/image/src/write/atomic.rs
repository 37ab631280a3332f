use std::io::{self, Write};
use std::path::Path;

use crate::ImageError;

/// Writes a file atomically: to a temporary file in the same folder, which is flushed to the disk and then renamed.
///
/// After an error, an existing file is unchanged, and the temporary file is removed.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ImageError> {
    replace(path, bytes).map_err(|source| ImageError::Write { path: path.to_owned(), source })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // `parent` of a bare file name is empty, which means the current folder
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sunfleck-").suffix(".part");
    // Temporary files are private by default; the image gets the permissions of a new file
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}
