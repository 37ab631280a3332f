use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sunfleck_gpu::SampleSupply;

/// Distribution of the samples of an image: the GPU renders them in ascending order from the first, the CPU in
/// descending order from the last, until they meet.
///
/// Samples are assigned to the GPU slightly in advance, so that it never waits. The CPU takes one sample of all pixels
/// at a time, as long as it is expected to finish it before the GPU finishes all remaining ones. As with the batches of
/// the ray engine, this is predicted from the rates measured so far.
#[derive(Debug)]
pub(super) struct Share {
    began: Instant,
    split: Mutex<Split>,
}

#[derive(Debug)]
struct Split {
    /// Number of samples that the GPU may begin.
    granted: u32,
    /// Number of samples that the GPU has finished.
    done: u32,
    /// Time at which the GPU was observed to have finished them, in seconds since the start.
    done_at: f64,
    /// First sample number of the CPU.
    taken: u32,
    /// Time that the CPU takes for a sample, in seconds.
    takes: Option<f64>,
}

/// Time for which work is assigned to the GPU in advance.
const AHEAD: Duration = Duration::from_millis(250);

impl Share {
    /// Distributes `samples` samples.
    pub(super) fn new(samples: u32) -> Self {
        let split = Split { granted: 0, done: 0, done_at: 0.0, taken: samples, takes: None };
        Self { began: Instant::now(), split: Mutex::new(split) }
    }

    /// Assigns a sample to the CPU and returns its number; `None` if the GPU renders the rest. The first sample is
    /// always rendered by the GPU.
    ///
    /// * `took` — time that the CPU took for its previous sample.
    pub(super) fn take(&self, took: Option<Duration>) -> Option<u32> {
        let mut split = self.split();
        split.takes = took.map(|took| took.as_secs_f64()).or(split.takes);
        let left = f64::from(split.taken - split.done);
        let gpu_needs = (split.done > 0).then(|| left * split.done_at / f64::from(split.done));
        let in_time = split.takes.zip(gpu_needs).is_none_or(|(takes, gpu_needs)| takes < gpu_needs);
        (in_time && split.taken > split.granted.max(1)).then(|| {
            split.taken -= 1;
            split.taken
        })
    }

    /// Returns the first sample number of the CPU.
    #[cfg(test)]
    pub(super) fn first_of_cpu(&self) -> u32 {
        self.split().taken
    }

    /// Locks the state. No code panics while it holds the lock; if it did, the numbers would still be valid.
    fn split(&self) -> MutexGuard<'_, Split> {
        self.split.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SampleSupply for Share {
    fn samples(&self, done: u32, unit: u32) -> (u32, bool) {
        let mut split = self.split();
        if done > split.done {
            (split.done, split.done_at) = (done, self.began.elapsed().as_secs_f64());
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let ahead = match split.done {
            0 => 0,
            done => (AHEAD.as_secs_f64() * f64::from(done) / split.done_at) as u32,
        };
        // At least two jobs, since new paths of one fill the slots of terminated paths of the other
        let wanted = done.saturating_add(ahead.max(2 * unit)).checked_next_multiple_of(unit);
        let granted = wanted.unwrap_or(u32::MAX).min(split.taken);
        split.granted = split.granted.max(granted);
        (split.granted, split.granted == split.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many samples the GPU and the CPU render.
    ///
    /// * `gpu_does` — samples that the GPU finishes between two requests of the CPU.
    /// * `takes` — time that the CPU reports for one sample.
    fn run(samples: u32, unit: u32, gpu_does: u32, takes: Duration) -> (u32, u32) {
        let share = Share::new(samples);
        let (mut done, mut took) = (0, None);
        loop {
            let (granted, is_all) = share.samples(done, unit);
            assert!(granted % unit == 0 || is_all, "{granted} of {unit}");
            assert!(granted <= share.first_of_cpu());
            if is_all && done == granted {
                return (done, samples - share.first_of_cpu());
            }
            done = granted.min(done + gpu_does);
            std::thread::sleep(Duration::from_millis(5));
            if let Some(sample) = share.take(took) {
                assert!(sample >= granted && sample > 0);
                took = Some(takes);
            }
        }
    }

    #[test]
    fn each_sample_is_rendered_once() {
        for (samples, unit) in [(1, 1), (1, 8), (7, 4), (64, 1), (100, 16)] {
            let (gpu, cpu) = run(samples, unit, unit, Duration::ZERO);
            assert_eq!(gpu + cpu, samples, "{samples} in units of {unit}");
            assert!(gpu > 0);
        }
    }

    #[test]
    fn a_slow_cpu_takes_a_single_sample() {
        assert_eq!(run(50, 1, 5, Duration::from_secs(3600)).1, 1);
    }

    #[test]
    fn a_cpu_as_fast_as_the_gpu_takes_at_least_a_quarter() {
        // Less than half, since work for a quarter of a second is assigned to the GPU in advance
        let (gpu, cpu) = run(400, 1, 1, Duration::from_millis(5));
        assert!(cpu >= 100, "{gpu} and {cpu}");
    }
}
