//! Output of results to standard output; everything else is printed to standard error.

use std::io::Write;

use crate::Failure;

/// Writes bytes that are not text, such as an image.
///
/// # Errors
/// Writing to standard output failed, also if it is a closed pipe: the bytes are the result.
pub fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    written.map_err(|error| Failure::failed(format!("cannot write to standard output: {error}")))
}

/// Prints `text` without a line break. A closed pipe (`sunfleck scenes | head -1`) is not an error.
///
/// # Errors
/// Writing to standard output failed.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::failed(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a value as indented JSON.
///
/// # Errors
/// Writing to standard output or serialising `value` failed.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value);
    let json = json.map_err(|error| Failure::failed(format!("cannot write the report as JSON: {error}")))?;
    print(&(json + "\n"))
}
