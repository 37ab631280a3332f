use crate::layout::ChildRef;

/// Entries that live in the fixed part: enough for any tree of ordinary depth.
const FIXED: usize = 64;

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
