//! χ² goodness-of-fit test of a sample function against its density, after Mitsuba's and nori's `ChiSquareTest`.
//!
//! A domain is divided into cells of equal measure. Samples are counted per cell, the density is integrated over each
//! cell, and Pearson's statistic tells how unlikely the counts are. Differences from Mitsuba and nori:
//!
//! - Cells that expect fewer than 5 samples are pooled into many groups of at least 5 instead of a single one, so that
//!   the test keeps some power in rarely sampled regions.
//! - Samplers may fail (`None`), in which case the density integrates to less than 1: failures are counted in an
//!   additional cell, whose expectation is the missing part. A density that is wrong by a constant factor is therefore
//!   found, too.
//! - The quadrature is adaptive, and refined where counts and integral disagree, so that discontinuities and peaks need
//!   no special treatment.
//!
//! ```no_run
//! # use sunfleck_math::{Vec2, Vec3};
//! # fn sample(wo: Vec3, lobe: f32, u: Vec2) -> Option<Vec3> { None }
//! # fn pdf(wo: Vec3, wi: Vec3) -> f32 { 0.0 }
//! # let wo = Vec3::Z;
//! use sunfleck_testkit::chi2;
//! let sample_direction = |(lobe, u): (f32, Vec2)| sample(wo, lobe, u);
//! chi2::sphere(sample_direction, |wi: Vec3| pdf(wo, wi)).tests(3).check("plastic, normal incidence");
//! ```

mod domain;
mod failure;
mod pooling;
mod quadrature;
mod tally;

use std::fmt;

use sunfleck_math::{Vec2, Vec3};

use crate::{Random, Uniforms, chi_square_survival};
use domain::Domain;
pub use failure::Failure;
use pooling::Group;

/// Probability that a correct sampler fails any of its [`ChiSquare::tests`].
const SIGNIFICANCE: f64 = 0.01;
const SAMPLES: u32 = 500_000;
/// Fraction of the samples that rounding may move to where the density is zero.
const STRAY_SAMPLES: f64 = 1e-5;
/// Error of the quadrature in the integral of a density over the whole domain.
const QUADRATURE_ERROR: f64 = 1e-4;
/// Tolerance by which the integral of a density in f32 may exceed 1.
const EXCESS: f64 = 1e-3;

/// Sample function that draws its own random numbers.
type Sample<'a, V> = Box<dyn Fn(&mut Random) -> Option<V> + 'a>;

/// Configuration of a χ² test. Made by [`sphere`], [`hemisphere`], [`cap`] and the other functions of this module.
pub struct ChiSquare<'a, V> {
    domain: Domain<'a, V>,
    sample: Sample<'a, V>,
    pdf: Box<dyn Fn(V) -> f32 + 'a>,
    samples: u32,
    tests: u32,
    seed: u64,
}

/// Tests a sampler of directions on the whole sphere, with a density per unit solid angle. Hemispherical samplers may
/// be tested with it, too: samples that leave the hemisphere are found.
pub fn sphere<'a, U: Uniforms, O: Into<Option<Vec3>>>(
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec3) -> f32 + 'a,
) -> ChiSquare<'a, Vec3> {
    ChiSquare::new(Domain::cap(2.0), sample, pdf)
}

/// Tests a sampler of directions with z ≥ 0, with a density per unit solid angle. Any other direction fails the test.
pub fn hemisphere<'a, U: Uniforms, O: Into<Option<Vec3>>>(
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec3) -> f32 + 'a,
) -> ChiSquare<'a, Vec3> {
    ChiSquare::new(Domain::cap(1.0), sample, pdf)
}

/// Tests a sampler of directions around +z with 1 - z ≤ `one_minus_cos`, with a density per unit solid angle. Any other
/// direction fails the test. Meant for narrow lobes, which would lie in one cell of the sphere.
pub fn cap<'a, U: Uniforms, O: Into<Option<Vec3>>>(
    one_minus_cos: f32,
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec3) -> f32 + 'a,
) -> ChiSquare<'a, Vec3> {
    ChiSquare::new(Domain::cap(f64::from(one_minus_cos)), sample, pdf)
}

/// Tests a sampler of points of [0, 1]², with a density per unit area. A point outside fails the test.
pub fn unit_square<'a, U: Uniforms, O: Into<Option<Vec2>>>(
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec2) -> f32 + 'a,
) -> ChiSquare<'a, Vec2> {
    ChiSquare::new(Domain::rectangle(Vec2::ZERO, Vec2::ONE), sample, pdf)
}

/// Tests a sampler of points between the corners `min` and `max`, with a density per unit area. A point outside fails
/// the test.
pub fn rectangle<'a, U: Uniforms, O: Into<Option<Vec2>>>(
    min: Vec2,
    max: Vec2,
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec2) -> f32 + 'a,
) -> ChiSquare<'a, Vec2> {
    ChiSquare::new(Domain::rectangle(min, max), sample, pdf)
}

/// Tests a sampler of points of the unit disk, with a density per unit area. A point outside fails the test.
pub fn unit_disk<'a, U: Uniforms, O: Into<Option<Vec2>>>(
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec2) -> f32 + 'a,
) -> ChiSquare<'a, Vec2> {
    ChiSquare::new(Domain::unit_disk(), sample, pdf)
}

/// Tests a sampler of numbers between `min` and `max`, with a density per unit length. A number outside fails the test.
pub fn interval<'a, U: Uniforms, O: Into<Option<f32>>>(
    min: f32,
    max: f32,
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(f32) -> f32 + 'a,
) -> ChiSquare<'a, f32> {
    ChiSquare::new(Domain::interval(f64::from(min), f64::from(max)), sample, pdf)
}

/// Tests a sampler of indices below `count` against their probabilities. Any other index fails the test.
pub fn discrete<'a, U: Uniforms, O: Into<Option<usize>>>(
    count: usize,
    sample: impl Fn(U) -> O + 'a,
    pmf: impl Fn(usize) -> f32 + 'a,
) -> ChiSquare<'a, usize> {
    ChiSquare::new(Domain::indices(count), sample, pmf)
}

impl<'a, V: Copy + fmt::Debug> ChiSquare<'a, V> {
    fn new<U: Uniforms, O: Into<Option<V>>>(
        domain: Domain<'a, V>,
        sample: impl Fn(U) -> O + 'a,
        pdf: impl Fn(V) -> f32 + 'a,
    ) -> Self {
        let sample = Box::new(move |random: &mut Random| sample(U::draw(random)).into());
        Self { domain, sample, pdf: Box::new(pdf), samples: SAMPLES, tests: 1, seed: 0 }
    }

    /// Sets the number of tests that share the significance of 1 % (Šidák's correction): n for each test of a loop over
    /// n cases. Default 1.
    #[must_use]
    pub fn tests(mut self, tests: u32) -> Self {
        self.tests = tests;
        self
    }

    /// Sets the number of samples to draw; default 500 000. The test finds relative RMS errors of the density above
    /// about `√(3 √cells / samples)`, which is 2 % by default.
    #[must_use]
    pub fn samples(mut self, samples: u32) -> Self {
        self.samples = samples;
        self
    }

    /// Sets the number of cells of the domain: columns (azimuths on spheres and disks) and rows.
    #[must_use]
    pub fn cells(mut self, columns: usize, rows: usize) -> Self {
        self.domain.cells = [columns, rows];
        self
    }

    /// Sets the seed of the random numbers; default 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Runs the test.
    ///
    /// # Panics
    /// If the samples do not have the density. The message shows the tables of observed and expected counts.
    #[track_caller]
    pub fn check(&self, name: &str) {
        if let Err(failure) = self.test() {
            panic!("χ² test of '{name}': {failure}");
        }
    }

    /// Runs the test and returns the p-value.
    ///
    /// # Errors
    /// The samples do not have the density; [`Failure`] says why.
    pub fn test(&self) -> Result<f64, Failure> {
        let observed = tally::count(self)?;
        let expected = tally::expect(self, &observed)?;
        let samples = f64::from(self.samples);

        // With a cell for failures, both tables sum to the number of samples
        let mut cells: Vec<Group> = observed
            .cells
            .iter()
            .zip(&expected)
            .map(|(&observed, &expected)| Group { observed: f64::from(observed), expected })
            .collect();
        let missing = 1.0 - expected.iter().sum::<f64>() / samples;
        if missing < -EXCESS {
            return Err(Failure::ExcessivePdf { integral: 1.0 - missing });
        }
        if observed.failures > 0 || missing > QUADRATURE_ERROR {
            cells
                .push(Group { observed: f64::from(observed.failures), expected: missing.max(0.0) * samples });
        }

        // There must be no samples where the density is zero
        let (impossible, possible): (Vec<Group>, Vec<Group>) = cells.iter().partition(|c| c.expected <= 0.0);
        let strays: f64 = impossible.iter().map(|c| c.observed).sum();
        if strays > samples * STRAY_SAMPLES {
            let tables = failure::tables(&self.domain, &observed, &expected);
            return Err(Failure::ImpossibleSamples { count: strays, failures: observed.failures, tables });
        }

        // Pearson's statistic, with one degree of freedom lost to the known sum
        let groups = pooling::pool(possible);
        if groups.len() < 2 {
            return Err(Failure::TooFewGroups { groups: groups.len() });
        }
        let statistic: f64 = groups.iter().map(|g| (g.observed - g.expected).powi(2) / g.expected).sum();
        let degrees_of_freedom = (groups.len() - 1) as f64;
        let p_value = chi_square_survival(statistic, degrees_of_freedom);
        let significance = 1.0 - (1.0 - SIGNIFICANCE).powf(1.0 / f64::from(self.tests.max(1)));
        if p_value >= significance {
            return Ok(p_value);
        }
        let tables = failure::tables(&self.domain, &observed, &expected);
        Err(Failure::Mismatch { statistic, degrees_of_freedom, p_value, significance, tables })
    }
}

impl<V> fmt::Debug for ChiSquare<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { domain, samples, tests, seed, .. } = self;
        let mut out = f.debug_struct("ChiSquare");
        out.field("domain", domain).field("samples", samples).field("tests", tests).field("seed", seed);
        out.finish_non_exhaustive()
    }
}
