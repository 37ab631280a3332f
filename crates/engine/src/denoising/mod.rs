//! Denoising of finished films.

mod guide;
mod method;
mod time;

use std::fmt;
use std::sync::Arc;

use sunfleck_denoise::learned::Network;
use sunfleck_denoise::oidn::{Oidn, OidnError};
use sunfleck_denoise::{combine, features};
use sunfleck_gpu::{GpuDenoiseMethod, GpuError, GpuReuse, LivePicture};
use sunfleck_image::{Aov, AovSet, Film, Picture};
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::reuse::ReusedFrame;
use sunfleck_math::Vec3;

pub use guide::DenoiseGuide;
pub use method::{DenoiseMethod, UnknownDenoiseMethod};

/// Mean number of samples per pixel from which films are denoised in halves, to find how much of the noisy image to
/// keep. Fewer samples tell too little about it.
const SAMPLES_FOR_HALVES: u32 = 64;

/// Denoiser that is ready to use. Clones share what was loaded.
#[derive(Clone)]
pub struct Denoiser {
    method: Loaded,
    /// Whether radiance is divided by albedo.
    demodulates: bool,
}

/// A denoised image.
#[derive(Clone, Debug, PartialEq)]
pub struct Denoised {
    /// Linear radiance.
    pub picture: Picture,
    /// Estimated mean relative error of the luminance, comparable to the [noise](Film::noise) of the film. `None` if
    /// it is not known, as with fewer than 16 samples per pixel.
    pub error: Option<f32>,
}

#[derive(Clone)]
enum Loaded {
    Features,
    Learned(&'static Network),
    Oidn(Arc<Oidn>),
}

impl PartialEq for Denoiser {
    /// Compares what images they make.
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.method, &other.method) {
            (Loaded::Learned(a), Loaded::Learned(b)) => std::ptr::eq(*a, *b),
            _ => self.method() == other.method(),
        };
        same && self.demodulates == other.demodulates
    }
}

impl fmt::Debug for Denoiser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Denoiser");
        fields.field("method", &self.method().name()).field("demodulates", &self.demodulates).finish()
    }
}

impl Denoiser {
    /// AOVs that a film needs for the best result. Without them the radiance alone is denoised.
    pub const AOVS: AovSet = AovSet::EMPTY.with(Aov::Features);

    /// Mean number of samples per pixel from which [`denoise_with_error`](Self::denoise_with_error) estimates the
    /// error. Of fewer it is not known how much the errors of both halves cancel.
    pub const SAMPLES_FOR_ERROR: u32 = 16;

    /// Loads what a method needs. Errors: [`DenoiseMethod::Oidn`] is not installed, or cannot be used.
    pub fn new(method: DenoiseMethod) -> Result<Self, OidnError> {
        let method = match method {
            DenoiseMethod::Features => Loaded::Features,
            DenoiseMethod::Auto | DenoiseMethod::Learned => Loaded::Learned(Network::finishing()),
            DenoiseMethod::Oidn => Loaded::Oidn(Arc::new(Oidn::open(None)?)),
        };
        Ok(Self { method, demodulates: true })
    }

    /// Returns the network for interactive frames: it takes a quarter of the time of [`DenoiseMethod::Learned`], and
    /// its results are blurrier.
    pub fn interactive() -> Self {
        Self { method: Loaded::Learned(Network::interactive()), demodulates: true }
    }

    /// Returns the denoiser for images of an algorithm. Those that do not depend on lights, such as those of ambient
    /// occlusion, would get the colours of textures if radiance were divided by albedo.
    #[must_use]
    pub fn of_algorithm(self, algorithm: &Algorithm) -> Self {
        Self { demodulates: algorithm.uses_lights(), ..self }
    }

    /// Returns the method, which is not [`DenoiseMethod::Auto`].
    pub fn method(&self) -> DenoiseMethod {
        match self.method {
            Loaded::Features => DenoiseMethod::Features,
            Loaded::Learned(_) => DenoiseMethod::Learned,
            Loaded::Oidn(_) => DenoiseMethod::Oidn,
        }
    }

    /// Returns the denoised radiance of a film. With many samples per pixel it converges to that of the film.
    /// Errors: the library fails, as for lack of memory.
    pub fn denoise(&self, film: &Film) -> Result<Picture, OidnError> {
        Ok(self.denoise_from(film, SAMPLES_FOR_HALVES)?.picture)
    }

    /// Denoises a film as [`denoise`](Self::denoise) does, and estimates the residual error. For that, both halves
    /// of [16](Self::SAMPLES_FOR_ERROR) samples per pixel or more are denoised, too, which takes three times as long.
    /// Errors: those of [`denoise`](Self::denoise).
    pub fn denoise_with_error(&self, film: &Film) -> Result<Denoised, OidnError> {
        self.denoise_from(film, Self::SAMPLES_FOR_ERROR)
    }

    /// Denoises a film, and its halves if there are `samples` samples per pixel.
    fn denoise_from(&self, film: &Film, samples: u32) -> Result<Denoised, OidnError> {
        let guide = self.guide(film)?;
        let radiance = film.radiance();
        let denoised = self.radiance(&guide, radiance.pixels())?;
        let (width, height) = (film.width(), film.height());
        let sum: u64 = film.sample_counts().iter().map(|&n| u64::from(n)).sum();
        let have = |samples: u32| sum >= u64::from(samples) * film.sample_counts().len() as u64;
        let (result, error) = match film.halves().filter(|_| have(samples)) {
            None => (denoised, None),
            Some(halves) => {
                // Each half has about twice the variance
                let guide = guide.with_variance_scaled(2.0);
                let [a, b] = halves.each_ref().map(|half| self.radiance(&guide, half.pixels()));
                let (a, b) = (a?, b?);
                let halves = [(&halves[0], &a), (&halves[1], &b)]
                    .map(|(noisy, denoised)| combine::Half { noisy: noisy.pixels(), denoised });
                let noise = film.noise_estimate().of_half_difference;
                let blended = have(SAMPLES_FOR_HALVES)
                    .then(|| combine::blend(width, height, halves, noise, radiance.pixels(), &denoised).ok());
                let (result, weights) = match blended.flatten() {
                    Some(blended) => (blended.image, blended.weights),
                    None => (denoised, Vec::new()),
                };
                let error = combine::relative_error(width, height, halves, noise, &result, &weights);
                (result, error.ok())
            }
        };
        let picture = Picture::new(width, height, result).unwrap_or(radiance);
        Ok(Denoised { picture, error })
    }

    /// Returns the denoised image of a GPU as [`denoise`](Self::denoise) does, if the GPU can denoise it: the method
    /// has kernels, and there are too few samples to denoise halves of them. Errors: those of the GPU.
    ///
    /// * `samples` — samples per pixel.
    pub(crate) fn denoise_live(&self, live: &LivePicture, samples: u32) -> Result<Option<Picture>, GpuError> {
        match self.gpu_method().filter(|_| samples < SAMPLES_FOR_HALVES) {
            Some(method) => live.denoised(method, self.demodulates),
            None => Ok(None),
        }
    }

    /// Returns the denoised radiance of the newest frame of a GPU that reuses others; `None` if the method has no
    /// kernels. Errors: those of the GPU.
    pub(crate) fn denoise_reused_on_gpu(&self, reuse: &GpuReuse) -> Result<Option<Picture>, GpuError> {
        match self.gpu_method() {
            Some(method) => reuse.denoised(method, self.demodulates),
            None => Ok(None),
        }
    }

    /// Returns the method on a GPU; `None` if it has no kernels.
    fn gpu_method(&self) -> Option<GpuDenoiseMethod> {
        match self.method {
            Loaded::Features => Some(GpuDenoiseMethod::Features),
            Loaded::Learned(network) => Some(GpuDenoiseMethod::Learned(network)),
            Loaded::Oidn(_) => None,
        }
    }

    /// Returns the denoised radiance of a frame that reuses others. Errors: those of [`denoise`](Self::denoise).
    pub(crate) fn denoise_reused(&self, frame: &ReusedFrame) -> Result<Picture, OidnError> {
        let mut guide = DenoiseGuide::of_reused(frame);
        if !self.demodulates {
            guide.albedo.clear();
        }
        let denoised = self.radiance(&guide, frame.picture.pixels())?;
        let (width, height) = (frame.picture.width(), frame.picture.height());
        Ok(Picture::new(width, height, denoised).unwrap_or_else(|_| frame.picture.clone()))
    }

    /// Returns the channels of a film that this denoiser uses.
    fn guide(&self, film: &Film) -> Result<DenoiseGuide, OidnError> {
        let mut guide = DenoiseGuide::new(film);
        if !self.demodulates {
            guide.albedo.clear();
        }
        match (&self.method, guide.image(film.radiance().pixels())) {
            (Loaded::Oidn(oidn), Ok(image)) => {
                let [albedo, normal] = oidn.prefilter(&image)?;
                Ok(guide.with_features(albedo, normal))
            }
            _ => Ok(guide),
        }
    }

    fn radiance(&self, guide: &DenoiseGuide, radiance: &[Vec3]) -> Result<Vec<Vec3>, OidnError> {
        // A film has at least one pixel, and one value of each channel per pixel
        let Ok(image) = guide.image(radiance) else { return Ok(radiance.to_vec()) };
        Ok(match &self.method {
            Loaded::Features => features::denoise(&image),
            Loaded::Learned(network) => network.denoise(&image),
            Loaded::Oidn(oidn) => oidn.denoise(&image, true)?,
        })
    }
}
