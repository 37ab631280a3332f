//! Means of images over regions: flicker and errors of whole surfaces count, the noise of single pixels does not.

use sunfleck_image::{Picture, color};

/// Edge of the regions, pixels.
pub(crate) const REGION: u32 = 8;

/// Returns the mean luminance of each region.
pub(crate) fn regions(picture: &Picture) -> Vec<f64> {
    region_means([picture.width(), picture.height()], &luminances(picture))
}

/// Returns the luminance of each pixel.
pub(crate) fn luminances(picture: &Picture) -> Vec<f64> {
    picture.pixels().iter().map(|p| f64::from(color::luminance(*p))).collect()
}

/// Returns the index of the region of a pixel.
pub(crate) fn region_of([width, _]: [u32; 2], pixel: usize) -> usize {
    let (width, region) = (width as usize, REGION as usize);
    pixel / width / region * width.div_ceil(region) + pixel % width / region
}

/// Returns the mean of each region.
pub(crate) fn region_means(size: [u32; 2], values: &[f64]) -> Vec<f64> {
    let count = size.map(|edge| edge.div_ceil(REGION) as usize);
    let mut sums = vec![(0.0, 0u32); count[0] * count[1]];
    for (i, value) in values.iter().enumerate() {
        let (sum, count) = &mut sums[region_of(size, i)];
        *sum += value;
        *count += 1;
    }
    sums.into_iter().map(|(sum, count)| sum / f64::from(count.max(1))).collect()
}
