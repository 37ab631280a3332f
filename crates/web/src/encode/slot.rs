//! Single-element queue between the session and the encoder.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Queue of at most one item for one consumer; a newer item replaces an older one.
#[derive(Debug)]
pub(super) struct Slot<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    item: Option<T>,
    closed: bool,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { state: Mutex::new(State { item: None, closed: false }), changed: Condvar::new() }
    }
}

impl<T> Slot<T> {
    /// Puts an item into the queue, in place of an older one.
    pub(super) fn put(&self, item: T) {
        self.lock().item = Some(item);
        self.changed.notify_one();
    }

    /// Closes the queue: no more items will be put into it.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Waits for an item; `None` when the queue is closed and empty.
    pub(super) fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            match (state.item.take(), state.closed) {
                (Some(item), _) => return Some(item),
                (None, true) => return None,
                (None, false) => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
