//! Ctrl-C.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sunfleck_command::{Exit, Failure};

/// What Ctrl-C does: before the picture is begun it ends the process; afterwards the first one asks for an early end,
/// and the second ends the process.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    picture_begun: AtomicBool,
    wanted: AtomicBool,
}

impl Interrupt {
    /// Listens from now on. Errors: the system does not allow it.
    pub(crate) fn listen() -> Result<Arc<Self>, Failure> {
        let interrupt = Arc::new(Self::default());
        let listener = interrupt.clone();
        ctrlc::set_handler(move || {
            let second = listener.wanted.swap(true, Ordering::Relaxed);
            if second || !listener.picture_begun.load(Ordering::Relaxed) {
                process::exit(Exit::Interrupted as i32);
            }
        })
        .map_err(|error| Failure::failed(format!("cannot listen for Ctrl-C: {error}")))?;
        Ok(interrupt)
    }

    /// From now on there is something to save.
    pub(crate) fn begin_picture(&self) {
        self.picture_begun.store(true, Ordering::Relaxed);
    }

    /// Becomes true when an early end is asked for.
    pub(crate) fn wanted(&self) -> &AtomicBool {
        &self.wanted
    }
}
