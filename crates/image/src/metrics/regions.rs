use sunfleck_math::DVec3;

use super::{SizeMismatch, check_sizes};
use crate::Picture;

/// Relative errors of the cells of a grid over the image, see [`mean_relative_error_per_region`].
#[derive(Clone, Debug, PartialEq)]
pub struct RegionErrors {
    /// Number of columns of the grid.
    pub columns: u32,
    /// Number of rows of the grid.
    pub rows: u32,
    /// `columns * rows` errors, row by row from the top.
    pub errors: Vec<f64>,
}

impl RegionErrors {
    /// Returns the largest error; NaN if any error is NaN.
    pub fn largest(&self) -> f64 {
        self.errors.iter().fold(0.0, |a: f64, &b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) })
    }
}

/// Returns the relative error of the mean colour of each region of `side * side` pixels (those at the right and bottom
/// may be smaller): `Σ|ā - b̄| / Σ b̄`, with sums over the three channels and the mean `b̄` of the reference.
///
/// Noise averages out in a region, so that the errors reveal bias that per-pixel metrics do not show. The error is 0 if
/// both means are black, and infinite if only the reference is. A side of 0 counts as 1.
pub fn mean_relative_error_per_region(
    test: &Picture,
    reference: &Picture,
    side: u32,
) -> Result<RegionErrors, SizeMismatch> {
    check_sizes(test, reference)?;
    let side = side.max(1);
    let columns = test.width().div_ceil(side);
    let rows = test.height().div_ceil(side);
    let (sums_test, sums_reference) = (sums(test, side, columns, rows), sums(reference, side, columns, rows));
    let error = |(a, b): (&DVec3, &DVec3)| {
        let difference = (*a - *b).abs().element_sum();
        // Two black regions have no error, not 0 / 0
        if difference == 0.0 { 0.0 } else { difference / b.element_sum() }
    };
    let errors = sums_test.iter().zip(&sums_reference).map(error).collect();
    Ok(RegionErrors { columns, rows, errors })
}

/// Returns the sum of the colours of each region. Sums can replace means, since regions have the same number of pixels
/// in both images.
fn sums(picture: &Picture, side: u32, columns: u32, rows: u32) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; columns as usize * rows as usize];
    for (y, row) in (0u32..).zip(picture.rows()) {
        for (x, pixel) in (0u32..).zip(row) {
            sums[(y / side) as usize * columns as usize + (x / side) as usize] += pixel.as_dvec3();
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;

    #[test]
    fn noise_cancels_and_bias_stays() {
        let reference = Picture::new(5, 4, vec![Vec3::ONE; 20]).unwrap();
        // A checkerboard of ± 0.5 for x < 2, 10 % too bright for x = 2 and 3, green too dark in the last column
        let test = Picture::from_fn(5, 4, |x, y| match x {
            0 | 1 => Vec3::splat(if (x + y) % 2 == 0 { 0.5 } else { 1.5 }),
            2 | 3 => Vec3::splat(1.1),
            _ => Vec3::new(1.0, 0.7, 1.0),
        })
        .unwrap();
        let regions = mean_relative_error_per_region(&test, &reference, 2).unwrap();
        assert_eq!((regions.columns, regions.rows), (3, 2));
        for row in regions.errors.chunks(3) {
            assert!(row[0] == 0.0 && (row[1] - 0.1).abs() < 1e-6 && (row[2] - 0.1).abs() < 1e-6, "{row:?}");
        }
        assert!((regions.largest() - 0.1).abs() < 1e-6);
    }

    #[test]
    fn black_has_defined_errors() {
        let black = Picture::new(1, 1, vec![Vec3::ZERO]).unwrap();
        let white = Picture::new(1, 1, vec![Vec3::ONE]).unwrap();
        let error = |a, b| mean_relative_error_per_region(a, b, 8).unwrap().largest();
        assert_eq!(error(&black, &black), 0.0);
        assert_eq!(error(&white, &black), f64::INFINITY);
        assert_eq!(error(&black, &white), 1.0);
    }
}
