use std::fmt::Write as _;

use super::domain::Domain;
use super::tally::Observed;

/// Reason why a sample function and a density do not match.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// A sample is not in the domain.
    #[error("the sample {value} is outside the domain")]
    OutsideDomain {
        /// The sample.
        value: String,
    },
    /// The density is negative, infinite or NaN.
    #[error("the pdf is {pdf} at {value}")]
    InvalidPdf {
        /// The density.
        pdf: f32,
        /// The sample at which it was evaluated.
        value: String,
    },
    /// The density integrates to more than 1.
    #[error("the pdf integrates to {integral:.5}, more than 1")]
    ExcessivePdf {
        /// The integral.
        integral: f64,
    },
    /// Samples lie where the density is zero, or fail although the density integrates to 1.
    #[error("the pdf is 0 at {count} samples ({failures} samples failed)\n{tables}")]
    ImpossibleSamples {
        /// Number of such samples, failures included.
        count: f64,
        /// Number of samples that failed.
        failures: u32,
        /// Tables of observed and expected counts.
        tables: String,
    },
    /// The counts cannot be tested: the density is concentrated in one cell, or there are too few samples.
    #[error("only {groups} group(s) of cells expect 5 samples: use more samples or other cells")]
    TooFewGroups {
        /// Number of groups of cells that expect at least 5 samples.
        groups: usize,
    },
    /// The counts do not fit the density.
    #[error(
        "χ² = {statistic:.1} for {degrees_of_freedom} degrees of freedom: p = {p_value:.2e}, less than {significance:.2e}\n{tables}"
    )]
    Mismatch {
        /// Pearson's statistic.
        statistic: f64,
        /// Groups of cells, less one.
        degrees_of_freedom: f64,
        /// Probability of such a statistic or a larger one if the density is right.
        p_value: f64,
        /// Minimum p-value to pass.
        significance: f64,
        /// Tables of observed and expected counts.
        tables: String,
    },
}

/// Maximum number of columns and rows of a printed table.
const SHORT: [usize; 2] = [8, 8];
/// Number of cells that are listed.
const WORST: usize = 8;

/// Formats the tables of observed and expected counts, with neighbouring cells added up, and the cells that differ
/// most.
pub(super) fn tables<V: Copy>(domain: &Domain<'_, V>, observed: &Observed, expected: &[f64]) -> String {
    let [columns, rows] = domain.cells;
    let [short_columns, short_rows] = [columns.min(SHORT[0]), rows.min(SHORT[1])];
    let mut short = vec![[0.0; 2]; short_columns * short_rows];
    for (cell, (&observed, expected)) in observed.cells.iter().zip(expected).enumerate() {
        let (column, row) = (cell % columns * short_columns / columns, cell / columns * short_rows / rows);
        let [sum_observed, sum_expected] = &mut short[row * short_columns + column];
        *sum_observed += f64::from(observed);
        *sum_expected += expected;
    }

    let mut text = format!("{columns} × {rows} cells, added up; {} failures\n", observed.failures);
    for (title, which) in [("observed", 0), ("expected", 1)] {
        let _ = writeln!(text, "{title}:");
        for row in short.chunks(short_columns) {
            let line: String = row.iter().map(|sums| format!("{:9.0}", sums[which])).collect();
            let _ = writeln!(text, "{line}");
        }
    }

    let mut worst: Vec<(usize, f64)> = expected
        .iter()
        .enumerate()
        .map(|(cell, e)| (cell, (f64::from(observed.cells[cell]) - e).powi(2) / e.max(1.0)))
        .collect();
    worst.sort_by(|a, b| b.1.total_cmp(&a.1));
    let _ = writeln!(text, "worst cells (column, row: observed, expected):");
    for (cell, _) in worst.into_iter().take(WORST) {
        let (column, row) = (cell % columns, cell / columns);
        let _ = writeln!(text, "  {column:3}, {row:3}: {:8}, {:10.1}", observed.cells[cell], expected[cell]);
    }
    text
}
