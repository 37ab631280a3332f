//! Steady frames of a canvas, which reuse previous ones.

use std::sync::Arc;

use sunfleck_denoise::oidn::OidnError;
use sunfleck_gpu::{GpuReuse, LivePicture};
use sunfleck_image::{AovSet, Film, Picture};
use sunfleck_integrators::reuse::{ReusedFrame, TemporalReuse};
use sunfleck_integrators::{Algorithm, RenderOutcome, World};

use super::{Accumulation, Live};
use crate::denoising::Denoiser;
use crate::frame::FrameRequest;
use crate::ticket::{FrameResult, RenderedBy};

/// Steady frame with what it reuses.
#[derive(Debug)]
pub(crate) enum SteadyFrame {
    OnCpu(ReusedFrame),
    /// Image on the CPU whose light has fewer pixels.
    Upsampled(UpsampledFrame),
    /// The newest frame of [`Accumulation::reuse_on_gpu`].
    OnGpu,
}

/// Mean image of the frames of a view whose light has fewer pixels.
#[derive(Debug)]
pub(crate) struct UpsampledFrame {
    pub(crate) picture: Arc<Picture>,
    /// Number of frames of the mean.
    pub(crate) count: u32,
    /// For each pixel of the light, the number of frames whose mean it is.
    pub(crate) frames: Vec<f32>,
}

impl Accumulation {
    /// Removes and returns the mean of the previous frames with upsampled light of the same view, if there are any.
    pub(crate) fn take_upsampled(&mut self) -> Option<UpsampledFrame> {
        match self.steady.take() {
            Some(SteadyFrame::Upsampled(frame)) => Some(frame),
            _ => None,
        }
    }

    /// Returns the number of the first sample of a steady frame. Frames of instant global illumination keep their
    /// random numbers: their errors are those of whole surfaces, and would flicker.
    fn first_steady_sample(&self, algorithm: &Algorithm) -> u32 {
        if algorithm.samples_are_frames() { 0 } else { self.steady_next }
    }

    /// Returns an empty film for a steady frame that the CPU renders, and the number of its first sample. The caller
    /// gives the film back with [`return_steady_film`](Self::return_steady_film).
    ///
    /// * `aovs` — AOVs of the film.
    pub(crate) fn steady_film(
        &mut self,
        world: &Arc<World>,
        frame: &FrameRequest,
        algorithm: &Algorithm,
        aovs: AovSet,
    ) -> (Film, u32) {
        self.set_view(world, frame);
        (self.live, self.samples, self.next) = (None, 0, 0);
        self.reuse_on_gpu = GpuReuse::default();
        (self.empty_film(frame, aovs), self.first_steady_sample(algorithm))
    }

    /// Records a steady frame of the CPU.
    ///
    /// * `steady` — the frame with what it reuses; `None` if it was interrupted.
    pub(crate) fn return_steady_film(
        &mut self,
        film: Film,
        algorithm: &Algorithm,
        outcome: &RenderOutcome,
        steady: Option<SteadyFrame>,
    ) -> FrameResult {
        self.film = Some(film);
        self.steady = steady;
        self.note_steady(algorithm, outcome, RenderedBy::PROCESSOR)
    }

    /// Discards the samples for a steady frame that a GPU renders, and returns the number of its first sample. The
    /// caller hands over the frame with [`return_steady_live`](Self::return_steady_live).
    pub(crate) fn begin_steady_on_gpu(
        &mut self,
        world: &Arc<World>,
        frame: &FrameRequest,
        algorithm: &Algorithm,
    ) -> u32 {
        self.set_view(world, frame);
        (self.film, self.live, self.steady) = (None, None, None);
        (self.samples, self.next) = (0, 0);
        self.first_steady_sample(algorithm)
    }

    /// Records a steady frame of a GPU.
    ///
    /// * `picture` — samples of the frame alone.
    /// * `is_complete` — whether it was added to [`reuse_on_gpu`](Self::reuse_on_gpu).
    pub(crate) fn return_steady_live(
        &mut self,
        picture: LivePicture,
        algorithm: &Algorithm,
        outcome: &RenderOutcome,
        is_complete: bool,
    ) -> FrameResult {
        // No world has this number
        self.live = Some(Live { held: u64::MAX, picture });
        self.steady = is_complete.then_some(SteadyFrame::OnGpu);
        if is_complete {
            self.reuse = TemporalReuse::default();
        }
        let result = self.note_steady(algorithm, outcome, RenderedBy { name: "GPU", gpu_samples: 0 });
        FrameResult { by: RenderedBy { gpu_samples: result.samples, ..result.by }, ..result }
    }

    /// Records the samples of a steady frame: the canvas has those of the newest frame alone.
    fn note_steady(&mut self, algorithm: &Algorithm, outcome: &RenderOutcome, by: RenderedBy) -> FrameResult {
        self.next = self.first_steady_sample(algorithm);
        let result = self.note(algorithm, outcome, by);
        self.steady_next = outcome.next;
        result
    }

    /// See [`Canvas::frame_counts`](super::Canvas::frame_counts).
    pub(super) fn frame_counts(&self) -> Option<Vec<f32>> {
        match self.steady.as_ref()? {
            SteadyFrame::OnCpu(reused) => Some(reused.frames.clone()),
            SteadyFrame::Upsampled(frame) => Some(frame.frames.clone()),
            SteadyFrame::OnGpu => self.reuse_on_gpu.frame_counts().ok(),
        }
    }

    /// Returns the denoised image of a steady frame; `None` if it is lost with a GPU.
    pub(super) fn denoised_steady(
        &self,
        frame: &SteadyFrame,
        denoiser: &Denoiser,
    ) -> Result<Option<Picture>, OidnError> {
        match frame {
            SteadyFrame::OnCpu(reused) => return denoiser.denoise_reused(reused).map(Some),
            // The light was denoised before it was interpolated
            SteadyFrame::Upsampled(frame) => return Ok(Some(frame.picture.as_ref().clone())),
            SteadyFrame::OnGpu => {}
        }
        if let Ok(Some(picture)) = denoiser.denoise_reused_on_gpu(&self.reuse_on_gpu) {
            return Ok(Some(picture));
        }
        // The CPU denoises what the GPU cannot
        let film = self.reuse_on_gpu.film().ok().flatten();
        film.map(|film| denoiser.denoise(&film)).transpose()
    }

    /// Records a steady frame of `igi` on a GPU, which has no sums, since its state is kept in a sequence of the
    /// backend: the next frame of another kind starts again.
    pub(crate) fn discard_for_sequence(&mut self) {
        *self = Self { pace: self.pace, ..Self::default() };
    }
}
