use std::time::Instant;

use sunfleck_integrators::RayCount;

use super::Streams;
use super::stages::{add_up, submit};
use crate::timing::{StageTime, Stamps};
use crate::{Gpu, GpuError};

/// What frames cost.
#[derive(Clone, Debug, Default)]
pub struct FrameTimes {
    /// Of each frame the stages, by the time stamps of the GPU, each in a pass of its own.
    pub frames: Vec<Vec<StageTime>>,
    /// Seconds of wall time for a frame where one follows the other and all stages are one pass.
    pub wall: Vec<f64>,
    /// Of one frame, camera rays left out.
    pub rays: RayCount,
}

impl Streams {
    /// Times so many frames, stage by stage, and as many more by the clock on the wall; `None` if the GPU has no time stamps.
    ///
    /// * `begin` — sets out for a frame.
    pub(super) fn time(
        &self,
        gpu: &Gpu,
        frames: u32,
        mut begin: impl FnMut(&Self),
    ) -> Result<Option<FrameTimes>, GpuError> {
        let bands: Vec<_> = (0..self.bands()).map(|band| self.whole(band)).collect();
        let mut stamps = Vec::new();
        for steps in &bands {
            let Some(of_band) = Stamps::new(gpu, u32::try_from(steps.len()).unwrap_or(0))? else {
                return Ok(None);
            };
            stamps.push(of_band);
        }
        let mut times = FrameTimes::default();
        for _ in 0..frames {
            begin(self);
            let mut seconds = Vec::new();
            times.rays = RayCount::default();
            for (band, (steps, stamps)) in bands.iter().zip(&stamps).enumerate() {
                self.begin_band(gpu, band);
                submit(gpu, steps, Some(stamps));
                seconds.extend(stamps.read(gpu)?);
                times.rays += self.rays(gpu, band)?;
            }
            times.frames.push(add_up(&bands, &seconds));
        }

        // Without time stamps, one submission after the other, as a program would that shows frames
        gpu.wait()?;
        let start = Instant::now();
        for _ in 0..frames {
            begin(self);
            for (band, steps) in bands.iter().enumerate() {
                self.begin_band(gpu, band);
                submit(gpu, steps, None);
            }
        }
        gpu.wait()?;
        times.wall.push(start.elapsed().as_secs_f64() / f64::from(frames.max(1)));
        Ok(Some(times))
    }
}
