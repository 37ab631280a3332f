//! State of an image: its canvases, its samples, and what is shown of it.

use std::sync::Arc;
use std::time::Duration;

use sunfleck_engine::Canvas;
use sunfleck_image::{Aov, Picture};

use super::pace::Pace;
use super::preview_pace::PreviewPace;
use crate::encode::Mode;

/// State of an image.
#[derive(Debug, Default)]
pub(super) struct ImageState {
    pub(super) moving: PacedCanvas,
    /// Speed of previews whose light has fewer pixels than their edges.
    pub(super) upsampled: PreviewPace,
    /// Time for which previews have become better since the image has changed.
    pub(super) settling_time: Duration,
    pub(super) rest: PacedCanvas,
    /// Samples per pixel at rest.
    pub(super) samples: u32,
    /// Time spent at rest.
    pub(super) view_time: Duration,
    /// Samples per pixel at rest that the denoiser was given last.
    pub(super) denoiser_samples: u32,
    /// Newest image.
    pub(super) shown: Option<ShownImage>,
}

/// Canvas with a model of its frame times.
#[derive(Debug, Default)]
pub(super) struct PacedCanvas {
    pub(super) canvas: Canvas,
    pub(super) pace: Pace,
}

/// Image that is shown.
#[derive(Clone, Debug)]
pub(super) struct ShownImage {
    pub(super) picture: Arc<Picture>,
    /// Samples per pixel of the picture, if it is denoised.
    pub(super) denoised: Option<u32>,
    /// Canvas from which the picture was made.
    pub(super) canvas: Canvas,
    /// AOV that is shown instead of radiance.
    pub(super) channel: Option<Aov>,
}

impl ImageState {
    /// Discards the samples, since the image changes.
    pub(super) fn invalidate(&mut self) {
        (self.samples, self.view_time, self.denoiser_samples) = (0, Duration::ZERO, 0);
        self.settling_time = Duration::ZERO;
        // A new canvas, so that the image depends on its samples only, and not on frames before the change
        self.rest.canvas = Canvas::new();
    }

    pub(super) fn paced_canvas(&mut self, mode: Mode) -> &mut PacedCanvas {
        if mode == Mode::Rest { &mut self.rest } else { &mut self.moving }
    }

    /// Returns whether the image at rest should be denoised now: at its first sample, whenever the number of samples has
    /// doubled, and when it is done. So the time for denoising stays small beside that for rendering.
    ///
    /// * `target` — samples per pixel at which the image is done.
    pub(super) fn is_denoising_due(&self, target: u32) -> bool {
        let before = self.denoiser_samples;
        self.samples > before && (self.samples >= target || self.samples >= before.saturating_mul(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_denoised_at_doublings_and_at_the_end() {
        let mut image = ImageState::default();
        assert!(!image.is_denoising_due(24), "there are no samples yet");
        let mut denoised = Vec::new();
        for samples in 1..=24 {
            image.samples = samples;
            if image.is_denoising_due(24) {
                image.denoiser_samples = samples;
                denoised.push(samples);
            }
        }
        assert_eq!(denoised, [1, 2, 4, 8, 16, 24]);
        assert!(!image.is_denoising_due(24), "it is done");
        image.invalidate();
        image.samples = 1;
        assert!(image.is_denoising_due(24), "another image begins");
    }
}
