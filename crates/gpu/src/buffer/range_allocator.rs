use std::collections::BTreeMap;
use std::ops::Range;

/// First-fit allocator of ranges of an array.
#[derive(Debug, Default)]
pub(crate) struct RangeAllocator {
    /// Index of the first element and length of the free ranges, no two of which are adjacent.
    free_ranges: BTreeMap<u32, u32>,
    end: u32,
}

impl RangeAllocator {
    /// Length of the array, free ranges included.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// Number of elements in use.
    pub(crate) fn used(&self) -> u32 {
        self.end - self.free_ranges.values().sum::<u32>()
    }

    /// Allocates `len` consecutive elements; `None` if no free range is long enough.
    pub(crate) fn allocate(&mut self, len: u32) -> Option<Range<u32>> {
        if len == 0 {
            return Some(0..0);
        }
        let (&first, &room) = self.free_ranges.iter().find(|&(_, &room)| room >= len)?;
        self.free_ranges.remove(&first);
        if room > len {
            self.free_ranges.insert(first + len, room - len);
        }
        Some(first..first + len)
    }

    /// Frees a range that was allocated.
    pub(crate) fn free(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        let (mut first, mut end) = (range.start, range.end);
        if let Some((&before, &len)) =
            self.free_ranges.range(..first).next_back().filter(|&(b, l)| b + l == first)
        {
            self.free_ranges.remove(&before);
            (first, end) = (before, end.max(before + len));
        }
        if let Some(len) = self.free_ranges.remove(&end) {
            end += len;
        }
        self.free_ranges.insert(first, end - first);
    }

    /// Extends the array.
    pub(crate) fn grow(&mut self, end: u32) {
        let before = self.end;
        self.end = end.max(before);
        self.free(before..self.end);
    }

    /// Length that the array needs to hold `len` more consecutive elements; `None` if it exceeds 32 bits.
    pub(crate) fn end_after(&self, len: u32) -> Option<u32> {
        let last = self.free_ranges.last_key_value().filter(|&(first, room)| first + room == self.end);
        last.map_or(self.end, |(&first, _)| first).checked_add(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_free_ranges_are_merged() {
        let mut allocator = RangeAllocator::default();
        allocator.grow(100);
        let taken: Vec<_> = (1..=4).map(|i| allocator.allocate(10 * i).unwrap()).collect();
        assert_eq!((allocator.used(), allocator.allocate(1)), (100, None));
        for i in [2, 0, 3, 1] {
            allocator.free(taken[i].clone());
        }
        assert_eq!((allocator.used(), allocator.allocate(100)), (0, Some(0..100)));
    }

    #[test]
    fn allocation_is_first_fit() {
        let mut allocator = RangeAllocator::default();
        allocator.grow(30);
        let taken: Vec<_> = [5, 5, 10, 10].map(|len| allocator.allocate(len).unwrap()).into();
        allocator.free(taken[0].clone());
        allocator.free(taken[2].clone());
        assert_eq!(
            [allocator.allocate(7), allocator.allocate(3), allocator.allocate(3)],
            [Some(10..17), Some(0..3), Some(17..20)]
        );
    }

    #[test]
    fn growing_reuses_the_free_range_at_the_end() {
        let mut allocator = RangeAllocator::default();
        allocator.grow(10);
        assert_eq!((allocator.allocate(7), allocator.end_after(5)), (Some(0..7), Some(12)));
        allocator.grow(12);
        assert_eq!((allocator.allocate(5), allocator.end_after(u32::MAX)), (Some(7..12), None));
    }
}
