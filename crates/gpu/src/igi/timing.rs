use std::time::Instant;

use sunfleck_integrators::RayCount;

use super::FrameStreams;
use super::stages::{add_up, submit};
use crate::timing::{StageTime, Timestamps};
use crate::{Gpu, GpuError};

/// Times of frames.
#[derive(Clone, Debug, Default)]
pub struct FrameTimes {
    /// GPU time of the stages of each frame, measured by timestamps with one compute pass per dispatch.
    pub frames: Vec<Vec<StageTime>>,
    /// Wall time per frame in seconds, if frames are submitted one after the other and passes may overlap.
    pub wall: Vec<f64>,
    /// Number of rays of one frame, without camera rays.
    pub rays: RayCount,
}

impl FrameStreams {
    /// Measures `frames` frames stage by stage, then the same number of frames by wall time; `None` if the GPU has no
    /// timestamps.
    ///
    /// * `begin` — writes the parameters of a frame.
    pub(super) fn time(
        &self,
        gpu: &Gpu,
        frames: u32,
        mut begin: impl FnMut(&Self),
    ) -> Result<Option<FrameTimes>, GpuError> {
        let bands: Vec<_> = (0..self.bands()).map(|band| self.whole(band)).collect();
        let mut stamps = Vec::new();
        for steps in &bands {
            let Some(of_band) = Timestamps::new(gpu, u32::try_from(steps.len()).unwrap_or(0))? else {
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

        // Without timestamps, one submission after the other, as in a program that displays frames
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
