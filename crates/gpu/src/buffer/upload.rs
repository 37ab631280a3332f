use wgpu::Buffer;

use crate::Gpu;

/// Writes to the GPU during an update of a mirror, with a count of the bytes.
#[derive(Debug)]
pub(crate) struct Upload<'a> {
    pub(crate) gpu: &'a Gpu,
    bytes: u64,
}

impl<'a> Upload<'a> {
    pub(crate) fn new(gpu: &'a Gpu) -> Self {
        Self { gpu, bytes: 0 }
    }

    /// Writes `content` to a buffer.
    ///
    /// * `offset` — offset in bytes; it and the length of the content are multiples of four.
    pub(crate) fn write(&mut self, buffer: &Buffer, offset: u64, content: &[u8]) {
        if !content.is_empty() {
            self.gpu.queue.write_buffer(buffer, offset, content);
            self.bytes += content.len() as u64;
        }
    }

    /// Bytes written so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
