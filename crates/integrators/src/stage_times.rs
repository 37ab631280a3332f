use std::time::{Duration, Instant};

/// What a rendering does one after the other; algorithms have those that they need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderStage {
    /// What all tiles of a pass share: virtual point lights, photons, the ambient constant.
    Lights,
    /// Closest surfaces.
    Trace,
    /// Materials, and which rays come next.
    Shade,
    /// Both, where one ray is followed at a time.
    TraceAndShade,
    /// Shadow rays, and the light that they let through.
    Shadows,
    /// The discontinuity filter and the sums of the film.
    Film,
}

impl RenderStage {
    /// In the order in which they come.
    pub const ALL: [Self; 6] =
        [Self::Lights, Self::Trace, Self::Shade, Self::TraceAndShade, Self::Shadows, Self::Film];

    /// For people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lights => "lights",
            Self::Trace => "trace",
            Self::Shade => "shade",
            Self::TraceAndShade => "trace and shade",
            Self::Shadows => "shadow rays",
            Self::Film => "film",
        }
    }
}

/// Where the time of a rendering went. Says nothing about the picture, and does not travel with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes([Duration; RenderStage::ALL.len()]);

impl StageTimes {
    /// Of one stage.
    pub fn of(&self, stage: RenderStage) -> Duration {
        self.0[stage as usize]
    }

    /// Those that took any time, in order.
    pub fn iter(&self) -> impl Iterator<Item = (RenderStage, Duration)> + '_ {
        RenderStage::ALL.into_iter().zip(self.0).filter(|(_, time)| !time.is_zero())
    }

    /// All together.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    pub(crate) fn add(&mut self, stage: RenderStage, time: Duration) {
        self.0[stage as usize] += time;
    }

    /// Adds the times of threads that worked side by side, so that they take `wall` together.
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

/// Tells stages that follow each other apart.
#[derive(Debug)]
pub(crate) struct Lap<'a> {
    times: &'a mut StageTimes,
    last: Instant,
}

impl<'a> Lap<'a> {
    pub(crate) fn start(times: &'a mut StageTimes) -> Self {
        Self { times, last: Instant::now() }
    }

    /// All since the last call was this.
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
    fn threads_side_by_side_share_the_time() {
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
        assert_eq!(times.total(), Duration::from_secs(5), "nothing was done");
    }
}
