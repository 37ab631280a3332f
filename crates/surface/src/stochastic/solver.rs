//! The random iteration.

use sunfleck_math::Vec3;
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_transport::World;

use super::averages::Mean;
use super::selection::Selection;
use super::{Averaging, Elements, RadiosityMap, Shooting, StochasticOptions, direct, hemisphere, rays};
use crate::atlas::Atlas;

/// Stochastic radiosity of a world. All results are functions of world, atlas, options and number of iterations, with
/// the same bits for every number of threads.
#[derive(Debug)]
pub struct StochasticRadiosity<'a> {
    world: &'a World,
    atlas: &'a Atlas,
    elements: Elements,
    options: StochasticOptions,
    sampler: Sampler,
    mean: Mean,
    /// Irradiance of the last iterate.
    last: Vec<Vec3>,
}

/// Light that a solver has gathered, without the world and the atlas that it borrows.
#[derive(Clone, Debug)]
pub struct StochasticState {
    elements: Elements,
    mean: Mean,
    last: Vec<Vec3>,
}

impl StochasticState {
    /// Returns the number of iterations so far.
    pub fn iterations(&self) -> u32 {
        self.mean.count
    }
}

impl<'a> StochasticRadiosity<'a> {
    /// Makes a solver whose surfaces have their emission only.
    ///
    /// * `atlas` — that of the world.
    pub fn new(world: &'a World, atlas: &'a Atlas, options: StochasticOptions) -> Self {
        let elements = Elements::new(world, atlas);
        let len = 2 * elements.texels();
        let state = StochasticState { elements, mean: Mean::zero(len), last: vec![Vec3::ZERO; len] };
        Self::resume(world, atlas, options, state)
    }

    /// Continues where a solver of this world, atlas and options stopped, to the bits of one that never stopped.
    pub fn resume(
        world: &'a World,
        atlas: &'a Atlas,
        options: StochasticOptions,
        state: StochasticState,
    ) -> Self {
        let StochasticState { elements, mean, last } = state;
        let sampler = Sampler::new(SamplerKind::Sobol, options.seed);
        Self { world, atlas, elements, options, sampler, mean, last }
    }

    /// Stops, to be resumed later.
    pub fn into_state(self) -> StochasticState {
        let Self { elements, mean, last, .. } = self;
        StochasticState { elements, mean, last }
    }

    /// Returns the texels with their materials.
    pub fn elements(&self) -> &Elements {
        &self.elements
    }

    pub(super) fn atlas(&self) -> &Atlas {
        self.atlas
    }

    pub(super) fn options(&self) -> &StochasticOptions {
        &self.options
    }

    /// Returns the number of iterations so far.
    pub fn iterations(&self) -> u32 {
        self.mean.count
    }

    /// Computes more iterations.
    pub fn iterate(&mut self, count: u32) {
        for _ in 0..count {
            let from = match self.options.averaging {
                Averaging::RunningMean => &self.mean.mean,
                Averaging::Iterates => &self.last,
            };
            let radiance = self.elements.radiance(from);
            let irradiance = self.arriving(&self.sampler, &radiance, self.mean.count);
            self.mean.add(&irradiance);
            self.last = irradiance;
        }
    }

    /// Computes iterations until the [error](Self::error) is small enough, at most `most`. Returns the error.
    ///
    /// * `tolerance` — relative, such as 0.01.
    pub fn iterate_until(&mut self, tolerance: f64, most: u32) -> f64 {
        let is_accurate = |solver: &Self| solver.iterations() >= 4 && solver.error() <= tolerance;
        while self.iterations() < most && !is_accurate(self) {
            // The error is computed seldom, since it needs as much memory traffic as an iteration
            self.iterate((self.iterations() / 8).max(2).min(most - self.iterations()));
        }
        self.error()
    }

    /// Returns the irradiance of all elements by the radiance of all elements, and by lights without surfaces.
    pub(super) fn arriving(&self, sampler: &Sampler, radiance: &[Vec3], iteration: u32) -> Vec<Vec3> {
        let mut irradiance = self.transport(sampler, radiance, iteration);
        direct::add(self.world, self.atlas, sampler, iteration, &mut irradiance);
        irradiance
    }

    /// Returns the irradiance of all elements by a random operator whose expectation is that of light transport.
    ///
    /// * `radiance` — of all elements.
    /// * `iteration` — selects the random numbers.
    pub fn random_transport(&self, radiance: &[Vec3], iteration: u32) -> Vec<Vec3> {
        self.transport(&self.sampler, radiance, iteration)
    }

    fn transport(&self, sampler: &Sampler, radiance: &[Vec3], iteration: u32) -> Vec<Vec3> {
        let Self { world, atlas, elements, options, .. } = self;
        let Some(selection) = Selection::new(elements, radiance) else {
            return vec![Vec3::ZERO; radiance.len()];
        };
        let shooters = selection.select(radiance, sampler, iteration, options.bundles.max(1));
        match options.shooting {
            Shooting::Hemisphere => hemisphere::shoot(world, atlas, elements, &shooters, sampler, iteration),
            Shooting::Rays { rays } => {
                rays::shoot(world, atlas, elements, &shooters, rays.max(1), sampler, iteration)
            }
        }
    }

    /// Returns the radiance of all elements: emission, and the reflection of the mean irradiance.
    pub fn radiance(&self) -> Vec<Vec3> {
        self.elements.radiance(&self.mean.mean)
    }

    /// Returns the mean irradiance of all elements.
    pub fn irradiance(&self) -> &[Vec3] {
        &self.mean.mean
    }

    /// Returns an estimate of the random error: the root mean square over the surfaces' area, relative to the root mean
    /// square of the irradiance. It does not contain the bias of the start. Infinite before the second iteration; NaN if
    /// the light of a surface is no number.
    pub fn error(&self) -> f64 {
        if self.iterations() < 2 {
            return f64::INFINITY;
        }
        let differences = self.mean.differences();
        let norm = |values: &[Vec3]| self.elements.inner_product(values, values);
        let all = norm(&self.mean.mean);
        if all == 0.0 { 0.0 } else { (norm(&differences) / all).sqrt() }
    }

    /// Returns an estimate of the random error of the irradiance of each element: see [`error`](Self::error).
    pub fn errors(&self) -> Vec<Vec3> {
        if self.iterations() < 2 {
            vec![Vec3::INFINITY; self.mean.mean.len()]
        } else {
            self.mean.differences()
        }
    }

    /// Returns the irradiance of all surfaces, to be looked up at hits.
    pub fn map(&self) -> RadiosityMap {
        RadiosityMap::new(self.atlas.clone(), self.mean.mean.clone())
    }
}
