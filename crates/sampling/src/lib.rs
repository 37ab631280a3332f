//! Random numbers and sampling: counter-based generators, low-discrepancy samplers, warps with their densities,
//! tabulated distributions, and weights of multiple importance sampling.
//!
//! Nothing here has state. Every number is a function of (seed, pixel, sample, dimension), so an image does not
//! depend on which thread computes which part of it, or when; and a sample's numbers do not depend on the number of
//! samples, so rendering can be continued later. Elementary functions come from `sunfleck_math`: the bits are the
//! same everywhere.
//!
//! Example: a direction of reflection at a diffuse surface.
//!
//! ```
//! use sunfleck_sampling::{Sampler, SamplerKind, warp};
//!
//! let sampler = Sampler::new(SamplerKind::Sobol, 0);
//! let (pixel, sample, dimension) = ([12, 7], 3, 8);
//! let direction = warp::cosine_hemisphere(sampler.get_2d(pixel, sample, dimension));
//! let pdf_solid_angle = warp::cosine_hemisphere_pdf(direction);
//! assert!(direction.z >= 0.0 && pdf_solid_angle >= 0.0);
//! ```

#![forbid(unsafe_code)]

pub mod distribution;
pub mod mis;
pub mod rng;
mod sampler;
pub mod warp;

pub use sampler::{Sampler, SamplerKind, UnknownSampler};
