use bytemuck::Pod;

use super::{Array, Upload};
use crate::{Gpu, GpuError};

/// An array of the GPU and what it holds, so that only what changes is written.
#[derive(Debug)]
pub(crate) struct Twin<T> {
    array: Array<T>,
    held: Vec<T>,
    what: &'static str,
}

/// Elements that are equal for less than so many bytes are written with their neighbours.
const GAP: usize = 256;

impl<T: Pod> Twin<T> {
    /// One without content.
    ///
    /// * `what` — in the plural, for messages.
    pub(crate) fn new(gpu: &Gpu, what: &'static str) -> Result<Self, GpuError> {
        Ok(Self { array: Array::vacant(gpu, what, 0)?, held: Vec::new(), what })
    }

    /// Makes the content equal to `content`. What a shorter one leaves behind it stays, and nothing refers to it.
    pub(crate) fn update(&mut self, upload: &mut Upload<'_>, content: Vec<T>) -> Result<(), GpuError> {
        if content.len() > self.array.len() {
            // With room to grow, but for the first content, which may be the last
            let len = if self.held.is_empty() { content.len() } else { content.len() + content.len() / 2 };
            self.array = Array::vacant(upload.gpu, self.what, len)?;
            self.held.clear();
        }
        let gap = GAP.div_ceil(size_of::<T>());
        let mut at = 0;
        while let Some(first) = (at..content.len()).find(|&i| self.differs(&content, i)) {
            let mut end = first + 1;
            while let Some(next) = (end..content.len().min(end + gap)).find(|&i| self.differs(&content, i)) {
                end = next + 1;
            }
            let offset = (first * size_of::<T>()) as u64;
            upload.write(&self.array.buffer, offset, bytemuck::cast_slice(&content[first..end]));
            at = end;
        }
        self.held = content;
        Ok(())
    }

    /// By its bits, since a number that is none is not equal to itself.
    fn differs(&self, content: &[T], i: usize) -> bool {
        self.held.get(i).is_none_or(|held| bytemuck::bytes_of(held) != bytemuck::bytes_of(&content[i]))
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.array.buffer
    }

    pub(crate) fn held(&self) -> &[T] {
        &self.held
    }
}
