//! Stochastic radiosity [Stochastic04, §2]: the radiance of all texels is the fixed point of a random iteration.
//!
//! `L = Lₑ + T L`, where T is the light transport operator. Each iteration applies a random operator T* with
//! `E[T* L] = T L` to the radiance of the previous one, and the results are averaged. T* selects texels in proportion to
//! the power that they send, through a MIP pyramid, and shoots their light along rays of our kernel, see [`Shooting`];
//! the paper has a depth map with a tolerance of 0.05 instead.
//!
//! Surfaces are taken as ideally diffuse, and have two sides. Light is stored as irradiance, so that surfaces with
//! textures can be shown with all detail.

mod averages;
pub(crate) mod direct;
mod elements;
mod hemisphere;
mod map;
mod options;
mod rays;
mod residual;
mod selection;
mod smooth;
mod solver;
#[cfg(test)]
#[allow(clippy::needless_range_loop, clippy::disallowed_methods, reason = "sums of pairs; slopes")]
mod tests;

pub use elements::Elements;
pub use map::{RadiosityMap, TexelValues};
pub use options::{Averaging, Shooting, StochasticOptions};
pub use solver::{StochasticRadiosity, StochasticState};
