//! The residual, which bounds the error of any estimate.

use sunfleck_math::Vec3;

use super::StochasticRadiosity;

/// First iteration number of the residual's random numbers, which no iteration uses.
const FIRST: u32 = 1 << 31;

impl StochasticRadiosity<'_> {
    /// Estimates the norm of the residual `T (Lₑ + R E) + D - E` of the mean irradiance E, where D is the light of lights without surfaces, relative to that of E: the root
    /// mean square over the area. The relative error is at most that divided by `1 - ρ` if no reflectance exceeds ρ.
    ///
    /// Each residual of a random operator is mostly noise, but the inner product of two independent ones has the
    /// expectation of the squared norm. Negative estimates are returned as 0.
    ///
    /// * `pairs` — pairs of random operators that are averaged.
    pub fn residual(&self, pairs: u32) -> f64 {
        let radiance = self.radiance();
        let residual = |i: u32| {
            let mut irradiance = self.arriving(&radiance, FIRST + i);
            for (to, from) in irradiance.iter_mut().zip(self.irradiance()) {
                *to -= *from;
            }
            irradiance
        };
        let mut sums = [0, 1].map(|_| vec![Vec3::ZERO; radiance.len()]);
        for i in 0..2 * pairs.max(1) {
            let sum = &mut sums[usize::from(i % 2 == 1)];
            sum.iter_mut().zip(residual(i)).for_each(|(sum, residual)| *sum += residual);
        }
        let squared = self.elements().inner_product(&sums[0], &sums[1]) / f64::from(pairs.max(1)).powi(2);
        let norm = self.elements().inner_product(self.irradiance(), self.irradiance());
        let ratio = squared / norm;
        if ratio > 0.0 { ratio.sqrt() } else { 0.0 }
    }
}
