use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use sunfleck_gpu::GpuError;
use wgpu::{Buffer, MapMode};

/// Mapping states of a buffer.
pub(super) const PENDING: u8 = 0;
pub(super) const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// Requests the mapping of a buffer, and sets `state` once it is mapped.
pub(super) fn map(buffer: &Buffer, mode: MapMode, state: &Arc<AtomicU8>) {
    state.store(PENDING, Ordering::Release);
    let state = state.clone();
    buffer.map_async(mode, .., move |mapped| {
        state.store(if mapped.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
    });
}

/// Returns whether the buffer is mapped.
pub(super) fn mapped(state: &AtomicU8) -> Result<bool, GpuError> {
    match state.load(Ordering::Acquire) {
        PENDING => Ok(false),
        MAPPED => Ok(true),
        _ => Err(GpuError::lost("a buffer could not be mapped")),
    }
}
