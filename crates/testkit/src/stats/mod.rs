//! Sample moments, and tests of estimates against what is known.

mod image_z_test;
mod kolmogorov_smirnov;
mod moments;

pub use image_z_test::{ImageZTest, image_z_test};
pub use kolmogorov_smirnov::kolmogorov_smirnov;
pub use moments::Moments;
