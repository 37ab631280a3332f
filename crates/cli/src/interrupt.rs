//! Handling of Ctrl-C.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sunfleck_command::{Exit, Failure};

/// Handler of Ctrl-C. Before rendering starts, it ends the process; afterwards, the first Ctrl-C requests an early end
/// of the rendering and the second ends the process.
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
        ctrlc::set_handler(move || {
            let second = handler.requested.swap(true, Ordering::Relaxed);
            if second || !handler.rendering.load(Ordering::Relaxed) {
                process::exit(Exit::Interrupted as i32);
            }
        })
        .map_err(|error| Failure::failed(format!("cannot install a handler for Ctrl-C: {error}")))?;
        Ok(interrupt)
    }

    /// Marks the start of rendering: from now on there is an image to save.
    pub(crate) fn start_rendering(&self) {
        self.rendering.store(true, Ordering::Relaxed);
    }

    /// Flag that becomes true when an early end is requested.
    pub(crate) fn requested(&self) -> &AtomicBool {
        &self.requested
    }
}
