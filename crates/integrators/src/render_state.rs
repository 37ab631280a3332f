//! State of a rendering from which it can be continued to the same bits.

use serde::{Deserialize, Serialize};
use sunfleck_image::Film;

use crate::adaptive::AdaptiveSampling;
use crate::view::RayCount;

/// State of a rendering at the end of a tile: the samples so far, and what follows from earlier ones that cannot be
/// computed from the film alone. Samples are functions of their numbers, so an image that is continued from here has
/// the bits of one that was never interrupted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RenderState {
    /// Sums of all samples. Within a pass, some pixels already have those of the pass.
    pub film: Film,
    /// Where to continue.
    pub start: RenderStart,
    /// Rays traced by this rendering, without those of an earlier one that it continues.
    pub rays: RayCount,
}

/// Where a rendering begins: with which sample, and with which plan of adaptive sampling.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RenderStart {
    /// Samples per pixel of the completed passes; the mean if pixels have different numbers.
    pub samples: u32,
    /// Plan of an image that is rendered to a noise goal, once it has begun.
    pub(crate) adaptive: Option<AdaptiveSampling>,
    /// Whether pixels with more samples have them from a pass that was interrupted. Other films may hold samples with
    /// any numbers, as those of a CPU that shares an image with a GPU do.
    pub(crate) within_pass: bool,
}

impl From<u32> for RenderStart {
    fn from(samples: u32) -> Self {
        Self { samples, adaptive: None, within_pass: false }
    }
}

impl RenderStart {
    /// Returns where to continue a rendering that has completed passes of `samples` samples per pixel.
    pub(crate) fn within_pass(samples: u32, adaptive: Option<AdaptiveSampling>) -> Self {
        Self { samples, adaptive, within_pass: true }
    }

    /// Returns the plan for the noise goal `goal` and at most `most` samples of a pixel: a plan that has begun is kept,
    /// with these limits, and a new one begins with a film without samples.
    pub(crate) fn plan(&self, film: &Film, goal: f32, most: u32) -> Option<AdaptiveSampling> {
        match &self.adaptive {
            Some(plan) => Some(plan.clone().with_limits(goal, most)),
            None => (self.samples == 0 && film.is_empty()).then(|| AdaptiveSampling::new(goal, most)),
        }
    }

    /// Returns the number of samples that each pixel shall have after the rest of a pass that was interrupted: `after`,
    /// if some pixels already have more than `before`.
    pub(crate) fn rest_of_pass(&self, film: &Film, before: u32, after: u32) -> Option<Vec<u32>> {
        let is_begun = self.within_pass && film.attempts().any(|have| have > before);
        is_begun.then(|| film.attempts().map(|have| have.max(after)).collect())
    }
}
