//! Denoising of finished films.

use std::fmt;
use std::str::FromStr;

use sunfleck_denoise::learned::Network;
use sunfleck_denoise::oidn::{Oidn, OidnError};
use sunfleck_denoise::{NoisyImage, combine, features};
use sunfleck_image::{Aov, AovSet, Film, Picture, color};
use sunfleck_math::Vec3;

/// Mean number of samples per pixel from which films are denoised in halves, to find how much of the noisy image to keep.
/// Fewer samples tell too little about it.
const SAMPLES_FOR_HALVES: u64 = 64;

/// Way to remove noise from an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DenoiseMethod {
    /// The best one that is always there: [`Learned`](Self::Learned).
    Auto,
    /// An edge-avoiding filter that is guided by features.
    Features,
    /// A neural network that predicts filters.
    Learned,
    /// Intel Open Image Denoise, a library that has to be installed.
    Oidn,
}

/// A name that is not in [`DenoiseMethod::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no denoiser is called '{0}' (there are auto, features, learned, oidn)")]
pub struct UnknownDenoiseMethod(String);

impl DenoiseMethod {
    /// Every method.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Features, Self::Learned, Self::Oidn];

    /// Returns the name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Features => "features",
            Self::Learned => "learned",
            Self::Oidn => "oidn",
        }
    }
}

impl fmt::Display for DenoiseMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DenoiseMethod {
    type Err = UnknownDenoiseMethod;

    fn from_str(name: &str) -> Result<Self, UnknownDenoiseMethod> {
        Self::ALL.into_iter().find(|m| m.name() == name).ok_or_else(|| UnknownDenoiseMethod(name.to_owned()))
    }
}

/// Denoiser that is ready to use.
pub struct Denoiser {
    method: Loaded,
    /// Whether radiance is divided by albedo.
    demodulates: bool,
}

enum Loaded {
    Features,
    Learned(&'static Network),
    Oidn(Oidn),
}

impl fmt::Debug for Denoiser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Denoiser").field(&self.method().name()).finish()
    }
}

impl Denoiser {
    /// AOVs that a film needs for the best result. Without them the radiance alone is denoised.
    pub const AOVS: AovSet = AovSet::EMPTY.with(Aov::Features);

    /// Loads what a method needs. Errors: [`DenoiseMethod::Oidn`] is not installed, or cannot be used.
    pub fn new(method: DenoiseMethod) -> Result<Self, OidnError> {
        let method = match method {
            DenoiseMethod::Features => Loaded::Features,
            DenoiseMethod::Auto | DenoiseMethod::Learned => Loaded::Learned(Network::finishing()),
            DenoiseMethod::Oidn => Loaded::Oidn(Oidn::open(None)?),
        };
        Ok(Self { method, demodulates: true })
    }

    /// Returns the denoiser for images that do not depend on the albedo of surfaces, such as those of ambient
    /// occlusion, which would get the colours of textures from it.
    #[must_use]
    pub fn without_albedo(self) -> Self {
        Self { demodulates: false, ..self }
    }

    /// Returns the method, which is not [`DenoiseMethod::Auto`].
    pub fn method(&self) -> DenoiseMethod {
        match self.method {
            Loaded::Features => DenoiseMethod::Features,
            Loaded::Learned(_) => DenoiseMethod::Learned,
            Loaded::Oidn(_) => DenoiseMethod::Oidn,
        }
    }

    /// Returns the radiance of a film without noise. With many samples per pixel it converges to that of the film.
    /// Errors: the library fails, as for lack of memory.
    pub fn denoise(&self, film: &Film) -> Result<Picture, OidnError> {
        let guide = Guide::new(film, self.demodulates);
        let radiance = film.radiance();
        let denoised = self.radiance(film, &guide, radiance.pixels())?;
        let samples: u64 = film.sample_counts().iter().map(|&n| u64::from(n)).sum();
        let enough = samples >= SAMPLES_FOR_HALVES * film.sample_counts().len() as u64;
        let result = match film.halves().filter(|_| enough) {
            None => denoised,
            Some(halves) => {
                // Each half has twice the variance
                let guide = Guide { variance: guide.variance.iter().map(|v| 2.0 * v).collect(), ..guide };
                let [a, b] = halves.each_ref().map(|half| self.radiance(film, &guide, half.pixels()));
                let (a, b) = (a?, b?);
                let halves = [(&halves[0], &a), (&halves[1], &b)]
                    .map(|(noisy, denoised)| combine::Half { noisy: noisy.pixels(), denoised });
                combine::blend(film.width(), film.height(), halves, radiance.pixels(), &denoised)
                    .unwrap_or(denoised)
            }
        };
        Ok(Picture::new(film.width(), film.height(), result).unwrap_or(radiance))
    }

    fn radiance(&self, film: &Film, guide: &Guide, radiance: &[Vec3]) -> Result<Vec<Vec3>, OidnError> {
        // A film has at least one pixel, and one value of each channel per pixel
        let Ok(image) = guide.image(film, radiance) else { return Ok(radiance.to_vec()) };
        Ok(match &self.method {
            Loaded::Features => features::denoise(&image),
            Loaded::Learned(network) => network.denoise(&image),
            Loaded::Oidn(oidn) => oidn.denoise(&image, true)?,
        })
    }
}

/// Channels of a film that guide a denoiser; empty if they are not recorded.
struct Guide {
    albedo: Vec<Vec3>,
    normal: Vec<Vec3>,
    depth: Vec<f32>,
    variance: Vec<f32>,
}

impl Guide {
    /// * `with_albedo` — whether the radiance depends on the albedo.
    fn new(film: &Film, with_albedo: bool) -> Self {
        let features = film.features().unwrap_or_default();
        // Of luminance, with fully correlated channels
        let luminance = |variance: &Vec3| {
            let deviation = color::luminance(variance.map(f32::sqrt));
            if deviation.is_finite() { deviation * deviation } else { 0.0 }
        };
        Self {
            albedo: features.iter().filter(|_| with_albedo).map(|f| f.albedo).collect(),
            normal: features.iter().map(|f| f.normal).collect(),
            depth: features.iter().map(|f| f.inverse_distance.recip()).collect(),
            variance: film.variance().pixels().iter().map(luminance).collect(),
        }
    }

    fn image<'a>(
        &'a self,
        film: &Film,
        radiance: &'a [Vec3],
    ) -> Result<NoisyImage<'a>, sunfleck_denoise::NoisyImageError> {
        NoisyImage::new(film.width(), film.height(), radiance)?
            .with_albedo(&self.albedo)?
            .with_normal(&self.normal)?
            .with_depth(&self.depth)?
            .with_variance(&self.variance)
    }
}
