use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sunfleck_gpu::{Gpu, GpuError, Which, is_there};

/// Who is to render.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The processor: every frame is a function of world and frame, bit for bit.
    #[default]
    Processor,
    /// The best GPU if there is one that is no program on the processor.
    Auto,
    /// A GPU, software included.
    Gpu(Which),
}

/// Who has rendered a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The processor.
    Processor,
    /// The GPU of the engine.
    Gpu,
}

impl Device {
    /// Opens the GPU; `None`: the processor renders. Errors: it cannot be used.
    pub(crate) fn open(self) -> Result<Option<Arc<Gpu>>, GpuError> {
        match self {
            Self::Processor => Ok(None),
            Self::Auto => is_there().then(|| Gpu::open(Which::Best).map(Arc::new)).transpose(),
            Self::Gpu(which) => Gpu::open(which).map(|gpu| Some(Arc::new(gpu))),
        }
    }
}

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
    /// * `trouble` — why there is no GPU, if there should be one.
    pub(crate) fn new(gpu: Option<&Gpu>, trouble: Option<GpuError>) -> Self {
        let name = gpu.map(|gpu| gpu.adapter().name.as_str().into());
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
