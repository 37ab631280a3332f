//! χ² goodness of fit between a sample function and the density that it claims, after Mitsuba's and nori's `ChiSquareTest`.
//!
//! A domain is cut into cells of equal measure. Samples are counted per cell, the density is integrated over each cell,
//! and Pearson's statistic says how unlikely the counts are. What we changed:
//!
//! - Cells with fewer than 5 expected samples are pooled into many groups of at least 5 in place of one, so rare regions keep
//!   some power.
//! - Samplers may fail (`None`), and then the density integrates to less than 1: failures are one more cell, whose
//!   expectation is the missing part. So a density that is wrong by a factor is found, too.
//! - The quadrature is adaptive and looks again where counts and integral disagree, so that edges and peaks need no care.
//!
//! ```no_run
//! # use sunfleck_math::{Vec2, Vec3};
//! # fn sample(wo: Vec3, lobe: f32, u: Vec2) -> Option<Vec3> { None }
//! # fn pdf(wo: Vec3, wi: Vec3) -> f32 { 0.0 }
//! # let wo = Vec3::Z;
//! use sunfleck_testkit::chi2;
//! chi2::sphere(|(lobe, u): (f32, Vec2)| sample(wo, lobe, u), |wi: Vec3| pdf(wo, wi)).tests(3).check("plastic, normal incidence");
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

/// Probability that a right sampler fails, over all [`ChiSquare::tests`] together.
const SIGNIFICANCE: f64 = 0.01;
const SAMPLES: u32 = 500_000;
/// Fraction of the samples that rounding may put where the density is zero.
const STRAY_SAMPLES: f64 = 1e-5;
/// How far from 1 the integral of a density may be by the fault of our quadrature.
const QUADRATURE_ERROR: f64 = 1e-4;
/// How much more than 1 a density in f32 may integrate to.
const EXCESS: f64 = 1e-3;

/// A sample function that draws its own uniforms.
type Sample<'a, V> = Box<dyn Fn(&mut Random) -> Option<V> + 'a>;

/// A test to be run. Made by [`sphere`] and its siblings.
pub struct ChiSquare<'a, V> {
    domain: Domain<'a, V>,
    sample: Sample<'a, V>,
    pdf: Box<dyn Fn(V) -> f32 + 'a>,
    samples: u32,
    tests: u32,
    seed: u64,
}

/// Directions of the whole sphere; density per unit solid angle. Also for hemispherical samplers: it sees what leaves
/// the hemisphere.
pub fn sphere<'a, U: Uniforms, O: Into<Option<Vec3>>>(
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec3) -> f32 + 'a,
) -> ChiSquare<'a, Vec3> {
    ChiSquare::new(Domain::cap(2.0), sample, pdf)
}

/// Directions with z ≥ 0; density per unit solid angle. Another direction fails the test.
pub fn hemisphere<'a, U: Uniforms, O: Into<Option<Vec3>>>(
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec3) -> f32 + 'a,
) -> ChiSquare<'a, Vec3> {
    ChiSquare::new(Domain::cap(1.0), sample, pdf)
}

/// Directions around +z with 1 - z ≤ `one_minus_cos`; density per unit solid angle. Another direction fails the test.
/// For narrow lobes, which fill one cell of the sphere.
pub fn cap<'a, U: Uniforms, O: Into<Option<Vec3>>>(
    one_minus_cos: f32,
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec3) -> f32 + 'a,
) -> ChiSquare<'a, Vec3> {
    ChiSquare::new(Domain::cap(f64::from(one_minus_cos)), sample, pdf)
}

/// Points of [0, 1]²; density per unit area. A point outside fails the test.
pub fn unit_square<'a, U: Uniforms, O: Into<Option<Vec2>>>(
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec2) -> f32 + 'a,
) -> ChiSquare<'a, Vec2> {
    ChiSquare::new(Domain::rectangle(Vec2::ZERO, Vec2::ONE), sample, pdf)
}

/// Points between the corners `min` and `max`; density per unit area. A point outside fails the test.
pub fn rectangle<'a, U: Uniforms, O: Into<Option<Vec2>>>(
    min: Vec2,
    max: Vec2,
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec2) -> f32 + 'a,
) -> ChiSquare<'a, Vec2> {
    ChiSquare::new(Domain::rectangle(min, max), sample, pdf)
}

/// Points of the unit disk; density per unit area. A point outside fails the test.
pub fn unit_disk<'a, U: Uniforms, O: Into<Option<Vec2>>>(
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(Vec2) -> f32 + 'a,
) -> ChiSquare<'a, Vec2> {
    ChiSquare::new(Domain::unit_disk(), sample, pdf)
}

/// Numbers between `min` and `max`; density per unit length. A number outside fails the test.
pub fn interval<'a, U: Uniforms, O: Into<Option<f32>>>(
    min: f32,
    max: f32,
    sample: impl Fn(U) -> O + 'a,
    pdf: impl Fn(f32) -> f32 + 'a,
) -> ChiSquare<'a, f32> {
    ChiSquare::new(Domain::interval(f64::from(min), f64::from(max)), sample, pdf)
}

/// Indices below `count`, and their probabilities. Another index fails the test.
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

    /// How many tests share the significance of 1 % (Šidák's correction): a loop over n cases says n. Default 1.
    #[must_use]
    pub fn tests(mut self, tests: u32) -> Self {
        self.tests = tests;
        self
    }

    /// How many samples to draw; default 500 000. A density wrong by a relative RMS of about `√(3 √cells / samples)`, there 2 %,
    /// is found.
    #[must_use]
    pub fn samples(mut self, samples: u32) -> Self {
        self.samples = samples;
        self
    }

    /// How many cells to cut the domain into: columns (azimuths on spheres and disks) and rows.
    #[must_use]
    pub fn cells(mut self, columns: usize, rows: usize) -> Self {
        self.domain.cells = [columns, rows];
        self
    }

    /// Other random numbers; default seed 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Runs the test.
    ///
    /// # Panics
    /// If the samples do not have the density, with both tables in short form.
    #[track_caller]
    pub fn check(&self, name: &str) {
        if let Err(failure) = self.test() {
            panic!("χ² test of '{name}': {failure}");
        }
    }

    /// Runs the test; gives the p-value.
    ///
    /// # Errors
    /// Says how the samples do not have the density.
    pub fn test(&self) -> Result<f64, Failure> {
        let observed = tally::count(self)?;
        let expected = tally::expect(self, &observed)?;
        let samples = f64::from(self.samples);

        // Counts of failures complete the two tables, so that both sum to the number of samples
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

        // Where the density is zero, there are no samples
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
