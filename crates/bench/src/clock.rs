//! Stopwatch of CPU time, which other processes do not disturb, and of wall time.

use std::time::{Duration, Instant};

/// Whether CPU time can be measured on this platform; if not, wall time is reported as CPU time.
pub const CPU_TIME: bool = cfg!(unix);

/// Threads whose CPU time is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ClockScope {
    /// The calling thread, for tracing.
    Thread,
    /// All threads together, for building.
    Process,
}

/// Duration of a measurement.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Elapsed {
    /// CPU time, seconds.
    pub(crate) cpu_secs: f64,
    /// Wall time, seconds.
    pub(crate) wall_secs: f64,
}

/// Measures the time since [`Stopwatch::start`].
#[derive(Debug)]
pub(crate) struct Stopwatch {
    scope: ClockScope,
    cpu: Option<Duration>,
    wall: Instant,
}

impl Stopwatch {
    pub(crate) fn start(scope: ClockScope) -> Self {
        Self { scope, cpu: cpu_time(scope), wall: Instant::now() }
    }

    pub(crate) fn stop(&self) -> Elapsed {
        let wall = self.wall.elapsed();
        let cpu = match (self.cpu, cpu_time(self.scope)) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => wall,
        };
        Elapsed { cpu_secs: cpu.as_secs_f64(), wall_secs: wall.as_secs_f64() }
    }
}

#[cfg(unix)]
fn cpu_time(scope: ClockScope) -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let clock = match scope {
        ClockScope::Thread => ClockId::ThreadCPUTime,
        ClockScope::Process => ClockId::ProcessCPUTime,
    };
    let time = clock_gettime(clock);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

#[cfg(not(unix))]
fn cpu_time(_: ClockScope) -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_takes_no_cpu_time() {
        let watch = Stopwatch::start(ClockScope::Thread);
        std::thread::sleep(Duration::from_millis(30));
        let Elapsed { cpu_secs, wall_secs } = watch.stop();
        assert!(wall_secs >= 0.03, "wall time includes sleep");
        assert!(!CPU_TIME || cpu_secs < 0.015, "CPU time does not: {cpu_secs}");
    }

    #[test]
    fn the_process_counts_its_other_threads() {
        let (thread, process) = (Stopwatch::start(ClockScope::Thread), Stopwatch::start(ClockScope::Process));
        let work = || {
            let watch = Stopwatch::start(ClockScope::Thread);
            while watch.stop().cpu_secs < 0.02 {}
        };
        std::thread::scope(|scope| scope.spawn(work).join()).expect("the work ends");
        let (own, all) = (thread.stop().cpu_secs, process.stop().cpu_secs);
        assert!(!CPU_TIME || all >= 0.02 && own < all, "{own} of {all}");
    }
}
