use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Holds one thing for one taker; a newer one takes its place.
#[derive(Debug)]
pub(super) struct Slot<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    thing: Option<T>,
    closed: bool,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { state: Mutex::new(State { thing: None, closed: false }), changed: Condvar::new() }
    }
}

impl<T> Slot<T> {
    pub(super) fn put(&self, thing: T) {
        self.lock().thing = Some(thing);
        self.changed.notify_one();
    }

    /// Nothing more will come.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Waits for a thing; `None` when it is closed and empty.
    pub(super) fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            match (state.thing.take(), state.closed) {
                (Some(thing), _) => return Some(thing),
                (None, true) => return None,
                (None, false) => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
