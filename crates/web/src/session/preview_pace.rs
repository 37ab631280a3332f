//! Sizes of previews whose light has fewer pixels than their edges.

use std::time::Duration;

use sunfleck_engine::FrameResult;
use sunfleck_integrators::RenderStage;

/// Edge lengths of previews, relative to the image at rest.
const SCALES: [f32; 12] = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.42, 0.35, 0.3, 0.25, 0.18, 0.125];
/// Pixels of a preview per pixel of its light, along an edge.
const DIVISORS: [u32; 7] = [1, 2, 3, 4, 5, 6, 8];
/// Size of the first preview, whose speed is not known: one that every machine renders quickly.
const FIRST: (usize, usize) = (5, 6);

/// Size of a preview.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PreviewSize {
    /// Edge length relative to the image at rest.
    pub(super) scale: f32,
    /// Pixels per pixel of the light, along an edge; `None` if every pixel has its own.
    pub(super) light_divisor: Option<u32>,
}

/// Seconds per pixel of edges and of light, learnt from the previews so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PreviewPace {
    /// Seconds per pixel of the image, and per pixel of the light.
    seconds: Option<[f64; 2]>,
    frames: u32,
    /// Indices of the newest scale and divisor.
    newest: Option<(usize, usize)>,
}

impl PreviewPace {
    /// Updates the speed with a preview.
    ///
    /// * `pixels` — number of its pixels. * `divisor` — that of its light.
    pub(super) fn learn(&mut self, pixels: u64, divisor: u32, result: &FrameResult) {
        self.frames += 1;
        let edges = result.stages.of(RenderStage::Upsample).min(result.elapsed);
        let light_pixels = (pixels as f64 / f64::from(divisor * divisor)).max(1.0);
        let light = (result.elapsed - edges).as_secs_f64() / light_pixels;
        let found = [edges.as_secs_f64() / pixels.max(1) as f64, light];
        self.seconds = Some(match self.seconds {
            // The first frame included one-time initialisation
            Some(before) if self.frames > 2 => std::array::from_fn(|i| 0.7 * before[i] + 0.3 * found[i]),
            _ => found,
        });
    }

    /// Returns the size of the next preview: edges have all pixels if they fit into the time together with the fewest
    /// pixels of light; what time is left is for light.
    ///
    /// * `pixels` — number of pixels of the image at rest.
    pub(super) fn size(&mut self, pixels: u64, time: Duration) -> PreviewSize {
        let Some([edges, light]) = self.seconds else {
            return Self::preview(FIRST);
        };
        let seconds = |(scale, divisor): (usize, usize)| {
            let pixels = pixels as f64 * f64::from(SCALES[scale] * SCALES[scale]);
            pixels * (edges + light / f64::from(DIVISORS[divisor] * DIVISORS[divisor]))
        };
        let target = time.as_secs_f64();
        let sizes =
            (0..SCALES.len()).flat_map(|scale| (0..DIVISORS.len()).map(move |divisor| (scale, divisor)));
        let smallest = (SCALES.len() - 1, DIVISORS.len() - 1);
        let best = sizes.into_iter().find(|&size| seconds(size) <= target).unwrap_or(smallest);
        // Changes of size are visible
        let stays = |&size: &(usize, usize)| {
            size == best || (seconds(size) <= 1.3 * target && (size < best || seconds(best) > 0.9 * target))
        };
        let size = self.newest.filter(stays).unwrap_or(best);
        self.newest = Some(size);
        Self::preview(size)
    }

    /// Returns the size of indices of a scale and a divisor.
    fn preview((scale, divisor): (usize, usize)) -> PreviewSize {
        PreviewSize { scale: SCALES[scale], light_divisor: Some(DIVISORS[divisor]) }
    }

    /// Returns the divisor of the newest preview.
    pub(super) fn divisor(&self) -> u32 {
        DIVISORS[self.newest.unwrap_or(FIRST).1]
    }

    /// Returns the predicted times of edges and of light for a number of pixels; `None` while unknown.
    pub(super) fn times(&self, pixels: u64) -> Option<[Duration; 2]> {
        self.seconds
            .map(|each| each.map(|seconds| Duration::from_secs_f64((seconds * pixels as f64).min(1e6))))
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_engine::RenderedBy;
    use sunfleck_integrators::{RayCount, StageTimes, StopReason};

    use super::*;

    const PIXELS: u64 = 640_000;

    /// Returns the size after a number of frames on a machine of a given speed.
    fn size(edges_ns: f64, light_ns: f64, millis: u64) -> PreviewSize {
        let mut pace = PreviewPace::default();
        let mut size = pace.size(PIXELS, Duration::from_millis(millis));
        for _ in 0..20 {
            let pixels = PIXELS as f64 * f64::from(size.scale * size.scale);
            let divisor = size.light_divisor.unwrap();
            let edges = Duration::from_secs_f64(pixels * edges_ns * 1e-9);
            let light = pixels / f64::from(divisor * divisor) * light_ns * 1e-9;
            let mut stages = StageTimes::default();
            stages.add(RenderStage::Upsample, edges);
            let result = FrameResult {
                ended: StopReason::Done,
                samples: 1,
                rays: RayCount::default(),
                elapsed: edges + Duration::from_secs_f64(light),
                stages,
                vpls: 0,
                by: RenderedBy::PROCESSOR,
            };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most PIXELS")]
            pace.learn(pixels as u64, divisor, &result);
            size = pace.size(PIXELS, Duration::from_millis(millis));
        }
        size
    }

    #[test]
    fn light_has_what_time_is_left_by_edges() {
        // 13 ms for edges, 16 ms for light in a sixteenth of the pixels
        assert_eq!(size(20.0, 400.0, 50), PreviewSize { scale: 1.0, light_divisor: Some(3) });
        assert_eq!(size(20.0, 400.0, 33), PreviewSize { scale: 1.0, light_divisor: Some(4) });
        assert_eq!(size(20.0, 10.0, 50), PreviewSize { scale: 1.0, light_divisor: Some(1) });
    }

    #[test]
    fn the_resolution_falls_where_full_edges_do_not_fit() {
        let PreviewSize { scale, .. } = size(200.0, 4000.0, 50);
        assert!((0.25..0.75).contains(&scale), "{scale}");
        let PreviewSize { scale, .. } = size(200.0, 4000.0, 500);
        assert_eq!(scale, 1.0, "a longer time has room for them");
        assert_eq!(size(1e6, 1e6, 50).scale, 0.125);
    }
}
