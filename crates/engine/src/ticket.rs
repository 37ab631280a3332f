use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sunfleck_integrators::{RayCount, RenderProgress, RenderState, StageTimes, StopReason};

/// Handle of a frame that is being rendered. Dropping it does not stop the frame.
#[derive(Debug)]
pub struct Ticket {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) cancel: AtomicBool,
    /// Whether the holder of the ticket waits for a state to continue from.
    wants_state: AtomicBool,
    /// Whether the holder of the ticket wants the state at the end.
    wants_last_state: AtomicBool,
    /// State that the holder has not taken yet.
    render_state: Mutex<Option<RenderState>>,
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Debug, Default)]
struct State {
    progress: Progress,
    result: Option<FrameResult>,
}

/// Progress of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Estimated fraction of the work done, 0 … 1.
    pub done: f32,
    /// Samples per pixel on the canvas.
    pub samples: u32,
    /// Rays traced for this frame.
    pub rays: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Mean relative standard error of the pixels, once it can be estimated.
    pub noise: Option<f32>,
}

/// Device that rendered a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderedBy {
    /// Name for display, such as `CPU` or `GPU and CPU`.
    pub name: &'static str,
    /// Samples per pixel of this frame that a GPU rendered.
    pub gpu_samples: u32,
}

impl RenderedBy {
    /// The CPU alone.
    pub const PROCESSOR: Self = Self { name: "CPU", gpu_samples: 0 };
}

/// Result of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameResult {
    /// Reason why the frame ended.
    pub ended: StopReason,
    /// Samples per pixel on the canvas, those of earlier frames of the same view included.
    pub samples: u32,
    /// Rays traced for this frame.
    pub rays: RayCount,
    /// Rendering time, without the time in the queue and the time to compile kernels.
    pub elapsed: Duration,
    /// Time of each stage.
    pub stages: StageTimes,
    /// Number of virtual point lights; 0 if the algorithm uses none.
    pub vpls: usize,
    /// Device that rendered the frame.
    pub by: RenderedBy,
}

impl Ticket {
    pub(crate) fn new() -> (Self, Arc<Shared>) {
        let shared = Arc::new(Shared::default());
        (Self { shared: shared.clone() }, shared)
    }

    /// Returns the result; `None` while the frame is queued or rendered.
    pub fn poll(&self) -> Option<FrameResult> {
        self.shared.state().result
    }

    /// Waits for the frame to end. This always happens: with [`StopReason::Failed`] if no backend can render the frame,
    /// or a renderer panics.
    pub fn wait(&self) -> FrameResult {
        let mut state = self.shared.state();
        loop {
            match state.result {
                Some(result) => return result,
                None => state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Waits for the frame to end, at most for `time`; `None` if it has not ended by then.
    pub fn wait_for(&self, time: Duration) -> Option<FrameResult> {
        let state = self.shared.state();
        let waited = self.shared.done.wait_timeout_while(state, time, |state| state.result.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.result
    }

    /// Cancels the frame: complete passes stay on the canvas.
    pub fn cancel(&self) {
        self.shared.cancel.store(true, Ordering::Relaxed);
    }

    /// Asks for a state from which the frame can be continued later by [`Canvas::resume`](crate::Canvas::resume). It is
    /// there for [`take_state`](Self::take_state) after the next tile. Steady frames, and frames on a GPU, have none.
    pub fn request_state(&self) {
        self.shared.wants_state.store(true, Ordering::Relaxed);
    }

    /// Asks for the state at the end of the frame, as [`request_state`](Self::request_state) does for that of now.
    pub fn request_last_state(&self) {
        self.shared.wants_last_state.store(true, Ordering::Relaxed);
    }

    /// Removes and returns the state that was [asked for](Self::request_state); `None` if there is none yet.
    pub fn take_state(&self) -> Option<RenderState> {
        self.shared.render_state().take()
    }

    /// Returns the progress of the frame.
    pub fn progress(&self) -> Progress {
        self.shared.state().progress
    }
}

impl Shared {
    pub(crate) fn report(&self, status: &RenderProgress) {
        let RenderProgress { done, samples, rays, elapsed, noise } = *status;
        self.state().progress = Progress { done, samples, rays, elapsed, noise };
    }

    pub(crate) fn wants_state(&self) -> bool {
        self.wants_state.load(Ordering::Relaxed)
    }

    pub(crate) fn wants_last_state(&self) -> bool {
        self.wants_last_state.load(Ordering::Relaxed)
    }

    pub(crate) fn put_state(&self, state: RenderState) {
        self.wants_state.store(false, Ordering::Relaxed);
        *self.render_state() = Some(state);
    }

    fn render_state(&self) -> MutexGuard<'_, Option<RenderState>> {
        self.render_state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn finish(&self, result: FrameResult) {
        let mut state = self.state();
        let FrameResult { samples, rays, elapsed, .. } = result;
        let noise = state.progress.noise;
        let progress = Progress { done: 1.0, samples, rays: rays.total(), elapsed, noise };
        *state = State { progress, result: Some(result) };
        self.done.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
