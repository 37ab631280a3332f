use std::sync::{Arc, Mutex, PoisonError};

use sunfleck_denoise::learned::Network;
use sunfleck_image::Picture;
use sunfleck_math::Vec3;

use super::LearnedDenoiser;
use super::guide::{GuideChannels, GuideKernels};
use crate::film::FilmSums;
use crate::{Gpu, GpuError};

/// A denoiser that has kernels.
#[derive(Clone, Copy, Debug)]
pub enum GpuDenoiser {
    /// A neural network that predicts filters: see [`LearnedDenoiser`].
    Learned(&'static Network),
}

/// The denoisers of a GPU that were used so far.
#[derive(Debug, Default)]
pub(crate) struct Denoisers {
    compiled: Mutex<Compiled>,
}

#[derive(Debug, Default)]
struct Compiled {
    guide: Option<GuideKernels>,
    learned: Vec<(&'static Network, LearnedDenoiser)>,
}

impl Denoisers {
    /// Denoises a film; `None` if it has no pixels. Waits until all submitted work is done.
    ///
    /// * `strips` — strips of the film from top to bottom; `size` — width and height of the film.
    pub(crate) fn denoise(
        &self,
        gpu: &Arc<Gpu>,
        denoiser: GpuDenoiser,
        strips: &[&FilmSums],
        size: [u32; 2],
        take: GuideChannels,
    ) -> Result<Option<Picture>, GpuError> {
        let [width, height] = size;
        if width == 0 || height == 0 {
            return Ok(None);
        }
        let Compiled { guide, learned } = &mut *self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let guide = match guide {
            Some(guide) => guide,
            None => guide.insert(GuideKernels::new(gpu)?),
        };
        let GpuDenoiser::Learned(network) = denoiser;
        let known = learned.iter().position(|(own, _)| std::ptr::eq(*own, network));
        let index = match known {
            Some(index) => index,
            None => {
                learned.push((network, LearnedDenoiser::new(gpu, network)?));
                learned.len() - 1
            }
        };
        let (_, denoiser) = &mut learned[index];
        denoiser.set_size(size)?;
        denoiser.submit_with(|noisy| guide.steps(gpu, strips, take, noisy))?;
        let radiance: Vec<Vec3> = denoiser.read()?;
        Ok(Picture::new(width, height, radiance).ok())
    }
}
