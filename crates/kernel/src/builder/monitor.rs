//! Progress and cancellation of a build.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Progress callback of a build.
///
/// It is called with ascending fractions of the work, the last one being 1, from any thread but never from two at the
/// same time. If it returns `Break`, the build is cancelled.
pub type Progress<'a> = &'a (dyn Fn(f32) -> ControlFlow<()> + Sync);

/// Counts finished work and reports it to the progress callback.
pub(crate) struct Monitor<'a> {
    listener: Option<Progress<'a>>,
    total: usize,
    done: AtomicUsize,
    /// Fraction that was reported last.
    reported: Mutex<f32>,
    cancelled: AtomicBool,
}

impl<'a> Monitor<'a> {
    /// Creates a monitor without progress callback.
    pub(crate) fn silent() -> Self {
        Self::new(None, 0)
    }

    /// Creates a monitor; `total` is the sum of the work that is passed to [`advance`](Self::advance).
    pub(crate) fn new(listener: Option<Progress<'a>>, total: usize) -> Self {
        Self {
            listener,
            total,
            done: AtomicUsize::new(0),
            reported: Mutex::new(0.0),
            cancelled: AtomicBool::new(false),
        }
    }

    /// Returns whether there is a progress callback.
    pub(super) fn has_listener(&self) -> bool {
        self.listener.is_some()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Adds finished work, and reports it unless another thread is in the callback.
    pub(crate) fn advance(&self, work: usize) {
        if self.listener.is_none() {
            return;
        }
        let done = self.done.fetch_add(work, Ordering::Relaxed) + work;
        // Only `finish` reports 1.
        let fraction = (done as f32 / self.total.max(1) as f32).min(0.999);
        if let Ok(mut reported) = self.reported.try_lock() {
            self.report(fraction, &mut reported);
        }
    }

    /// Reports that the build is finished.
    pub(crate) fn finish(&self) {
        if let Ok(mut reported) = self.reported.lock() {
            self.report(1.0, &mut reported);
        }
    }

    fn report(&self, fraction: f32, reported: &mut f32) {
        let Some(listener) = self.listener else { return };
        if fraction > *reported && !self.is_cancelled() {
            *reported = fraction;
            if listener(fraction).is_break() {
                self.cancelled.store(true, Ordering::Relaxed);
            }
        }
    }
}
