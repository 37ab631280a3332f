//! Image metrics: errors of an image with respect to a reference.
//!
//! Images are linear Rec.709. Sums are in f64, in the order of the pixels. A NaN in either image makes the metric NaN,
//! which no threshold accepts.

mod difference;
mod flip;
mod mse;
mod psnr;
mod regions;
mod relmse;

pub use difference::{difference_picture, signed_difference_picture};
pub use flip::{DEFAULT_PIXELS_PER_DEGREE, FlipMap, flip};
pub use mse::{mse, rmse};
pub use psnr::psnr;
pub use regions::{RegionErrors, mean_relative_error_per_region};
pub use relmse::{relmse, relmse_trimmed};

use crate::Picture;

/// Error: two images of different sizes cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an image of {}×{} pixels cannot be compared with a reference of {}×{}", test.0, test.1, reference.0, reference.1)]
pub struct SizeMismatch {
    /// Width and height of the image.
    pub test: (u32, u32),
    /// Width and height of the reference.
    pub reference: (u32, u32),
}

/// Returns an error if the images have different sizes.
fn check_sizes(test: &Picture, reference: &Picture) -> Result<(), SizeMismatch> {
    let sizes = SizeMismatch {
        test: (test.width(), test.height()),
        reference: (reference.width(), reference.height()),
    };
    if sizes.test == sizes.reference { Ok(()) } else { Err(sizes) }
}

/// Returns the pairs of components of both images, in f64.
fn component_pairs<'a>(test: &'a Picture, reference: &'a Picture) -> impl Iterator<Item = (f64, f64)> + 'a {
    test.pixels().iter().zip(reference.pixels()).flat_map(|(a, b)| {
        let (a, b) = (a.as_dvec3(), b.as_dvec3());
        [(a.x, b.x), (a.y, b.y), (a.z, b.z)]
    })
}
