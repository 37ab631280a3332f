use sunfleck_denoise::{NoisyImage, NoisyImageError};
use sunfleck_image::{Film, color};
use sunfleck_integrators::reuse::ReusedFrame;
use sunfleck_math::Vec3;

/// What a film knows about its image beside the radiance, as denoisers take it. Channels that were not recorded are
/// empty.
#[derive(Clone, Debug)]
pub struct DenoiseGuide {
    size: [u32; 2],
    pub(super) albedo: Vec<Vec3>,
    normal: Vec<Vec3>,
    depth: Vec<f32>,
    variance: Vec<f32>,
}

impl DenoiseGuide {
    /// Reads the channels of a film.
    pub fn new(film: &Film) -> Self {
        let features = film.features().unwrap_or_default();
        // Of luminance, with fully correlated channels
        let luminance = |variance: &Vec3| {
            let deviation = color::luminance(variance.map(f32::sqrt));
            if deviation.is_finite() { deviation * deviation } else { 0.0 }
        };
        Self {
            size: [film.width(), film.height()],
            albedo: features.iter().map(|f| f.albedo).collect(),
            normal: features.iter().map(|f| f.normal).collect(),
            depth: features.iter().map(|f| f.inverse_distance.recip()).collect(),
            variance: film.variance().pixels().iter().map(luminance).collect(),
        }
    }

    /// Reads the channels of a frame that reuses others.
    pub(super) fn of_reused(frame: &ReusedFrame) -> Self {
        let ReusedFrame { picture, features, variance, .. } = frame;
        Self {
            size: [picture.width(), picture.height()],
            albedo: features.iter().map(|f| f.albedo).collect(),
            normal: features.iter().map(|f| f.normal).collect(),
            depth: features.iter().map(|f| f.inverse_distance.recip()).collect(),
            variance: variance.iter().map(|v| if v.is_finite() { *v } else { 0.0 }).collect(),
        }
    }

    /// Replaces the albedo and the normals, such as by denoised ones; empty if they are not known.
    #[must_use]
    pub fn with_features(self, albedo: Vec<Vec3>, normal: Vec<Vec3>) -> Self {
        Self { albedo, normal, ..self }
    }

    /// Multiplies the variance.
    pub(super) fn with_variance_scaled(mut self, factor: f32) -> Self {
        self.variance.iter_mut().for_each(|variance| *variance *= factor);
        self
    }

    /// Returns the noisy image with these channels. Errors: not one value per pixel of the film.
    ///
    /// * `radiance` — that of the film, or of a part of its samples.
    pub fn image<'a>(&'a self, radiance: &'a [Vec3]) -> Result<NoisyImage<'a>, NoisyImageError> {
        let [width, height] = self.size;
        NoisyImage::new(width, height, radiance)?
            .with_albedo(&self.albedo)?
            .with_normal(&self.normal)?
            .with_depth(&self.depth)?
            .with_variance(&self.variance)
    }
}
