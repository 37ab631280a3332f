//! Random numbers and sampling: counter-based generators, low-discrepancy samplers, warps with their densities,
//! tabulated distributions, and weights of multiple importance sampling.
//!
//! Samplers are stateless: every number is a function of (seed, pixel, sample, dimension). An image therefore does not
//! depend on threads or their scheduling, and the numbers of a sample do not depend on the number of samples, so
//! rendering can be continued later. Elementary functions come from `sunfleck_math`, so the bits are the same on every
//! machine.
//!
//! Example: a sampled direction of diffuse reflection.
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
