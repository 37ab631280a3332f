//! Accumulated radiance and features of a pixel.

use sunfleck_image::{Features, color};
use sunfleck_math::Vec3;

/// Mean light of a pixel over several frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LightMean {
    /// Mean radiance, linear Rec. 709.
    pub(super) radiance: Vec3,
    /// Mean squared luminance of single frames, (W/(m² sr))².
    pub(super) square: f32,
    /// Number of frames, interpolated between pixels.
    pub(super) frames: f32,
}

impl LightMean {
    /// No light yet.
    pub(super) const NONE: Self = Self { radiance: Vec3::ZERO, square: 0.0, frames: 0.0 };

    /// Returns the mean of light that is `ratio` times as bright.
    pub(super) fn scaled(&self, ratio: Vec3) -> Self {
        let radiance = self.radiance * ratio;
        let of_luminance =
            color::luminance(radiance) / color::luminance(self.radiance).max(f32::MIN_POSITIVE);
        Self { radiance, square: self.square * (of_luminance * of_luminance), ..*self }
    }

    /// Returns the mean with a frame added.
    pub(super) fn with_frame(&self, radiance: Vec3) -> Self {
        let luminance = color::luminance(radiance);
        let frames = self.frames + 1.0;
        let share = frames.recip();
        Self {
            radiance: self.radiance + (radiance - self.radiance) * share,
            square: self.square + (luminance * luminance - self.square) * share,
            frames,
        }
    }

    /// Returns the variance of the luminance of the mean, (W/(m² sr))²; infinite if it is a mean of fewer than two
    /// frames.
    pub(super) fn variance_of_mean(&self) -> f32 {
        if self.frames < 2.0 {
            return f32::INFINITY;
        }
        let luminance = color::luminance(self.radiance);
        // Variance of the mean of several frames
        (self.square - luminance * luminance).max(0.0) / (self.frames - 1.0)
    }
}

/// History of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HistoryPixel {
    /// See [`PixelSurface::id`](super::surfaces::PixelSurface::id).
    pub(super) id: u32,
    /// Position of the primary surface in world space; 0 if the ray leaves the scene.
    pub(super) position: Vec3,
    /// Unit geometric normal; 0 if the ray leaves the scene.
    pub(super) ng: Vec3,
    /// Light that the surface reflects diffusely or emits.
    pub(super) diffuse: LightMean,
    /// Light of highlights.
    pub(super) highlights: LightMean,
    /// Mean features for denoising.
    pub(super) features: Features,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_light_has_the_mean_and_the_variance_of_scaled_frames() {
        let frames = [Vec3::new(1.0, 2.0, 0.5), Vec3::new(3.0, 0.0, 0.5), Vec3::new(0.2, 1.0, 4.0)];
        let mean =
            |scale: f32| frames.iter().fold(LightMean::NONE, |mean, &frame| mean.with_frame(frame * scale));
        let (scaled, expected) = (mean(1.0).scaled(Vec3::splat(0.3)), mean(0.3));
        assert!((scaled.radiance - expected.radiance).length() < 1e-6, "{scaled:?}, {expected:?}");
        assert!((scaled.square - expected.square).abs() < 1e-6, "{scaled:?}, {expected:?}");
    }
}
