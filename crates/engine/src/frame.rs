use std::time::Duration;

use sunfleck_image::{AovSet, Filter, TileRect};
use sunfleck_integrators::{Algorithm, PlacedCamera, StopRules, ViewSpec};
use sunfleck_sampling::SamplerKind;

use crate::denoising::Denoiser;

/// Request for a frame: camera, algorithm, film, and budget.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameRequest {
    /// Camera; need not be one of the scene's.
    pub camera: PlacedCamera,
    /// Width of the image in pixels, at least 1.
    pub width: u32,
    /// Height of the image in pixels, at least 1.
    pub height: u32,
    /// Algorithm with its parameters.
    pub algorithm: Algorithm,
    /// Sampler.
    pub sampler: SamplerKind,
    /// Seed of the sampler; another seed gives another noise pattern.
    pub seed: u32,
    /// Reconstruction filter.
    pub filter: Filter,
    /// AOVs that are recorded in addition to radiance.
    pub aovs: AovSet,
    /// Radius of the ambient-occlusion AOV, metres.
    pub occlusion_radius: f32,
    /// Footprint of texture filtering where camera rays hit surfaces, as a fraction of a pixel's side; 0 does not
    /// filter.
    pub texture_footprint: f32,
    /// Whether camera rays that leave the scene see the environment; see
    /// [`ViewSpec::shows_environment`]. The CPU alone renders frames without it.
    pub shows_environment: bool,
    /// Part of the image that is rendered, with the pixels that the whole image has there; `None` for all of it. The
    /// CPU alone renders parts. Steady frames, and those of algorithms whose samples are frames, are whole images.
    /// Frames whose part has no pixels of the image fail.
    pub window: Option<TileRect>,
    /// Whether the frame reuses previous ones of the canvas where they show the same surfaces in the same light, so
    /// that it has less noise, and does not flicker while the camera or the scene moves. Such frames depend on previous
    /// ones, and not on world and view alone. The canvas shows the frame with what it reuses, and denoises that; its
    /// [film](crate::Canvas::film) has the samples of the frame alone.
    pub steady: bool,
    /// Renders the light of a steady frame in fewer pixels than its edges and textures. A GPU ignores it.
    pub upsampling: Option<Upsampling>,
    /// Limits of samples, time and noise.
    pub budget: Budget,
}

impl FrameRequest {
    /// Returns a request for instant global illumination with one sample per pixel.
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
            shows_environment: true,
            window: None,
            steady: false,
            upsampling: None,
            budget: Budget::samples(1),
        }
    }

    /// Returns whether samples of both frames may be accumulated.
    pub(crate) fn is_same_view(&self, other: &Self) -> bool {
        let budget = self.budget;
        *self == Self { budget, ..other.clone() }
    }

    /// Returns width and height of the film of a frame on the CPU: fewer pixels than the image has with
    /// [`upsampling`](Self::upsampling).
    pub(crate) fn film_size(&self) -> [u32; 2] {
        let divisor = self.upsampling.as_ref().filter(|_| self.steady).map_or(1, |up| up.divisor.max(1));
        [self.width, self.height].map(|edge| edge.max(1).div_ceil(divisor))
    }

    /// Returns the pixels of the image that the film of a frame has on the CPU.
    pub(crate) fn film_window(&self) -> TileRect {
        let [x1, y1] = self.film_size();
        let whole = TileRect { x0: 0, y0: 0, x1, y1 };
        let is_whole = self.steady || self.algorithm.samples_are_frames();
        self.window.filter(|_| !is_whole).map_or(whole, |window| whole.intersection(window))
    }

    /// Returns the view for the integrators.
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
            shows_environment: self.shows_environment,
        }
    }
}

/// Light in few pixels, interpolated to the image along the edges of its surfaces: see
/// [`upsample`](sunfleck_integrators::upsample). The image has one camera ray per pixel, through its centre; frames of
/// the same view are averaged, with rays through other points of the pixels, so that edges become smooth.
#[derive(Clone, Debug, PartialEq)]
pub struct Upsampling {
    /// Pixels of the image per pixel of the light, along an edge.
    pub divisor: u32,
    /// Denoiser of the light; without one it is interpolated as it was rendered.
    pub denoiser: Option<Denoiser>,
}

/// Budget of a frame; the first limit that is reached ends it. Every frame has at least one pass over all pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Samples per pixel to add.
    pub samples: Option<u32>,
    /// Time limit. Instant global illumination reduces its number of VPLs to meet it.
    pub time: Option<Duration>,
    /// Noise level: mean relative standard error of the pixels.
    pub noise: Option<f32>,
}

impl Budget {
    /// Returns a budget of samples per pixel.
    pub const fn samples(samples: u32) -> Self {
        Self { samples: Some(samples), time: None, noise: None }
    }

    /// Returns a time budget: one pass, or several if they fit.
    pub const fn time(time: Duration) -> Self {
        Self { samples: None, time: Some(time), noise: None }
    }

    /// Returns the stop rules that add this budget to `already` rendered samples.
    pub(crate) fn rules(self, already: u32) -> StopRules {
        StopRules {
            samples: self.samples.map(|samples| already.saturating_add(samples)),
            time: self.time,
            noise: self.noise,
        }
    }
}
