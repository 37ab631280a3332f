use bytemuck::Pod;

use super::{Array, Upload};
use crate::{Gpu, GpuError};

/// An array on the GPU with a copy of its content on the CPU, so that updates write only what changes.
#[derive(Debug)]
pub(crate) struct MirroredBuffer<T> {
    array: Array<T>,
    contents: Vec<T>,
    what: &'static str,
}

/// Changed elements that are less than this number of bytes apart are written together.
const MERGE_GAP_BYTES: usize = 256;

impl<T: Pod> MirroredBuffer<T> {
    /// Creates an empty array.
    ///
    /// * `what` — name in messages, in the plural.
    pub(crate) fn new(gpu: &Gpu, what: &'static str) -> Result<Self, GpuError> {
        Ok(Self { array: Array::zeroed(gpu, what, 0)?, contents: Vec::new(), what })
    }

    /// Changes the content to `content`. If it becomes shorter, the remaining elements stay on the GPU, but nothing
    /// refers to them.
    pub(crate) fn update(&mut self, upload: &mut Upload<'_>, content: Vec<T>) -> Result<(), GpuError> {
        self.update_after(upload, 0, content)
    }

    /// As [`update`](Self::update), but keeps the first `kept` elements.
    pub(crate) fn update_after(
        &mut self,
        upload: &mut Upload<'_>,
        kept: usize,
        content: Vec<T>,
    ) -> Result<(), GpuError> {
        let len = kept + content.len();
        let mut same = self.contents.split_off(kept.min(self.contents.len()));
        if len > self.array.len() {
            // The first content may never change, so it gets no room to grow
            let first = self.contents.is_empty() && same.is_empty();
            self.array = Array::zeroed(upload.gpu, self.what, if first { len } else { len + len / 2 })?;
            upload.write(&self.array.buffer, 0, bytemuck::cast_slice(&self.contents));
            same.clear();
        }
        let gap = MERGE_GAP_BYTES.div_ceil(size_of::<T>());
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
            self.contents = content;
        } else {
            self.contents.extend_from_slice(&content);
        }
        Ok(())
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.array.buffer
    }

    pub(crate) fn contents(&self) -> &[T] {
        &self.contents
    }
}

/// Compares bits, since NaN is not equal to itself.
fn differs<T: Pod>(contents: &[T], content: &[T], i: usize) -> bool {
    contents.get(i).is_none_or(|contents| bytemuck::bytes_of(contents) != bytemuck::bytes_of(&content[i]))
}
