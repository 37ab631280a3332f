use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sunfleck_gpu::SampleSupply;

/// Sharing of the samples of an image: the GPU renders from the first one on, the CPU from the last one back, until
/// they meet.
///
/// Work is assigned to the GPU a little ahead, so that it never waits. The CPU takes one sample of all pixels at a
/// time, as long as it finishes one before the GPU would finish all remaining ones: the rule of the ray engine's
/// batches, by rates measured meanwhile.
#[derive(Debug)]
pub(super) struct Share {
    began: Instant,
    split: Mutex<Split>,
}

#[derive(Debug)]
struct Split {
    /// Sample number before which the GPU may begin samples, and the number that it has finished.
    granted: u32,
    done: u32,
    /// Time at which the last of these was observed to be finished, seconds since the start.
    done_at: f64,
    /// First sample number of the CPU.
    taken: u32,
    /// Time of the CPU for one sample, seconds.
    takes: Option<f64>,
}

/// Time for which work is assigned to the GPU ahead.
const AHEAD: Duration = Duration::from_millis(250);

impl Share {
    /// Shares this number of samples.
    pub(super) fn new(samples: u32) -> Self {
        let split = Split { granted: 0, done: 0, done_at: 0.0, taken: samples, takes: None };
        Self { began: Instant::now(), split: Mutex::new(split) }
    }

    /// Returns the next sample of the CPU; `None` if the GPU renders the rest. The first sample is the GPU's.
    ///
    /// * `took` — time of the sample before.
    pub(super) fn take(&self, took: Option<Duration>) -> Option<u32> {
        let mut split = self.split();
        split.takes = took.map(|took| took.as_secs_f64()).or(split.takes);
        let left = f64::from(split.taken - split.done);
        let gpu_needs = (split.done > 0).then(|| left * split.done_at / f64::from(split.done));
        let pays = split.takes.zip(gpu_needs).is_none_or(|(takes, gpu_needs)| takes < gpu_needs);
        (pays && split.taken > split.granted.max(1)).then(|| {
            split.taken -= 1;
            split.taken
        })
    }

    /// Returns the first sample number of the CPU.
    #[cfg(test)]
    pub(super) fn first_of_cpu(&self) -> u32 {
        self.split().taken
    }

    /// No code panics while it holds the lock; if it did, the numbers would still be valid.
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
        // At least two jobs: new paths of one fill the vacant slots of the other
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
    /// * `gpu_does` — samples of the GPU between two requests of the CPU. * `takes` — time that the CPU reports for
    ///   one sample.
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
    fn each_sample_is_done_once() {
        for (samples, unit) in [(1, 1), (1, 8), (7, 4), (64, 1), (100, 16)] {
            let (gpu, cpu) = run(samples, unit, unit, Duration::ZERO);
            assert_eq!(gpu + cpu, samples, "{samples} in units of {unit}");
            assert!(gpu > 0);
        }
    }

    #[test]
    fn a_cpu_that_would_be_late_takes_no_more_than_one() {
        assert_eq!(run(50, 1, 5, Duration::from_secs(3600)).1, 1);
    }

    #[test]
    fn one_that_is_as_fast_takes_about_half() {
        // Work for a quarter of a second is assigned to the GPU ahead
        let (gpu, cpu) = run(400, 1, 1, Duration::from_millis(5));
        assert!(cpu >= 100, "{gpu} and {cpu}");
    }
}
