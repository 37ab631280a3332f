use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use sunfleck_gpu::GpuError;
use wgpu::{Buffer, MapMode};

/// How far it is with mapping a buffer.
pub(super) const PENDING: u8 = 0;
pub(super) const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// Asks for a buffer and notes in `state` when it can be reached.
pub(super) fn map(buffer: &Buffer, mode: MapMode, state: &Arc<AtomicU8>) {
    state.store(PENDING, Ordering::Release);
    let state = state.clone();
    buffer.map_async(mode, .., move |mapped| {
        state.store(if mapped.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
    });
}

/// Whether it can be reached yet.
pub(super) fn mapped(state: &AtomicU8) -> Result<bool, GpuError> {
    match state.load(Ordering::Acquire) {
        PENDING => Ok(false),
        MAPPED => Ok(true),
        _ => Err(GpuError::lost("its memory can no longer be reached")),
    }
}
