//! The diffusion profile of a medium, averaged over the extents of texels and clusters, as a table.

use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_shading::subsurface::DiffusionProfile;

use super::gaussians::{Gaussians, SMALLEST};

/// Bits of the fraction of an octave of distances and of variances: 16 and 4 bins per octave.
const DISTANCE_BITS: u32 = 4;
const VARIANCE_BITS: u32 = 2;
/// Octaves of the tables.
const OCTAVES: u32 = 40;
const DISTANCES: usize = (OCTAVES as usize) << DISTANCE_BITS;
const VARIANCES: usize = (OCTAVES as usize) << VARIANCE_BITS;

/// Profile `R_d(r)` of a medium, convolved with Gaussians.
///
/// The mean of a profile over two texels is that over all offsets between their points, whose distribution is nearly a
/// Gaussian with the sum of their variances; the same holds for clusters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScatteringKernel {
    /// `VARIANCES + 1` rows of `DISTANCES + 1` values, in 1/m².
    table: Vec<Vec3>,
    /// Unit of variances and squared distances, m².
    unit: f32,
    inverse_unit: f32,
    /// Squared radius that contains half of the light of the narrowest channel, m².
    pub(super) half_light2: f32,
    /// Diffuse reflectance.
    pub(super) reflectance: Vec3,
}

impl ScatteringKernel {
    pub(super) fn new(profile: &DiffusionProfile) -> Self {
        let reflectance = profile.reflectance();
        let visible = profile.channels().iter().filter(|channel| channel.reflectance() > 0.0);
        let narrowest = visible.map(|channel| channel.radius_containing(0.5)).fold(f32::INFINITY, f32::min);
        let half_light2 = if narrowest.is_finite() { narrowest * narrowest } else { 1.0 };
        let unit = (half_light2 * SMALLEST).max(f32::MIN_POSITIVE);
        let fits: Vec<Option<Gaussians>> = profile
            .channels()
            .par_iter()
            .map(|channel| (channel.reflectance() > 0.0).then(|| Gaussians::fit(channel)))
            .collect();
        #[allow(clippy::cast_possible_truncation, reason = "stored in f32")]
        let entry = |i: usize| {
            let (row, column) = (i / (DISTANCES + 1), i % (DISTANCES + 1));
            if column == DISTANCES {
                return Vec3::ZERO;
            }
            let variance = f64::from(unit) * (position(row, VARIANCE_BITS) - 1.0);
            let r2 = (f64::from(unit) + variance) * (position(column, DISTANCE_BITS) - 1.0);
            let value = |c: usize| fits[c].as_ref().map_or(0.0, |fit| fit.smoothed(r2, variance) as f32);
            Vec3::new(value(0), value(1), value(2)) * reflectance
        };
        let table = (0..(VARIANCES + 1) * (DISTANCES + 1)).into_par_iter().map(entry).collect();
        Self { table, unit, inverse_unit: 1.0 / unit, half_light2, reflectance }
    }

    /// Returns the mean of the profile over two extents, in 1/m².
    ///
    /// * `distance2` — squared distance of their means, m².
    /// * `variance` — sum of the variances of their positions, m².
    #[inline(always)]
    pub(super) fn eval(&self, distance2: f32, variance: f32) -> Vec3 {
        let (row, y) = bin(1.0 + variance * self.inverse_unit, VARIANCE_BITS, VARIANCES);
        let (column, x) = bin(1.0 + distance2 / (variance + self.unit), DISTANCE_BITS, DISTANCES);
        let first = row * (DISTANCES + 1) + column;
        let rows = [first, first + DISTANCES + 1].map(|i| self.table[i].lerp(self.table[i + 1], x));
        rows[0].lerp(rows[1], y)
    }

    /// Returns the profile itself, in 1/m².
    #[inline(always)]
    pub(super) fn profile(&self, distance2: f32) -> Vec3 {
        let (column, x) = bin(1.0 + distance2 * self.inverse_unit, DISTANCE_BITS, DISTANCES);
        self.table[column].lerp(self.table[column + 1], x)
    }
}

/// Returns the bin of `x` ≥ 1 and the position in it. Bins divide each octave evenly, as the bits of floats do.
#[inline(always)]
fn bin(x: f32, bits: u32, count: usize) -> (usize, f32) {
    let shift = f32::MANTISSA_DIGITS - 1 - bits;
    let offset = x.to_bits().wrapping_sub(1.0f32.to_bits());
    let bin = (offset >> shift) as usize;
    if bin >= count {
        return (count - 1, 1.0);
    }
    (bin, (offset & ((1 << shift) - 1)) as f32 / (1u32 << shift) as f32)
}

/// Returns where a bin begins.
fn position(bin: usize, bits: u32) -> f64 {
    let shift = f32::MANTISSA_DIGITS - 1 - bits;
    f64::from(f32::from_bits(1.0f32.to_bits() + (u32::try_from(bin).unwrap_or(0) << shift)))
}
