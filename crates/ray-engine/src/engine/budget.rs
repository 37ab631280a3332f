use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Memory budget of batches in flight: the limit, and what is reserved.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    used: Mutex<Used>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Used {
    now: u64,
    most: u64,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit, used: Mutex::default(), freed: Condvar::new() })
    }

    /// Reserves bytes; `None` if fewer are free.
    pub(crate) fn reserve(self: &Arc<Self>, bytes: u64) -> Option<Reservation> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.now + bytes > self.limit {
            return None;
        }
        used.now += bytes;
        used.most = used.most.max(used.now);
        Some(Reservation { budget: self.clone(), bytes })
    }

    /// Waits until memory is released, up to a timeout.
    pub(crate) fn wait(&self, patience: Duration) {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.freed.wait_timeout(used, patience));
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the bytes in use: now, and the maximum so far.
    pub(crate) fn used(&self) -> (u64, u64) {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        (used.now, used.most)
    }
}

/// Reserved bytes of a [`Budget`], released on drop.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut used = self.budget.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.now -= self.bytes;
        self.budget.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_never_exceed_the_limit() {
        let budget = Budget::new(100);
        let first = budget.reserve(60).unwrap();
        assert!(budget.reserve(41).is_none(), "60 bytes are in use");
        let second = budget.reserve(40).unwrap();
        drop(first);
        assert_eq!(budget.used(), (40, 100));
        assert!(budget.reserve(60).is_some(), "60 bytes were released");
        drop(second);
        assert_eq!(budget.used(), (0, 100));
    }
}
