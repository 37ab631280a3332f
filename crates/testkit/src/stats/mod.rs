//! Sample moments, and statistical tests of estimates against known values and distributions.

mod image_z_test;
mod kolmogorov_smirnov;
mod moments;

pub use image_z_test::{ImageZTest, image_z_test};
pub use kolmogorov_smirnov::kolmogorov_smirnov;
pub use moments::Moments;
