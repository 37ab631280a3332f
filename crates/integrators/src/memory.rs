use std::any::Any;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// What an algorithm remembers of the frames before, if it is to: see [`View::with_memory`](crate::View::with_memory). Frames that are given one depend on those
/// before; the same frames in the same order give the same pictures.
///
/// What is in it is the affair of the algorithm that used it last.
#[derive(Default)]
pub struct Memory {
    known: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Memory {
    /// Gives an algorithm what it remembers, nothing if another one used it last.
    pub(crate) fn recall<T: Default + Send + 'static, R>(&self, with: impl FnOnce(&mut T) -> R) -> R {
        let mut slot = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known: Box<T> = slot.take().and_then(|known| known.downcast().ok()).unwrap_or_default();
        let result = with(&mut known);
        *slot = Some(known);
        result
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}
