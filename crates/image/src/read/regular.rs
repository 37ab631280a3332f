use std::io;
use std::path::Path;

/// Reads a regular file, or one that a link leads to. Others, such as devices and pipes, are refused, since reading
/// them may never end.
///
/// Errors: the file does not exist, cannot be read, or is not regular.
pub fn read_regular_file(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a folder"));
    }
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is a device or a pipe, not a regular file",
        ));
    }
    std::fs::read(path)
}
