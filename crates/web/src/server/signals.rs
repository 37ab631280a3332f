//! Signals that ask the process to end.

use std::io;

/// Waits for SIGINT, which Ctrl-C sends, or for SIGTERM; on other systems than Unix for Ctrl-C.
///
/// # Errors
/// The system does not allow to handle them.
pub(super) async fn wait() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
