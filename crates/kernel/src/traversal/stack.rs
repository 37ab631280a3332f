use crate::layout::ChildRef;

/// Entries that live in the fixed part: enough for any tree of ordinary depth.
const FIXED: usize = 32;

/// A child to visit later, and where its box begins.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) t: f32,
    pub(super) child: ChildRef,
}

/// A stack on the stack; what a pathologically deep tree needs beyond it goes to the heap.
pub(super) struct Stack {
    fixed: [Entry; FIXED],
    len: usize,
    spilled: Vec<Entry>,
}

impl Stack {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { fixed: [Entry { t: 0.0, child: ChildRef::EMPTY }; FIXED], len: 0, spilled: Vec::new() }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(super) fn push(&mut self, entry: Entry) {
        if let Some(place) = self.fixed.get_mut(self.len) {
            *place = entry;
            self.len += 1;
        } else {
            self.spill(entry);
        }
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<Entry> {
        if self.len == FIXED
            && let Some(entry) = self.spilled.pop()
        {
            return Some(entry);
        }
        self.len = self.len.checked_sub(1)?;
        self.fixed.get(self.len).copied()
    }

    /// Sorts the entries since `start` so that the nearest is on top. Those on the heap stay as they are: the order
    /// is for speed only.
    #[inline(always)]
    pub(super) fn sort_from(&mut self, start: usize) {
        let Some(new) = self.fixed.get_mut(start..self.len) else { return };
        for i in 1..new.len() {
            let mut k = i;
            while k > 0 && new[k - 1].t < new[k].t {
                new.swap(k - 1, k);
                k -= 1;
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self, entry: Entry) {
        self.spilled.push(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_spilled_in_order() {
        let mut stack = Stack::new();
        let entry = |i: u32| Entry { t: i as f32, child: ChildRef::node(i) };
        let count = 200u32;
        assert!(count as usize > FIXED, "some must spill");
        for round in 0..2 {
            (0..count).for_each(|i| stack.push(entry(i)));
            for i in (0..count).rev() {
                let popped = stack.pop().map(|e| e.child);
                assert_eq!(popped, Some(ChildRef::node(i)), "last in, first out, round {round}");
            }
            assert!(stack.pop().is_none(), "empty again");
        }
    }

    #[test]
    fn sorting_puts_the_nearest_on_top_and_leaves_the_rest() {
        let mut stack = Stack::new();
        for t in [9.0, 1.0, 3.0, 0.5, 7.0, 3.0] {
            stack.push(Entry { t, child: ChildRef::ROOT });
        }
        stack.sort_from(2);
        let order: Vec<f32> = std::iter::from_fn(|| stack.pop()).map(|e| e.t).collect();
        assert_eq!(order, [0.5, 3.0, 3.0, 7.0, 1.0, 9.0], "the first two stay at the bottom");
    }
}
