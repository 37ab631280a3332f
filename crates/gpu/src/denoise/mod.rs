//! The GPU counterparts of the denoisers in `sunfleck-denoise`.
//!
//! Results agree with those of the CPU but for rounding. A denoiser keeps its arrays from image to image; another size
//! allocates them again.

mod cache;
mod guide;
mod learned;
mod noisy_image;
mod step;

pub(crate) use cache::Denoisers;
pub use cache::GpuDenoiser;
pub(crate) use guide::GuideChannels;
pub use learned::LearnedDenoiser;
