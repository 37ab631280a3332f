//! Full images of frames whose light has fewer pixels.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use fearless_simd::Level;
use sunfleck_image::Picture;
use sunfleck_integrators::reuse::ReusedFrame;
use sunfleck_integrators::upsample::{LightImage, RayPosition, upsampled};
use sunfleck_integrators::{Algorithm, RenderOutcome, RenderStage, ViewSpec, World};
use sunfleck_math::vec2;

use crate::canvas::UpsampledFrame;
use crate::frame::Upsampling;

/// Steps of an additive recurrence with low discrepancy in four dimensions: powers of 1/x, with x⁵ = x + 1.
const STEPS: [f32; 4] = [0.856_674_9, 0.733_891_9, 0.628_706_7, 0.538_597_3];

/// Image to interpolate light for.
pub(super) struct FullImage<'a> {
    pub(super) world: &'a World,
    pub(super) spec: &'a ViewSpec,
    pub(super) algorithm: &'a Algorithm,
    pub(super) upsampling: &'a Upsampling,
}

impl FullImage<'_> {
    /// Denoises and interpolates the light of a frame, and returns the mean with previous frames of the view. `None` if
    /// it was cancelled.
    pub(super) fn frame(
        &self,
        reused: ReusedFrame,
        previous: Option<UpsampledFrame>,
        level: Level,
        cancel: &AtomicBool,
        outcome: &mut RenderOutcome,
    ) -> Option<UpsampledFrame> {
        let Self { world, spec, algorithm, upsampling } = self;
        let begun = Instant::now();
        // An image without denoising is better than none
        let denoised =
            upsampling.denoiser.as_ref().and_then(|denoiser| denoiser.denoise_reused(&reused).ok());
        let radiance = denoised.as_ref().unwrap_or(&reused.picture);
        // Of a frame that is not denoised, no time for it is reported, nor is it part of another stage
        let denoising = begun.elapsed();
        if denoised.is_some() {
            outcome.stages.add(RenderStage::Denoise, denoising);
        }
        let light = LightImage::new(spec, radiance, &reused.features, algorithm.uses_lights());
        let count = previous.as_ref().map_or(0, |previous| previous.count);
        let (picture, rays) = upsampled(world, spec, &light, position(count), level, cancel)?;
        let picture = match previous {
            Some(UpsampledFrame { picture: mean, .. }) => {
                mixed(&mean, &picture, (count as f32 + 1.0).recip())
            }
            None => picture,
        };
        outcome.rays += rays;
        outcome.stages.add(RenderStage::Upsample, begun.elapsed() - denoising);
        Some(UpsampledFrame { picture: Arc::new(picture), count: count + 1, frames: reused.frames })
    }
}

/// Returns where the rays of a frame pass through pixels and lens: the centres first.
fn position(frame: u32) -> RayPosition {
    let [x, y, u, v] = STEPS.map(|step| (0.5 + frame as f32 * step).fract());
    RayPosition { film: vec2(x, y), lens: vec2(u, v) }
}

/// Returns the mean of two images of the same size.
///
/// * `share` — weight of the second.
fn mixed(first: &Picture, second: &Picture, share: f32) -> Picture {
    let pixels = first.pixels().iter().zip(second.pixels()).map(|(&a, &b)| a + (b - a) * share);
    Picture::new(first.width(), first.height(), pixels.collect()).unwrap_or_else(|_| second.clone())
}
