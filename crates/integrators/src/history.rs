//! State that an algorithm keeps between frames of a temporal sequence.

use std::any::Any;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// State that an algorithm keeps between frames: see [`View::with_history`](crate::View::with_history). Frames with a
/// history depend on those before; the same frames in the same order give the same images.
///
/// The type of the content is private to the algorithm that used the history last.
#[derive(Default)]
pub struct TemporalHistory {
    state: Mutex<Option<Box<dyn Any + Send>>>,
}

impl TemporalHistory {
    /// Calls a function with the state of type `T`, which is the default if another algorithm used the history last.
    pub(crate) fn with_state<T: Default + Send + 'static, R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let mut slot = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state: Box<T> = slot.take().and_then(|state| state.downcast().ok()).unwrap_or_default();
        let result = f(&mut state);
        *slot = Some(state);
        result
    }
}

impl fmt::Debug for TemporalHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TemporalHistory").finish_non_exhaustive()
    }
}
