//! Light stored on surfaces instead of in an image: the meshed atlas and radiosity [Radiosity03, §2–3], [Stochastic04, §2–3].
#![forbid(unsafe_code)]

pub mod atlas;
mod direct;
pub mod hierarchy;
pub mod matrix;
mod reflectance;
pub mod stochastic;
pub mod subsurface;
