use std::sync::OnceLock;

use crate::GpuError;

/// Returns the value of `cell`, which is computed by `make` if there is none. If several threads compute it at once,
/// the first result is kept; all of them are equal.
pub(crate) fn get_or_try_init<T>(
    cell: &OnceLock<T>,
    make: impl FnOnce() -> Result<T, GpuError>,
) -> Result<&T, GpuError> {
    if let Some(there) = cell.get() {
        return Ok(there);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}
