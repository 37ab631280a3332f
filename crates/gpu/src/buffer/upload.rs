use wgpu::Buffer;

use crate::Gpu;

/// What is written to the GPU on the way from one world to the next, counted.
#[derive(Debug)]
pub(crate) struct Upload<'a> {
    pub(crate) gpu: &'a Gpu,
    bytes: u64,
}

impl<'a> Upload<'a> {
    pub(crate) fn new(gpu: &'a Gpu) -> Self {
        Self { gpu, bytes: 0 }
    }

    /// * `offset` — bytes, a multiple of four, as the content's are.
    pub(crate) fn write(&mut self, buffer: &Buffer, offset: u64, content: &[u8]) {
        if !content.is_empty() {
            self.gpu.queue.write_buffer(buffer, offset, content);
            self.bytes += content.len() as u64;
        }
    }

    /// Bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
