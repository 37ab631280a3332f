//! The denoisers that are compared, and the time that they take.

use std::time::Instant;

use sunfleck_denoise::oidn::Oidn;
use sunfleck_engine::{DenoiseGuide, DenoiseMethod, Denoiser};
use sunfleck_image::{Film, Picture};

use super::PictureSettings;
use crate::BenchError;

/// Number of timings of each denoiser, of which the least counts.
const TIMINGS: usize = 3;

/// Image of a row: the noisy one, or one that was denoised.
pub(super) struct Restored {
    /// Name of the denoiser; `off` for the noisy image.
    pub(super) denoiser: &'static str,
    /// For Open Image Denoise: whether albedo and normal were denoised first.
    pub(super) prefiltered: Option<bool>,
    pub(super) picture: Picture,
    /// Time of denoising, seconds.
    pub(super) secs: Option<f64>,
}

/// Denoisers that are ready to use.
pub(super) struct LoadedDenoisers {
    own: Vec<(DenoiseMethod, Denoiser)>,
    oidn: Option<Oidn>,
}

impl LoadedDenoisers {
    /// Loads all denoisers. Errors: the library of Open Image Denoise cannot be used.
    pub(super) fn load(settings: &PictureSettings) -> Result<Self, BenchError> {
        let own = settings.denoise.iter().map(|&method| Ok((method, Denoiser::new(method)?)));
        let own = own.collect::<Result<_, BenchError>>()?;
        Ok(Self { own, oidn: settings.oidn.as_deref().map(|path| Oidn::open(Some(path))).transpose()? })
    }

    /// Returns the version of Open Image Denoise, if it is used.
    pub(super) fn oidn_version(&self) -> Option<String> {
        self.oidn.as_ref().map(Oidn::version)
    }

    /// Denoises an image by all of them. For each one the results of its variants are returned.
    ///
    /// Times include reading the channels from the film. Open Image Denoise is used as it is, while [`Denoiser`] keeps
    /// what is good of the noisy image. Errors: a denoiser fails, as for lack of memory.
    pub(super) fn denoise(&self, film: &Film) -> Result<Vec<Vec<Restored>>, BenchError> {
        let own = self.own.iter().map(|(method, denoiser)| {
            let restored = timed(method.name(), None, || Ok(denoiser.denoise(film)?));
            Ok(vec![restored?])
        });
        let oidn = self.oidn.iter().map(|oidn| {
            let variant = |prefilter| timed("oidn", Some(prefilter), || by_oidn(oidn, film, prefilter));
            Ok(vec![variant(false)?, variant(true)?])
        });
        own.chain(oidn).collect()
    }
}

fn timed(
    denoiser: &'static str,
    prefiltered: Option<bool>,
    denoise: impl Fn() -> Result<Picture, BenchError>,
) -> Result<Restored, BenchError> {
    let once = || -> Result<(Picture, f64), BenchError> {
        let start = Instant::now();
        Ok((denoise()?, start.elapsed().as_secs_f64()))
    };
    let (picture, mut secs) = once()?;
    for _ in 1..TIMINGS {
        secs = secs.min(once()?.1);
    }
    Ok(Restored { denoiser, prefiltered, picture, secs: Some(secs) })
}

fn by_oidn(oidn: &Oidn, film: &Film, prefilter: bool) -> Result<Picture, BenchError> {
    let (radiance, mut guide) = (film.radiance(), DenoiseGuide::new(film));
    if prefilter {
        let [albedo, normal] = oidn.prefilter(&guide.image(radiance.pixels())?)?;
        guide = guide.with_features(albedo, normal);
    }
    let denoised = oidn.denoise(&guide.image(radiance.pixels())?, prefilter)?;
    Picture::new(film.width(), film.height(), denoised).map_err(|error| BenchError::Scene(error.to_string()))
}
