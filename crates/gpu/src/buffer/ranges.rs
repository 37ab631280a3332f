use std::collections::BTreeMap;
use std::ops::Range;

/// Which parts of an array are free: the first that is large enough is taken.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    /// First element and length; no two touch.
    free: BTreeMap<u32, u32>,
    end: u32,
}

impl Ranges {
    /// Elements, free ones included.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// Elements in use.
    pub(crate) fn used(&self) -> u32 {
        self.end - self.free.values().sum::<u32>()
    }

    /// So many elements in a row; `None` if there is no such range.
    pub(crate) fn take(&mut self, len: u32) -> Option<Range<u32>> {
        if len == 0 {
            return Some(0..0);
        }
        let (&first, &room) = self.free.iter().find(|&(_, &room)| room >= len)?;
        self.free.remove(&first);
        if room > len {
            self.free.insert(first + len, room - len);
        }
        Some(first..first + len)
    }

    /// Gives a range back that was taken.
    pub(crate) fn give(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        let (mut first, mut end) = (range.start, range.end);
        if let Some((&before, &len)) = self.free.range(..first).next_back().filter(|&(b, l)| b + l == first) {
            self.free.remove(&before);
            (first, end) = (before, end.max(before + len));
        }
        if let Some(len) = self.free.remove(&end) {
            end += len;
        }
        self.free.insert(first, end - first);
    }

    /// Makes the array longer.
    pub(crate) fn grow(&mut self, end: u32) {
        let before = self.end;
        self.end = end.max(before);
        self.give(before..self.end);
    }

    /// How long the array has to be to hold so many elements more in a row; `None` if 32 bits cannot number them.
    pub(crate) fn end_with(&self, len: u32) -> Option<u32> {
        let last = self.free.last_key_value().filter(|&(first, room)| first + room == self.end);
        last.map_or(self.end, |(&first, _)| first).checked_add(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_one_range_again() {
        let mut ranges = Ranges::default();
        ranges.grow(100);
        let taken: Vec<_> = (1..=4).map(|i| ranges.take(10 * i).unwrap()).collect();
        assert_eq!((ranges.used(), ranges.take(1)), (100, None));
        for i in [2, 0, 3, 1] {
            ranges.give(taken[i].clone());
        }
        assert_eq!((ranges.used(), ranges.take(100)), (0, Some(0..100)));
    }

    #[test]
    fn the_first_that_is_large_enough_is_taken() {
        let mut ranges = Ranges::default();
        ranges.grow(30);
        let taken: Vec<_> = [5, 5, 10, 10].map(|len| ranges.take(len).unwrap()).into();
        ranges.give(taken[0].clone());
        ranges.give(taken[2].clone());
        assert_eq!(
            [ranges.take(7), ranges.take(3), ranges.take(3)],
            [Some(10..17), Some(0..3), Some(17..20)]
        );
    }

    #[test]
    fn growing_counts_what_is_free_at_the_end() {
        let mut ranges = Ranges::default();
        ranges.grow(10);
        assert_eq!((ranges.take(7), ranges.end_with(5)), (Some(0..7), Some(12)));
        ranges.grow(12);
        assert_eq!((ranges.take(5), ranges.end_with(u32::MAX)), (Some(7..12), None));
    }
}
