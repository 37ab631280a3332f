use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;
use sunfleck_shaders::Split;

use super::range_allocator::RangeAllocator;
use super::{Upload, array_buffer, copy};
use crate::GpuError;

/// Layout of an array that is split into one or more segments.
#[derive(Clone, Debug)]
pub(crate) struct SegmentedArray {
    pub(crate) split: Split,
    pub(crate) what: &'static str,
    /// Size of all segments.
    pub(crate) bytes: u64,
    /// Largest size of a segment.
    pub(crate) limit: u64,
}

/// A growing array on the GPU that is shared by many owners, each of which has a range. An array that exceeds the size
/// of a binding is split into segments of equal length.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    segments: Vec<wgpu::Buffer>,
    allocator: RangeAllocator,
    /// Binary logarithm of the length of a segment.
    shift: u32,
    /// Maximum number of elements that references can address.
    max_len: u32,
    what: &'static str,
    of: PhantomData<T>,
}

impl<T: Pod> Pool<T> {
    /// Creates an empty array. Since a binding is never empty, there is memory for one element.
    ///
    /// * `what` — name in messages, in the plural.
    /// * `max_len` — maximum number of elements.
    /// * `binding` — largest size of a binding, bytes.
    pub(crate) fn new(
        upload: &Upload<'_>,
        what: &'static str,
        max_len: u32,
        binding: u64,
    ) -> Result<Self, GpuError> {
        let per_binding = (binding / size_of::<T>() as u64).clamp(1, 1 << 31);
        let mut pool = Self {
            segments: Vec::new(),
            allocator: RangeAllocator::default(),
            shift: per_binding.ilog2(),
            max_len,
            what,
            of: PhantomData,
        };
        pool.extend(upload, 1)?;
        Ok(pool)
    }

    /// Makes the array long enough for ranges of `elements` elements in all, if they are allocated consecutively.
    pub(crate) fn reserve(&mut self, upload: &Upload<'_>, elements: usize) -> Result<(), GpuError> {
        let free = self.allocator.end() - self.allocator.used();
        match elements > free as usize {
            true => self.extend(upload, self.end_after(elements)?),
            false => Ok(()),
        }
    }

    /// Allocates a range. If no free range is long enough, the array grows by at least half.
    pub(crate) fn allocate(&mut self, upload: &Upload<'_>, elements: usize) -> Result<Range<u32>, GpuError> {
        let end = self.end_after(elements)?;
        let len = u32::try_from(elements).unwrap_or(u32::MAX);
        if let Some(range) = self.allocator.allocate(len) {
            return Ok(range);
        }
        let half_more = self.allocator.end().saturating_add(self.allocator.end() / 2);
        self.extend(upload, end.max(half_more).min(self.limit()))?;
        Ok(self.allocator.allocate(len).unwrap_or(0..0))
    }

    /// Frees a range.
    pub(crate) fn free(&mut self, range: Range<u32>) {
        self.allocator.free(range);
    }

    /// Writes elements, beginning at index `first`.
    pub(crate) fn write(&self, upload: &mut Upload<'_>, first: u32, content: &[T]) {
        self.write_bytes(upload, first, bytemuck::cast_slice(content));
    }

    /// As [`write`](Self::write), with elements as bytes.
    pub(crate) fn write_bytes(&self, upload: &mut Upload<'_>, first: u32, mut content: &[u8]) {
        let mut first = first;
        while !content.is_empty() {
            let (segment, at) = (first >> self.shift, first & (self.per_segment() - 1));
            let room = (self.per_segment() - at) as usize * size_of::<T>();
            let (here, rest) = content.split_at(room.min(content.len()));
            upload.write(&self.segments[segment as usize], u64::from(at) * size_of::<T>() as u64, here);
            (first, content) = (first.wrapping_add(self.per_segment() - at), rest);
        }
    }

    /// The buffers of the segments, each with its name in shaders, which is derived from the `name` of the array.
    pub(crate) fn resources(&self, name: &'static str) -> impl Iterator<Item = (String, &wgpu::Buffer)> {
        (0..).zip(&self.segments).map(move |(segment, buffer)| (Split::segment_name(name, segment), buffer))
    }

    /// How the array is split into segments. Kernels that read it are compiled for this.
    ///
    /// * `name` — as in [`resources`](Self::resources).
    pub(crate) fn segmentation(&self, name: &'static str) -> SegmentedArray {
        let segments = u32::try_from(self.segments.len()).unwrap_or(u32::MAX);
        SegmentedArray {
            split: Split { name, segments, shift: self.shift },
            what: self.what,
            bytes: self.bytes(),
            limit: u64::from(self.per_segment()) * size_of::<T>() as u64,
        }
    }

    /// The only buffer; `None` if there are several segments.
    pub(crate) fn whole(&self) -> Option<&wgpu::Buffer> {
        if let [buffer] = &*self.segments { Some(buffer) } else { None }
    }

    /// Memory on the GPU, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.segments.iter().map(wgpu::Buffer::size).sum()
    }

    fn per_segment(&self) -> u32 {
        1 << self.shift
    }

    /// Maximum number of elements that fit into all segments.
    fn limit(&self) -> u32 {
        self.max_len.min(Split::MOST.saturating_mul(self.per_segment()))
    }

    /// Length that the array needs to hold `elements` more consecutive elements.
    fn end_after(&self, elements: usize) -> Result<u32, GpuError> {
        let end = u32::try_from(elements).ok().and_then(|len| self.allocator.end_after(len));
        end.filter(|&end| end <= self.limit()).ok_or_else(|| {
            let bytes = (u64::from(self.allocator.end()) + elements as u64) * size_of::<T>() as u64;
            GpuError::TooLarge {
                what: self.what,
                bytes,
                limit: u64::from(self.limit()) * size_of::<T>() as u64,
            }
        })
    }

    /// Extends the array to the length `end`. Only its last segment is copied.
    fn extend(&mut self, upload: &Upload<'_>, end: u32) -> Result<(), GpuError> {
        let mut have = self.allocator.end();
        while have < end {
            let segment = (have >> self.shift) as usize;
            let begin = u32::try_from(segment).unwrap_or(u32::MAX) << self.shift;
            let len = (end - begin).min(self.per_segment());
            let bytes = u64::from(len) * size_of::<T>() as u64;
            let buffer = array_buffer(upload.gpu, self.what, bytes)?;
            match self.segments.get_mut(segment) {
                Some(old) => {
                    copy(upload.gpu, old, &buffer);
                    *old = buffer;
                }
                None => self.segments.push(buffer),
            }
            have = begin + len;
        }
        self.allocator.grow(end);
        Ok(())
    }
}
