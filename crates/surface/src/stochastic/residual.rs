//! The residual, which bounds the error of any estimate.

use sunfleck_math::Vec3;
use sunfleck_sampling::{Sampler, SamplerKind};

use super::StochasticRadiosity;

/// Differences of the seeds of the two samplers from that of the iterations: points of one sequence are not independent.
const SEEDS: [u32; 2] = [0x5a3d_91c7, 0xa5c2_6e38];

impl StochasticRadiosity<'_> {
    /// Estimates the residual `T (Lₑ + R E) + D - E` of the mean irradiance E of all elements twice, independently. D is
    /// the light of lights without surfaces.
    ///
    /// * `operators` — random operators that each estimate is the mean of.
    pub fn residuals(&self, operators: u32) -> [Vec<Vec3>; 2] {
        let radiance = self.radiance();
        let share = 1.0 / operators.max(1) as f32;
        SEEDS.map(|seed| {
            let sampler = Sampler::new(SamplerKind::Sobol, self.options().seed ^ seed);
            let mut mean: Vec<Vec3> = self.irradiance().iter().map(|irradiance| -*irradiance).collect();
            for i in 0..operators.max(1) {
                let arriving = self.arriving(&sampler, &radiance, i);
                mean.iter_mut().zip(arriving).for_each(|(mean, arriving)| *mean += arriving * share);
            }
            mean
        })
    }

    /// Estimates the norm of the residual relative to that of the irradiance: the root mean square over the area. The
    /// relative error is at most that divided by `1 - ρ` if no reflectance exceeds ρ.
    ///
    /// Each residual of a random operator is mostly noise, but the inner product of two independent ones has the
    /// expectation of the squared norm. Negative estimates are returned as 0.
    ///
    /// * `pairs` — pairs of random operators that are averaged.
    pub fn residual(&self, pairs: u32) -> f64 {
        let [first, second] = self.residuals(pairs);
        let norm = self.elements().inner_product(self.irradiance(), self.irradiance());
        let ratio = self.elements().inner_product(&first, &second) / norm;
        if ratio > 0.0 { ratio.sqrt() } else { 0.0 }
    }
}
