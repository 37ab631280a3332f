//! Subsurface scattering in real time: three passes over a meshed atlas [Radiosity03, §4].
//!
//! 1. [`direct_irradiance`] gathers the light that arrives at each texel; any other irradiance does as well.
//! 2. [`Links::scatter`] sums the light that leaves: `B_i = ∑ F_ij E_j` over links between texel i and clusters j, which
//!    are texels of the MIP pyramid of the irradiance.
//! 3. [`SubsurfaceLight`] looks the result up where a camera ray meets the surface.
//!
//! [`Links`] depend on geometry and materials alone, so light and camera may change in every frame. [`FixedLevelLinks`]
//! are the paper's other choice, where all texels share the places of their links.
//!
//! The paper saw seams where the clusters of neighbouring texels differ. Here each cluster is divided gradually: see
//! [`Links`].

mod cluster_tree;
mod energy;
mod factors;
mod fixed_level;
mod gaussians;
mod irradiance;
mod kernel;
mod light;
mod links;
mod media;
mod selection;
#[cfg(test)]
mod tests;

pub use fixed_level::FixedLevelLinks;
pub use irradiance::{IrradianceOptions, direct_irradiance};
pub use light::SubsurfaceLight;
pub use links::{LinkBudget, Links};
pub use media::TexelMedia;
