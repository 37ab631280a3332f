//! Events of `--verbose` on standard error.

use tracing::Level;
use tracing_subscriber::fmt::time;

/// Prints events of all crates from now on, each with the time since the start.
pub(super) fn print_events() {
    let printer = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_max_level(Level::DEBUG)
        .with_timer(time::uptime());
    // Fails only if there is a printer already
    drop(printer.try_init());
}
