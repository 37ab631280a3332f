use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sunfleck_gpu::GpuError;

/// Health of the GPU. Clones share their state.
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
    /// Returns the health at the start.
    ///
    /// * `name` — name of the GPU that renders.
    /// * `trouble` — reason why the requested GPU cannot be used, if so.
    pub(crate) fn new(name: Option<Arc<str>>, trouble: Option<GpuError>) -> Self {
        Self { state: Arc::new(Mutex::new(State { name, trouble })) }
    }

    /// Returns the name of the GPU that renders, if there is one.
    pub(crate) fn name(&self) -> Option<Arc<str>> {
        self.state().name.clone()
    }

    /// Returns the reason why the last frame was not rendered by the requested GPU, if so.
    pub(crate) fn trouble(&self) -> Option<GpuError> {
        self.state().trouble.clone()
    }

    /// Records that a frame was rendered by the intended backend.
    pub(crate) fn report_success(&self) {
        self.state().trouble = None;
    }

    /// Records that the GPU could not render a frame.
    ///
    /// * `gone` — whether the GPU cannot render any further frame.
    pub(crate) fn report_failure(&self, why: GpuError, gone: bool) {
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
