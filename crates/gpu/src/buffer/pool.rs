use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;
use sunfleck_shaders::Split;

use super::ranges::Ranges;
use super::{Upload, array_buffer, copy};
use crate::GpuError;

/// An array in one segment or more.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) split: Split,
    pub(crate) what: &'static str,
    /// Of all of it.
    pub(crate) bytes: u64,
    /// Of a segment.
    pub(crate) limit: u64,
}

/// An array of the GPU that many share, each with a range of its own. One that is larger than a binding may be is in several buffers.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    segments: Vec<wgpu::Buffer>,
    ranges: Ranges,
    /// Logarithm of the length of a segment.
    shift: u32,
    /// Elements that can be referred to.
    most: u32,
    what: &'static str,
    of: PhantomData<T>,
}

impl<T: Pod> Pool<T> {
    /// An empty one. A binding is never empty, so there is room for one element.
    ///
    /// * `what` — in the plural, for messages. * `most` — elements. * `binding` — bytes that a binding reaches.
    pub(crate) fn new(
        upload: &Upload<'_>,
        what: &'static str,
        most: u32,
        binding: u64,
    ) -> Result<Self, GpuError> {
        let per_binding = (binding / size_of::<T>() as u64).clamp(1, 1 << 31);
        let mut pool = Self {
            segments: Vec::new(),
            ranges: Ranges::default(),
            shift: per_binding.ilog2(),
            most,
            what,
            of: PhantomData,
        };
        pool.extend(upload, 1)?;
        Ok(pool)
    }

    /// Makes room for so many elements in all, in ranges that are taken one after the other.
    pub(crate) fn reserve(&mut self, upload: &Upload<'_>, elements: usize) -> Result<(), GpuError> {
        let free = self.ranges.end() - self.ranges.used();
        match elements > free as usize {
            true => self.extend(upload, self.end_with(elements)?),
            false => Ok(()),
        }
    }

    /// A range for so many elements. If there is none the array grows, by half at least.
    pub(crate) fn take(&mut self, upload: &Upload<'_>, elements: usize) -> Result<Range<u32>, GpuError> {
        let end = self.end_with(elements)?;
        let len = u32::try_from(elements).unwrap_or(u32::MAX);
        if let Some(range) = self.ranges.take(len) {
            return Ok(range);
        }
        let half_more = self.ranges.end().saturating_add(self.ranges.end() / 2);
        self.extend(upload, end.max(half_more).min(self.limit()))?;
        Ok(self.ranges.take(len).unwrap_or(0..0))
    }

    /// Gives back a range.
    pub(crate) fn give(&mut self, range: Range<u32>) {
        self.ranges.give(range);
    }

    /// Writes elements from `first` on.
    pub(crate) fn write(&self, upload: &mut Upload<'_>, first: u32, content: &[T]) {
        self.write_bytes(upload, first, bytemuck::cast_slice(content));
    }

    /// Writes elements from `first` on.
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

    /// The buffers of the array that shaders call `name`.
    pub(crate) fn resources(&self, name: &'static str) -> impl Iterator<Item = (String, &wgpu::Buffer)> {
        (0..).zip(&self.segments).map(move |(segment, buffer)| (Split::segment_name(name, segment), buffer))
    }

    /// What kernels have to know that read it.
    ///
    /// * `name` — as in [`resources`](Self::resources).
    pub(crate) fn parts(&self, name: &'static str) -> Parts {
        let segments = u32::try_from(self.segments.len()).unwrap_or(u32::MAX);
        Parts {
            split: Split { name, segments, shift: self.shift },
            what: self.what,
            bytes: self.bytes(),
            limit: u64::from(self.per_segment()) * size_of::<T>() as u64,
        }
    }

    /// The only buffer; `None` if there are several.
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

    /// Most elements.
    fn limit(&self) -> u32 {
        self.most.min(Split::MOST.saturating_mul(self.per_segment()))
    }

    /// How long the array has to be for so many more.
    fn end_with(&self, elements: usize) -> Result<u32, GpuError> {
        let end = u32::try_from(elements).ok().and_then(|len| self.ranges.end_with(len));
        end.filter(|&end| end <= self.limit()).ok_or_else(|| {
            let bytes = (u64::from(self.ranges.end()) + elements as u64) * size_of::<T>() as u64;
            GpuError::TooLarge {
                what: self.what,
                bytes,
                limit: u64::from(self.limit()) * size_of::<T>() as u64,
            }
        })
    }

    /// Makes the array longer. Only its last segment is copied.
    fn extend(&mut self, upload: &Upload<'_>, end: u32) -> Result<(), GpuError> {
        let mut have = self.ranges.end();
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
        self.ranges.grow(end);
        Ok(())
    }
}
