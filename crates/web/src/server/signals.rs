//! Signals that ask the process to end.

use std::io;

/// Waits for SIGINT, which Ctrl-C sends, for SIGTERM, or for SIGHUP of a terminal that is closed, unless the process was
/// started to ignore that (`nohup`); on other systems than Unix for Ctrl-C.
///
/// # Errors
/// The system does not allow to handle them.
pub(super) async fn wait() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut hangup = if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) };
        let hung_up = async {
            match &mut hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hung_up => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

/// Returns whether SIGHUP is ignored, as far as the system tells: a handler would replace that.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignored(&status) & 1 == 1)
}

/// Returns the bit mask of ignored signals of a status file of Linux; bit 0 is SIGHUP.
#[cfg(unix)]
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::ignored;

    #[test]
    fn ignored_signals_are_read() {
        assert_eq!(ignored("Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\t0\n") & 1, 1);
        assert_eq!(ignored("SigIgn:\t0000000000001000\n") & 1, 0);
        assert_eq!(ignored(""), 0);
    }
}
