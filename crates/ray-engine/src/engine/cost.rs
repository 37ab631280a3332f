//! Cost model of the backends, fitted to measured times: that of [RayEngine02, Eq. 9–11] with today's stages.
//!
//! The paper's `GPU(R, T) = T·R / fill + R·γ / readback` has a rate for each stage. This model has a rate and a fixed
//! cost for each of three stages: upload, dispatch with traversal, and read-back. The paper's `CPU(R, T)`, for which it
//! gives only a bound, is measured in the same way.

use sunfleck_gpu::RayQuery;

/// Time for a load of rays: a fixed part, and one proportional to the number of rays.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Fixed part in seconds.
    pub fixed_s: f64,
    /// Seconds per ray.
    pub ray_s: f64,
}

impl Cost {
    /// Returns the seconds for `rays` rays.
    pub fn of(&self, rays: usize) -> f64 {
        self.fixed_s + self.ray_s * rays as f64
    }
}

/// Costs of one query as measured so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    /// Upload: the CPU writes rays into memory that the GPU reads.
    pub upload: Cost,
    /// Tracing: the GPU copies and traces rays.
    pub trace: Cost,
    /// Read-back: the CPU reads the answers.
    pub read_back: Cost,
    /// One CPU core traces rays.
    pub core: Cost,
}

impl Costs {
    /// Returns the seconds until the GPU has answered `rays` rays with others `ahead` of them. Stages of different
    /// loads overlap, so those ahead cost the time of the slowest stage.
    pub fn gpu_s(&self, ahead: usize, rays: usize) -> f64 {
        let stages = [self.upload, self.trace, self.read_back];
        let slowest = stages.iter().map(|stage| stage.ray_s).fold(0.0, f64::max);
        stages.iter().map(|stage| stage.of(rays)).sum::<f64>() + slowest * ahead as f64
    }

    /// Returns the seconds until a CPU core has answered `rays` rays, if all cores share the rays `ahead` of them.
    pub fn cores_s(&self, cores: usize, ahead: usize, rays: usize) -> f64 {
        self.core.of(rays) + self.core.ray_s * ahead as f64 / cores.max(1) as f64
    }
}

/// Seconds that the stages of a load took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StageTimes {
    pub(crate) upload_s: f64,
    pub(crate) trace_s: f64,
    pub(crate) read_back_s: f64,
}

/// Costs of both queries, fitted to running measurements.
#[derive(Clone, Debug)]
pub(crate) struct CostModel {
    closest: QueryCosts,
    any: QueryCosts,
}

#[derive(Clone, Debug)]
struct QueryCosts {
    upload: CostFit,
    trace: CostFit,
    read_back: CostFit,
    core: CostFit,
}

impl CostModel {
    /// Returns estimates that hold until the first measurement: a bus of 10 GB/s, 100 million rays per second on the
    /// GPU, a million per second on a core.
    pub(crate) fn new() -> Self {
        let guess = |fixed_s, ray_s| CostFit::new(Cost { fixed_s, ray_s });
        let query_costs = QueryCosts {
            upload: guess(1e-5, 3.2e-9),
            trace: guess(2e-4, 1e-8),
            read_back: guess(1e-5, 2e-9),
            core: guess(1e-5, 1e-6),
        };
        Self { closest: query_costs.clone(), any: query_costs }
    }

    fn query_costs(&mut self, query: RayQuery) -> &mut QueryCosts {
        match query {
            RayQuery::Closest => &mut self.closest,
            RayQuery::Any => &mut self.any,
        }
    }

    pub(crate) fn costs(&self, query: RayQuery) -> Costs {
        let query_costs = match query {
            RayQuery::Closest => &self.closest,
            RayQuery::Any => &self.any,
        };
        Costs {
            upload: query_costs.upload.cost,
            trace: query_costs.trace.cost,
            read_back: query_costs.read_back.cost,
            core: query_costs.core.cost,
        }
    }

    /// Records rays traced on the GPU.
    pub(crate) fn gpu_took(&mut self, query: RayQuery, rays: usize, times: StageTimes) {
        let query_costs = self.query_costs(query);
        query_costs.upload.learn(rays, times.upload_s);
        query_costs.trace.learn(rays, times.trace_s);
        query_costs.read_back.learn(rays, times.read_back_s);
    }

    /// Records rays traced on a core.
    pub(crate) fn core_took(&mut self, query: RayQuery, rays: usize, seconds: f64) {
        self.query_costs(query).core.learn(rays, seconds);
    }
}

/// Factor by which the weights of earlier measurements decay: about the last twenty count.
const KEPT: f64 = 0.95;

/// Number of rays above which the relative error of a load is minimised; smaller loads have about equal weights.
const SMALL: f64 = 256.0;

/// Relative standard deviation of the load sizes below which the fixed part cannot be determined.
const SAME_SIZE: f64 = 0.05;

/// Fits a [`Cost`] to measurements by least squares whose weights decay.
#[derive(Clone, Copy, Debug)]
struct CostFit {
    cost: Cost,
    /// Sums of weights, rays, seconds, rays squared, rays times seconds.
    w: f64,
    n: f64,
    t: f64,
    nn: f64,
    nt: f64,
}

impl CostFit {
    fn new(guess: Cost) -> Self {
        Self { cost: guess, w: 0.0, n: 0.0, t: 0.0, nn: 0.0, nt: 0.0 }
    }

    fn learn(&mut self, rays: usize, seconds: f64) {
        if rays == 0 || !seconds.is_finite() {
            return;
        }
        let n = rays as f64;
        let w = (n + SMALL).powi(-2);
        for (sum, new) in [
            (&mut self.w, w),
            (&mut self.n, w * n),
            (&mut self.t, w * seconds),
            (&mut self.nn, w * n * n),
            (&mut self.nt, w * n * seconds),
        ] {
            *sum = *sum * KEPT + new;
        }
        self.cost = self.fit();
    }

    fn fit(&self) -> Cost {
        let (mean_n, mean_t) = (self.n / self.w, self.t / self.w);
        let variance = self.nn / self.w - mean_n * mean_n;
        let fixed_s = if variance < (SAME_SIZE * mean_n).powi(2) {
            // For loads of equal size, the fixed part is kept, but at most half of the mean time, so that the cost per
            // ray stays positive
            self.cost.fixed_s.min(mean_t * 0.5)
        } else {
            let slope = (self.nt / self.w - mean_n * mean_t) / variance;
            (mean_t - slope * mean_n).clamp(0.0, mean_t)
        };
        Cost { fixed_s, ray_s: (self.nt - fixed_s * self.n).max(0.0) / self.nn }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_sampling::rng;

    fn load(i: u32) -> usize {
        100 + rng::pcg4d([i, 1, 0, 0])[0] as usize % 100_000
    }

    /// Asserts that costs, measured with 1 % of noise, are within 10 % of those expected.
    fn assert_near(found: Cost, expected: Cost) {
        let near = |a: f64, b: f64| (a - b).abs() <= 0.1 * b;
        let both = near(found.ray_s, expected.ray_s) && near(found.fixed_s, expected.fixed_s);
        assert!(both, "{found:?} for {expected:?}");
    }

    #[test]
    fn costs_are_learned_and_follow_changes() {
        let mut model = CostModel::new();
        let mut time = |from: u32, expected: Cost| {
            for i in from..from + 200 {
                let noise = 1.0 + 0.02 * (f64::from(rng::uniform([i, 2, 0, 0])) - 0.5);
                model.core_took(RayQuery::Any, load(i), expected.of(load(i)) * noise);
            }
            model.costs(RayQuery::Any).core
        };
        let slow = Cost { fixed_s: 3e-4, ray_s: 2e-7 };
        assert_near(time(0, slow), slow);
        let fast = Cost { fixed_s: 5e-5, ray_s: 1e-8 };
        assert_near(time(1000, fast), fast);
        assert_eq!(model.costs(RayQuery::Closest).core, CostModel::new().costs(RayQuery::Closest).core);
    }

    #[test]
    fn loads_of_one_size_determine_the_cost_of_such_loads() {
        let mut model = CostModel::new();
        let times = StageTimes { upload_s: 1e-3, trace_s: 4e-3, read_back_s: 2e-3 };
        (0..100).for_each(|_| model.gpu_took(RayQuery::Closest, 10_000, times));
        let costs = model.costs(RayQuery::Closest);
        assert!((costs.gpu_s(0, 10_000) - 7e-3).abs() < 1e-5, "{costs:?}");
        let more = costs.gpu_s(20_000, 10_000) - costs.gpu_s(0, 10_000);
        assert!((more - 2.0 * (4e-3 - costs.trace.fixed_s)).abs() < 1e-6, "traversal is the slowest stage");
    }

    #[test]
    fn costs_are_never_negative() {
        let mut model = CostModel::new();
        // Larger loads take less time, so no line fits
        for (rays, seconds) in [(100, 1e-3), (10_000, 1e-4), (100_000, 1e-5), (0, 1.0), (5, f64::NAN)] {
            model.core_took(RayQuery::Closest, rays, seconds);
        }
        let Cost { fixed_s, ray_s } = model.costs(RayQuery::Closest).core;
        assert!(fixed_s >= 0.0 && ray_s >= 0.0 && fixed_s.is_finite() && ray_s.is_finite());
    }
}
