//! Handling of Ctrl-C and SIGTERM.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sunfleck_command::{Exit, Failure};

/// Handler of Ctrl-C, and of SIGTERM, which schedulers of jobs send. Before rendering starts, it ends the process;
/// afterwards, the first signal requests an early end of the rendering and the second ends the process.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    rendering: AtomicBool,
    requested: AtomicBool,
}

impl Interrupt {
    /// Installs the handler.
    ///
    /// # Errors
    /// The system does not allow it.
    pub(crate) fn listen() -> Result<Arc<Self>, Failure> {
        let interrupt = Arc::new(Self::default());
        let handler = interrupt.clone();
        ctrlc::set_handler(move || handler.request())
            .map_err(|error| Failure::failed(format!("cannot install a handler for Ctrl-C: {error}")))?;
        #[cfg(unix)]
        interrupt.listen_to_termination()?;
        Ok(interrupt)
    }

    /// Handles SIGTERM in a thread of its own.
    #[cfg(unix)]
    fn listen_to_termination(self: &Arc<Self>) -> Result<(), Failure> {
        use signal_hook::{consts::SIGTERM, iterator::Signals};
        let failed = |error| Failure::failed(format!("cannot install a handler for SIGTERM: {error}"));
        let mut signals = Signals::new([SIGTERM]).map_err(failed)?;
        let handler = self.clone();
        let wait = move || signals.forever().for_each(|_| handler.request());
        std::thread::Builder::new().name("sunfleck-signals".into()).spawn(wait).map_err(failed)?;
        Ok(())
    }

    /// Requests an early end, or ends the process.
    fn request(&self) {
        let second = self.requested.swap(true, Ordering::Relaxed);
        let rendering = self.rendering.load(Ordering::Relaxed);
        if second || !rendering {
            if !rendering {
                eprintln!("interrupted before rendering started: no image was written");
            }
            process::exit(Exit::Interrupted as i32);
        }
    }

    /// Marks the start of rendering: from now on there is an image to save.
    pub(crate) fn start_rendering(&self) {
        self.rendering.store(true, Ordering::Relaxed);
    }

    /// Returns whether an early end is requested.
    pub(crate) fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Flag that becomes true when an early end is requested.
    pub(crate) fn requested(&self) -> &AtomicBool {
        &self.requested
    }
}
