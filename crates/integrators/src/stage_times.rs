//! Time that a rendering spends in each of its stages.

use std::time::{Duration, Instant};

/// Stage of a rendering. An algorithm has only some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderStage {
    /// Data that all tiles of a pass share: virtual point lights, photons, the ambient constant.
    Lights,
    /// Closest-hit queries.
    Trace,
    /// Evaluation of materials and sampling of the next rays.
    Shade,
    /// [`Trace`](Self::Trace) and [`Shade`](Self::Shade) of algorithms that follow one ray at a time.
    TraceAndShade,
    /// Shadow rays, and the light that is not occluded.
    Shadows,
    /// The discontinuity filter and the sums of the film.
    Film,
    /// Search for surfaces in previous frames, and the mean with those.
    Reuse,
    /// Denoising of light that is interpolated afterwards.
    Denoise,
    /// Camera rays of the full image, and the interpolation of light between fewer pixels.
    Upsample,
}

impl RenderStage {
    /// All stages in order of execution.
    pub const ALL: [Self; 9] = [
        Self::Lights,
        Self::Trace,
        Self::Shade,
        Self::TraceAndShade,
        Self::Shadows,
        Self::Film,
        Self::Reuse,
        Self::Denoise,
        Self::Upsample,
    ];

    /// Returns the name that users read.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lights => "lights",
            Self::Trace => "trace",
            Self::Shade => "shade",
            Self::TraceAndShade => "trace and shade",
            Self::Shadows => "shadow rays",
            Self::Film => "film",
            Self::Reuse => "reuse",
            Self::Denoise => "denoise",
            Self::Upsample => "edges",
        }
    }
}

/// Time spent in each stage of a rendering. It is no part of the image and is not serialised with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes([Duration; RenderStage::ALL.len()]);

impl StageTimes {
    /// Returns the time of a stage.
    pub fn of(&self, stage: RenderStage) -> Duration {
        self.0[stage as usize]
    }

    /// Returns the stages that took any time, in order.
    pub fn iter(&self) -> impl Iterator<Item = (RenderStage, Duration)> + '_ {
        RenderStage::ALL.into_iter().zip(self.0).filter(|(_, time)| !time.is_zero())
    }

    /// Returns the sum over all stages.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// Adds time to a stage.
    pub fn add(&mut self, stage: RenderStage, time: Duration) {
        self.0[stage as usize] += time;
    }

    /// Adds the summed times of parallel threads, scaled so that their total is the wall-clock time `wall`.
    pub(crate) fn add_parallel(&mut self, threads: &Self, wall: Duration) {
        let total = threads.total().as_secs_f64();
        if total > 0.0 {
            let scale = wall.as_secs_f64() / total;
            threads.iter().for_each(|(stage, time)| self.add(stage, time.mul_f64(scale)));
        }
    }
}

impl std::ops::AddAssign for StageTimes {
    fn add_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own += other);
    }
}

/// Measures consecutive stages.
#[derive(Debug)]
pub(crate) struct StageTimer<'a> {
    times: &'a mut StageTimes,
    last: Instant,
}

impl<'a> StageTimer<'a> {
    /// Starts the first stage.
    pub(crate) fn start(times: &'a mut StageTimes) -> Self {
        Self { times, last: Instant::now() }
    }

    /// Attributes the time since the last call, or the start, to a stage.
    pub(crate) fn end(&mut self, stage: RenderStage) {
        let now = Instant::now();
        self.times.add(stage, now - self.last);
        self.last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_threads_share_the_wall_clock_time() {
        let mut threads = StageTimes::default();
        threads.add(RenderStage::Trace, Duration::from_secs(6));
        threads.add(RenderStage::Shade, Duration::from_secs(2));
        let mut times = StageTimes::default();
        times.add(RenderStage::Film, Duration::from_secs(1));
        times.add_parallel(&threads, Duration::from_secs(4));
        assert_eq!(times.of(RenderStage::Trace), Duration::from_secs(3));
        assert_eq!(times.total(), Duration::from_secs(5));
        let names: Vec<_> = times.iter().map(|(stage, _)| stage.name()).collect();
        assert_eq!(names, ["trace", "shade", "film"]);
        times.add_parallel(&StageTimes::default(), Duration::from_secs(1));
        assert_eq!(times.total(), Duration::from_secs(5), "no thread took any time");
    }
}
