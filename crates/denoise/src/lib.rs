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
