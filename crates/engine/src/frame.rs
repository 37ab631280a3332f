use std::time::Duration;

use sunfleck_image::{AovSet, Filter};
use sunfleck_integrators::{Algorithm, PlacedCamera, StopRules, ViewSpec};
use sunfleck_sampling::SamplerKind;

/// What is seen from where, how it is computed, and how long that may take.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameRequest {
    /// From where; need not be one of the scene's.
    pub camera: PlacedCamera,
    /// Pixels, at least 1.
    pub width: u32,
    /// Pixels, at least 1.
    pub height: u32,
    /// How light is computed.
    pub algorithm: Algorithm,
    /// Source of random numbers.
    pub sampler: SamplerKind,
    /// Another number is another picture of the same: its noise differs.
    pub seed: u32,
    /// How samples make a pixel.
    pub filter: Filter,
    /// Channels beside radiance.
    pub aovs: AovSet,
    /// How far ambient occlusion looks, metres.
    pub occlusion_radius: f32,
    /// Share of a pixel's side that textures are averaged over where camera rays meet surfaces; 0 reads them as they are.
    pub texture_footprint: f32,
    /// Whether instant global illumination takes after the frames that were on the canvas before, so that light does not flicker where
    /// the view or the scene moves. Such frames do not depend on world and view alone.
    pub steady: bool,
    /// When it is enough.
    pub budget: Budget,
}

impl FrameRequest {
    /// Instant global illumination, one sample of each pixel.
    pub fn new(camera: PlacedCamera, width: u32, height: u32) -> Self {
        Self {
            camera,
            width: width.max(1),
            height: height.max(1),
            algorithm: Algorithm::Igi(Default::default()),
            sampler: SamplerKind::default(),
            seed: 0,
            filter: Filter::default(),
            aovs: AovSet::EMPTY,
            occlusion_radius: 1.0,
            texture_footprint: ViewSpec::TEXTURE_FOOTPRINT,
            steady: false,
            budget: Budget::samples(1),
        }
    }

    /// Whether samples of both may be added up.
    pub(crate) fn is_same_view(&self, other: &Self) -> bool {
        let budget = self.budget;
        *self == Self { budget, ..other.clone() }
    }

    /// What is seen, as those need it who compute it.
    pub fn view(&self) -> ViewSpec {
        ViewSpec {
            projection: self.camera.camera.projection,
            world_from_view: self.camera.world_from_view,
            width: self.width.max(1),
            height: self.height.max(1),
            sampler: self.sampler,
            seed: self.seed,
            filter: self.filter,
            aovs: self.aovs,
            occlusion_radius: self.occlusion_radius,
            texture_footprint: self.texture_footprint,
        }
    }
}

/// When a frame is enough; whichever comes first. Every frame has at least one pass over all pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Samples per pixel to be added.
    pub samples: Option<u32>,
    /// Time. Instant global illumination uses fewer point lights where that keeps it.
    pub time: Option<Duration>,
    /// Mean relative standard error of the pixels.
    pub noise: Option<f32>,
}

impl Budget {
    /// So many samples per pixel.
    pub const fn samples(samples: u32) -> Self {
        Self { samples: Some(samples), time: None, noise: None }
    }

    /// The best that can be had in a time: one pass, or several where they fit.
    pub const fn time(time: Duration) -> Self {
        Self { samples: None, time: Some(time), noise: None }
    }

    /// As rules about all samples, when there are `already` some.
    pub(crate) fn rules(self, already: u32) -> StopRules {
        StopRules {
            samples: self.samples.map(|samples| already.saturating_add(samples)),
            time: self.time,
            noise: self.noise,
        }
    }
}
