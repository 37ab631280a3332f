//! Statistics for the tests of all crates: does a sampler have its pdf, is an estimate biased, do two images differ
//! only by noise?
//!
//! For tests only: other crates list it under `[dev-dependencies]`. Everything is deterministic: a test draws its
//! random numbers from a fixed seed, so it always passes or always fails. Its significance level is the probability
//! that a correct implementation fails for the seed that was chosen.
//!
//! The test of a sampler takes a sample function, its density, and a name for the message:
//!
//! ```
//! use std::f32::consts::{FRAC_1_PI, TAU};
//! use sunfleck_math::{Vec2, Vec3, sin_cos};
//!
//! let cosine_hemisphere = |u: Vec2| {
//!     let (sin_phi, cos_phi) = sin_cos(TAU * u.x);
//!     Vec3::new(u.y.sqrt() * cos_phi, u.y.sqrt() * sin_phi, (1.0 - u.y).sqrt())
//! };
//! sunfleck_testkit::chi2::sphere(cosine_hemisphere, |d: Vec3| d.z.max(0.0) * FRAC_1_PI).check("cosine hemisphere");
//! ```

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "f64 statistics decide whether a test passes; no image depends on them"
)]

pub mod chi2;
mod half_space;
mod incomplete_gamma;
pub mod parameters;
mod random;
pub mod scenes;
pub mod shapes;
pub mod stats;

pub use half_space::HalfSpace;
pub use incomplete_gamma::{chi_square_survival, gamma_p, gamma_q, ln_gamma, normal_two_sided};
pub use random::{Random, Uniforms};
