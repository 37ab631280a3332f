use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sunfleck_gpu::GpuError;

/// How the GPU is; clones tell of the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Health {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    name: Option<Arc<str>>,
    trouble: Option<GpuError>,
}

impl Health {
    /// * `name` — of the GPU that renders. * `trouble` — why there is none, if there should be one.
    pub(crate) fn new(name: Option<Arc<str>>, trouble: Option<GpuError>) -> Self {
        Self { state: Arc::new(Mutex::new(State { name, trouble })) }
    }

    /// Of the GPU that renders, if one does.
    pub(crate) fn name(&self) -> Option<Arc<str>> {
        self.state().name.clone()
    }

    /// Why the processor did what the GPU should have done last.
    pub(crate) fn trouble(&self) -> Option<GpuError> {
        self.state().trouble.clone()
    }

    /// A frame was rendered as it should be.
    pub(crate) fn well(&self) {
        self.state().trouble = None;
    }

    /// The GPU cannot do a frame.
    ///
    /// * `gone` — nor any other.
    pub(crate) fn ill(&self, why: GpuError, gone: bool) {
        let mut state = self.state();
        state.trouble = Some(why);
        if gone {
            state.name = None;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
