//! Subsurface scattering as diffusion: profiles of the light that leaves a plane surface around the point at which it
//! entered.
//!
//! A [`DiffusionMedium`] says how the material scatters and absorbs light. A [`DiffusionProfile`] is its profile
//! `R_d(r)` according to one of the [models](ProfileModel): the radiant exitance at the distance r from the point at
//! which unit flux passed into the medium, per colour channel, in 1/m². Fresnel's transmittances at the points of entry
//! and exit are not contained in it. All lengths are metres.
//!
//! ```
//! use sunfleck_math::Vec3;
//! use sunfleck_shading::subsurface::{DiffusionMedium, DiffusionProfile, ProfileModel, measured_medium};
//!
//! // Marble reflects most of the light, within a few centimetres
//! let marble = measured_medium("marble").expect("a measured material");
//! let profile = DiffusionProfile::new(ProfileModel::Dipole, &marble);
//! assert!(profile.reflectance().abs_diff_eq(Vec3::new(0.83, 0.79, 0.75), 0.01));
//! assert!((0.01..0.1).contains(&profile.radius_containing(0.99)));
//!
//! // Radii are sampled in proportion to the profile, so that the weights of the channels are bounded
//! let r = profile.sample_radius(0.3);
//! let weight = profile.eval(r) / profile.pdf_area(r);
//! assert!(weight.max_element() <= 1.001 * profile.reflectance().element_sum());
//! ```

mod boundary;
mod dipole;
mod measured;
mod medium;
mod model;
mod normalized;
mod profile;
#[cfg(test)]
mod tests;

pub use boundary::DiffuseBoundary;
pub use measured::{MEASURED_MATERIALS, MeasuredMaterial, measured_medium};
pub use medium::DiffusionMedium;
pub use model::ProfileModel;
pub use profile::{ChannelProfile, DiffusionProfile};
