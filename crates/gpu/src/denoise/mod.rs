//! The GPU counterparts of the denoisers in `sunfleck-denoise`. Results agree with those of the CPU but for rounding.

mod cache;
mod denoiser;
mod features;
mod guide;
mod learned;
mod noisy_image;
mod step;
mod workspace;

pub use cache::GpuDenoiseMethod;
pub(crate) use cache::{DenoisedFilm, Denoisers};
pub use denoiser::GpuDenoiser;
