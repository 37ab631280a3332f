use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Hears how far a build is, and may stop it.
///
/// Called now and then, from any thread but never from two at once, with growing fractions, the last one being 1.
/// `Break` cancels the build.
pub type Progress<'a> = &'a (dyn Fn(f32) -> ControlFlow<()> + Sync);

/// Counts finished work and passes it on.
pub(crate) struct Monitor<'a> {
    listener: Option<Progress<'a>>,
    total: usize,
    done: AtomicUsize,
    /// What was said last.
    said: Mutex<f32>,
    cancelled: AtomicBool,
}

impl<'a> Monitor<'a> {
    /// Nobody listens.
    pub(crate) fn silent() -> Self {
        Self::new(None, 0)
    }

    /// `total` is the number of calls of [`advance`](Self::advance), weighted.
    pub(crate) fn new(listener: Option<Progress<'a>>, total: usize) -> Self {
        Self {
            listener,
            total,
            done: AtomicUsize::new(0),
            said: Mutex::new(0.0),
            cancelled: AtomicBool::new(false),
        }
    }

    /// Whether somebody listens.
    pub(super) fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Some work was done. Says so unless another thread is speaking.
    pub(crate) fn advance(&self, work: usize) {
        if self.listener.is_none() {
            return;
        }
        let done = self.done.fetch_add(work, Ordering::Relaxed) + work;
        // The end is for `finish` to tell.
        let fraction = (done as f32 / self.total.max(1) as f32).min(0.999);
        if let Ok(mut said) = self.said.try_lock() {
            self.say(fraction, &mut said);
        }
    }

    /// All is done.
    pub(crate) fn finish(&self) {
        if let Ok(mut said) = self.said.lock() {
            self.say(1.0, &mut said);
        }
    }

    fn say(&self, fraction: f32, said: &mut f32) {
        let Some(listener) = self.listener else { return };
        if fraction > *said && !self.is_cancelled() {
            *said = fraction;
            if listener(fraction).is_break() {
                self.cancelled.store(true, Ordering::Relaxed);
            }
        }
    }
}
