use std::sync::OnceLock;

use crate::GpuError;

/// What is there, or else is made; who was quicker meanwhile has made the same.
pub(crate) fn made_once<T>(
    cell: &OnceLock<T>,
    make: impl FnOnce() -> Result<T, GpuError>,
) -> Result<&T, GpuError> {
    if let Some(there) = cell.get() {
        return Ok(there);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}
