//! Downsampling of images to half their size with a box filter.

use std::ops::{AddAssign, Mul};

use rayon::prelude::*;

/// Returns an image of half the width and height, rounded up, and its size. Its texels are of equal size, and each is
/// the mean of the area that it covers.
///
/// * `value` — value of the texel in a column and a row of the image.
pub(super) fn halved<T>([width, height]: [u32; 2], value: impl Fn(u32, u32) -> T + Sync) -> ([u32; 2], Vec<T>)
where
    T: Copy + Default + Send + AddAssign + Mul<f32, Output = T>,
{
    let size = [width.div_ceil(2), height.div_ceil(2)];
    let columns: Vec<Vec<_>> = (0..size[0]).map(|column| shares(column, width, size[0]).collect()).collect();
    let mut means = vec![T::default(); columns.len() * size[1] as usize];
    means.par_chunks_mut(columns.len()).zip(0..size[1]).for_each(|(means, row)| {
        for (y, y_share) in shares(row, height, size[1]) {
            for (mean, column) in means.iter_mut().zip(&columns) {
                let mut row_sum = T::default();
                for &(x, x_share) in column {
                    row_sum += value(x, y) * (x_share * y_share);
                }
                *mean += row_sum;
            }
        }
    });
    (size, means)
}

/// Resamples `from` texels to `to` texels along one axis: returns the texels that the new texel `index` covers, each
/// with its share of the new texel's width.
#[allow(clippy::cast_possible_truncation, reason = "indices below `from`")]
fn shares(index: u32, from: u32, to: u32) -> impl Iterator<Item = (u32, f32)> {
    // Positions in units of 1 / `to` of an old texel
    let [index, width, to] = [index, from, to].map(u64::from);
    let (start, end) = (index * width, (index + 1) * width);
    (start / to..end.div_ceil(to)).map(move |texel| {
        let covered = end.min((texel + 1) * to) - start.max(texel * to);
        (texel as u32, covered as f32 / width as f32)
    })
}
