//! Tables of observed and expected sample counts per cell.

use std::fmt::Debug;

use super::{ChiSquare, Failure, quadrature};
use crate::Random;

/// Observed sample counts.
pub(super) struct Observed {
    pub(super) cells: Vec<u32>,
    /// Number of samples that are `None`.
    pub(super) failures: u32,
}

/// Draws the samples and counts them per cell.
pub(super) fn count<V: Copy + Debug>(test: &ChiSquare<'_, V>) -> Result<Observed, Failure> {
    let [columns, rows] = test.domain.cells;
    let mut observed = Observed { cells: vec![0; columns * rows], failures: 0 };
    let mut random = Random::new(test.seed);
    for _ in 0..test.samples {
        match (test.sample)(&mut random) {
            None => observed.failures += 1,
            Some(value) => match test.domain.cell(value) {
                Some(cell) => observed.cells[cell] += 1,
                None => return Err(Failure::OutsideDomain { value: format!("{value:?}") }),
            },
        }
    }
    Ok(observed)
}

/// Returns the expected count of each cell: the integral of the density times the number of samples.
pub(super) fn expect<V: Copy + Debug>(
    test: &ChiSquare<'_, V>,
    observed: &Observed,
) -> Result<Vec<f64>, Failure> {
    let scale = f64::from(test.samples) * test.domain.measure;
    let mut invalid = None;
    let mut density = |point: [f64; 2]| {
        let value = test.domain.value(point);
        let pdf = (test.pdf)(value);
        if !(pdf.is_finite() && pdf >= 0.0) {
            invalid.get_or_insert_with(|| Failure::InvalidPdf { pdf, value: format!("{value:?}") });
            return 0.0;
        }
        f64::from(pdf) * scale
    };
    let expected = observed.cells.iter().enumerate().map(|(cell, &observed)| {
        let observed = f64::from(observed);
        let expected = quadrature::integrate(&mut density, test.domain.bounds(cell), quadrature::QUICK);
        // With such a difference either the quadrature missed a peak, or the density is wrong
        let suspicious = (observed - expected).abs() > 3.0 * expected.sqrt() + 1.0;
        match suspicious {
            true => quadrature::integrate(&mut density, test.domain.bounds(cell), quadrature::THOROUGH),
            false => expected,
        }
    });
    let expected = expected.collect();
    invalid.map_or(Ok(expected), Err)
}
