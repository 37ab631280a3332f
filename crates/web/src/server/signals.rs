//! Signals that ask the process to end.

use std::io;

/// Waits for SIGINT, which Ctrl-C sends, for SIGTERM, or for SIGHUP of a terminal that is closed; on other systems than
/// Unix for Ctrl-C.
///
/// # Errors
/// The system does not allow to handle them.
pub(super) async fn wait() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut hangup = signal(SignalKind::hangup())?;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
