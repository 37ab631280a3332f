//! Full images of frames whose light has fewer pixels.

use std::sync::Arc;
use std::time::Instant;

use fearless_simd::Level;
use sunfleck_image::Picture;
use sunfleck_integrators::reuse::ReusedFrame;
use sunfleck_integrators::upsample::{LightImage, upsampled};
use sunfleck_integrators::{Algorithm, RenderOutcome, RenderStage, ViewSpec, World};
use sunfleck_math::{Vec2, vec2};

use crate::canvas::UpsampledFrame;
use crate::frame::Upsampling;

/// Steps of an additive recurrence with low discrepancy in two dimensions: powers of the plastic ratio.
const STEPS: [f32; 2] = [0.754_877_7, 0.569_840_3];

/// Image to interpolate light for.
pub(super) struct FullImage<'a> {
    pub(super) world: &'a World,
    pub(super) spec: &'a ViewSpec,
    pub(super) algorithm: &'a Algorithm,
    pub(super) upsampling: &'a Upsampling,
}

impl FullImage<'_> {
    /// Denoises and interpolates the light of a frame, and returns the mean with previous frames of the view.
    pub(super) fn frame(
        &self,
        reused: ReusedFrame,
        previous: Option<UpsampledFrame>,
        level: Level,
        outcome: &mut RenderOutcome,
    ) -> UpsampledFrame {
        let Self { world, spec, algorithm, upsampling } = self;
        let begun = Instant::now();
        // An image without denoising is better than none
        let denoised =
            upsampling.denoiser.as_ref().and_then(|denoiser| denoiser.denoise_reused(&reused).ok());
        let radiance = denoised.as_ref().unwrap_or(&reused.picture);
        let denoising = begun.elapsed();
        outcome.stages.add(RenderStage::Denoise, denoising);
        let light = LightImage::new(spec, radiance, &reused.features, algorithm.uses_lights());
        let count = previous.as_ref().map_or(0, |previous| previous.count);
        let (picture, rays) = upsampled(world, spec, &light, offset(count), level);
        let picture = match previous {
            Some(UpsampledFrame { picture: mean, .. }) => {
                mixed(&mean, &picture, (count as f32 + 1.0).recip())
            }
            None => picture,
        };
        outcome.rays += rays;
        outcome.stages.add(RenderStage::Upsample, begun.elapsed() - denoising);
        UpsampledFrame { picture: Arc::new(picture), count: count + 1, frames: reused.frames }
    }
}

/// Returns the point within the pixels that the rays of a frame pass through: their centre first.
fn offset(frame: u32) -> Vec2 {
    let step = frame as f32;
    vec2((0.5 + step * STEPS[0]).fract(), (0.5 + step * STEPS[1]).fract())
}

/// Returns the mean of two images of the same size.
///
/// * `share` — weight of the second.
fn mixed(first: &Picture, second: &Picture, share: f32) -> Picture {
    let pixels = first.pixels().iter().zip(second.pixels()).map(|(&a, &b)| a + (b - a) * share);
    Picture::new(first.width(), first.height(), pixels.collect()).unwrap_or_else(|_| second.clone())
}
