use std::sync::{Arc, Mutex, PoisonError};

use sunfleck_denoise::learned::Network;
use sunfleck_image::Picture;

use super::denoiser::GpuDenoiser;
use super::guide::GuideKernels;
use super::noisy_image::KnownChannels;
use crate::film::FilmSums;
use crate::{Gpu, GpuError};

/// A way to remove noise that has kernels.
#[derive(Clone, Copy, Debug)]
pub enum GpuDenoiseMethod {
    /// An edge-avoiding filter that is guided by features.
    Features,
    /// A neural network that predicts filters.
    Learned(&'static Network),
}

impl GpuDenoiseMethod {
    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Features, Self::Features) => true,
            (Self::Learned(own), Self::Learned(other)) => std::ptr::eq(own, other),
            _ => false,
        }
    }
}

/// The denoisers of a GPU that were used so far.
#[derive(Debug, Default)]
pub(crate) struct Denoisers {
    compiled: Mutex<Compiled>,
}

#[derive(Debug, Default)]
struct Compiled {
    guide: Option<GuideKernels>,
    denoisers: Vec<(GpuDenoiseMethod, GpuDenoiser)>,
}

/// A film that is denoised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DenoisedFilm<'a> {
    /// Strips from top to bottom.
    pub(crate) strips: &'a [&'a FilmSums],
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    /// Whether it has features.
    pub(crate) features: bool,
    /// Whether its albedo counts, if it has features.
    pub(crate) albedo: bool,
}

impl Denoisers {
    /// Denoises a film; `None` if it has no pixels. Waits until all submitted work is done.
    pub(crate) fn denoise(
        &self,
        gpu: &Arc<Gpu>,
        method: GpuDenoiseMethod,
        film: &DenoisedFilm<'_>,
    ) -> Result<Option<Picture>, GpuError> {
        let [width, height] = film.size;
        if width == 0 || height == 0 {
            return Ok(None);
        }
        let Compiled { guide, denoisers } =
            &mut *self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let guide = match guide {
            Some(guide) => guide,
            None => guide.insert(GuideKernels::new(gpu)?),
        };
        let index = match denoisers.iter().position(|(own, _)| own.is(method)) {
            Some(index) => index,
            None => {
                denoisers.push((method, compile(gpu, method)?));
                denoisers.len() - 1
            }
        };
        // Arrays of large images would add up
        denoisers.iter_mut().filter(|(own, _)| !own.is(method)).for_each(|(_, other)| other.release());
        let (_, denoiser) = &mut denoisers[index];
        let known = KnownChannels { albedo: film.features && film.albedo, depth: film.features };
        denoiser.prepare(film.size, known)?;
        denoiser.submit_after(|noisy| guide.steps(gpu, film.strips, known, noisy))?;
        Ok(Picture::new(width, height, denoiser.read()?).ok())
    }
}

fn compile(gpu: &Arc<Gpu>, method: GpuDenoiseMethod) -> Result<GpuDenoiser, GpuError> {
    match method {
        GpuDenoiseMethod::Features => GpuDenoiser::features(gpu),
        GpuDenoiseMethod::Learned(network) => GpuDenoiser::learned(gpu, network),
    }
}
