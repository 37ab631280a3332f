//! Denoisers of rendered images.
//!
//! A [`NoisyImage`] borrows what a renderer knows about an image: its radiance, and the albedo, normal and depth of the
//! first surface that each pixel shows. A denoiser returns the radiance without noise, in the same layout. All images
//! are row by row from the top, in linear Rec.709 RGB.
//!
//! * [`features`] filters without a neural network: fast, but it blurs what features do not show.
//! * [`learned`] runs a small neural network that predicts filters.
//! * [`oidn`] calls Intel Open Image Denoise, if it is installed.
//!
//! [`combine`] blends the result with the noisy image as far as the noise justifies it, so that images converge.
//!
//! All of them are deterministic: results have the same bits on every CPU, whatever the number of threads, except those
//! of Open Image Denoise.
//!
//! ```
//! use sunfleck_denoise::{NoisyImage, features};
//! use sunfleck_math::Vec3;
//!
//! // A wall of radiance 1, with noise between 0 and 2
//! let radiance: Vec<Vec3> = (0..32 * 32).map(|i| Vec3::splat((i * 7919 % 101) as f32 / 50.0)).collect();
//! let albedo = vec![Vec3::splat(0.5); radiance.len()];
//! let image = NoisyImage::new(32, 32, &radiance)?.with_albedo(&albedo)?;
//!
//! let denoised = features::denoise(&image);
//! assert!(denoised[500].abs_diff_eq(Vec3::ONE, 0.1));
//! # Ok::<(), sunfleck_denoise::NoisyImageError>(())
//! ```
#![deny(unsafe_code)]

pub mod combine;
mod demodulation;
pub mod features;
pub mod learned;
mod noisy_image;
pub mod oidn;
mod planes;

#[cfg(test)]
mod testing;

pub use noisy_image::{NoisyImage, NoisyImageError};
