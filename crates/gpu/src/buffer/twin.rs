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
        self.update_after(upload, 0, content)
    }

    /// As [`update`](Self::update), but for some elements at the beginning, which stay.
    pub(crate) fn update_after(
        &mut self,
        upload: &mut Upload<'_>,
        kept: usize,
        content: Vec<T>,
    ) -> Result<(), GpuError> {
        let len = kept + content.len();
        let mut same = self.held.split_off(kept.min(self.held.len()));
        if len > self.array.len() {
            // With room to grow, but for the first content, which may be the last
            let first = self.held.is_empty() && same.is_empty();
            self.array = Array::vacant(upload.gpu, self.what, if first { len } else { len + len / 2 })?;
            upload.write(&self.array.buffer, 0, bytemuck::cast_slice(&self.held));
            same.clear();
        }
        let gap = GAP.div_ceil(size_of::<T>());
        let mut at = 0;
        while let Some(first) = (at..content.len()).find(|&i| differs(&same, &content, i)) {
            let mut end = first + 1;
            while let Some(next) = (end..content.len().min(end + gap)).find(|&i| differs(&same, &content, i))
            {
                end = next + 1;
            }
            let offset = ((kept + first) * size_of::<T>()) as u64;
            upload.write(&self.array.buffer, offset, bytemuck::cast_slice(&content[first..end]));
            at = end;
        }
        if kept == 0 {
            self.held = content;
        } else {
            self.held.extend_from_slice(&content);
        }
        Ok(())
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.array.buffer
    }

    pub(crate) fn held(&self) -> &[T] {
        &self.held
    }
}

/// By its bits, since a number that is none is not equal to itself.
fn differs<T: Pod>(held: &[T], content: &[T], i: usize) -> bool {
    held.get(i).is_none_or(|held| bytemuck::bytes_of(held) != bytemuck::bytes_of(&content[i]))
}
