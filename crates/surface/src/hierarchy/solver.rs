//! Construction of the hierarchy, and Jacobi's iteration over it.

use std::f32::consts::PI;

use sunfleck_math::Vec3;
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_shading::luminance;
use sunfleck_transport::World;

use super::cells::Cells;
use super::exchange::Exchanges;
use super::links::Rows;
use super::oracle::Oracle;
use super::refine::{inaccurate, refine, roots};
use super::rows::{RowSums, closed, factors};
use super::{HierarchyError, HierarchyOptions, NodeLink};
use crate::atlas::Atlas;
use crate::matrix::{Channels, Residual, Solution, StopRule};
use crate::stochastic::{Elements, RadiosityMap, direct};

/// Tolerances of the passes, of which each knows the solution of the one before [Hanrahan91, multigridding].
const PASSES: [f32; 3] = [16.0, 4.0, 1.0];
/// When to stop solving between two passes.
const BETWEEN_PASSES: StopRule = StopRule { tolerance: 1e-4, most_iterations: 30 };
/// Difference of the random numbers of lights without surfaces from those of links.
const STREAM: u32 = 0x4c_69_67;

/// Hierarchical radiosity of a world. It is a function of world, atlas and options, with the same bits for every number
/// of threads.
#[derive(Debug)]
pub struct HierarchicalRadiosity<'a> {
    atlas: &'a Atlas,
    elements: Elements,
    cells: Cells,
    links: Vec<NodeLink>,
    rows: Rows,
    /// Factor of the irradiance of each element that normalises the sum of its row.
    factors: Vec<f32>,
    row_sums: RowSums,
    /// Irradiance of elements by lights without surfaces.
    direct: Vec<Vec3>,
}

impl<'a> HierarchicalRadiosity<'a> {
    /// Links the clusters of an atlas.
    ///
    /// * `atlas` — a meshed one of the world.
    ///
    /// # Errors
    /// [`HierarchyError`].
    pub fn new(world: &World, atlas: &'a Atlas, options: &HierarchyOptions) -> Result<Self, HierarchyError> {
        let cells = Cells::new(atlas).ok_or(HierarchyError::NotMeshed)?;
        let elements = Elements::new(world, atlas);
        let direct = direct_irradiance(world, atlas, options);
        let is_closed = closed(world, atlas, options.seed);
        let ambient = ambient(&elements, &direct);
        let mut radiosity = first_estimate(&elements, &direct, ambient);
        let rows = Rows::new(&cells, &[]);
        let (factors, row_sums) = (vec![1.0; direct.len()], RowSums::default());
        let mut result = Self { atlas, elements, cells, links: Vec::new(), rows, factors, row_sums, direct };
        let mut links = Vec::new();
        for (pass, looser) in PASSES.into_iter().enumerate() {
            let limit = options.tolerance.max(0.0) * looser * ambient;
            let oracle = Oracle::new(&result.cells, &radiosity, limit, options.rays);
            let pairs = match pass {
                // Without light there is nothing to link
                0 if ambient <= 0.0 => Vec::new(),
                0 => roots(&result.cells),
                _ => inaccurate(&oracle, &mut links),
            };
            let exchanges = Exchanges::new(world, atlas, &result.cells, options);
            refine(&exchanges, &oracle, pairs, &mut links, options.most_links)?;
            result.rows = Rows::new(&result.cells, &links);
            result.normalise(&is_closed);
            if pass + 1 < PASSES.len() {
                radiosity = result.solve(&BETWEEN_PASSES).radiosity.iter().collect();
            }
        }
        links.retain(|link| link.exchange > 0.0);
        result.links = links;
        Ok(result)
    }

    fn normalise(&mut self, is_closed: &[bool]) {
        let sums = self.rows.gather(&self.cells, &vec![Vec3::ONE; is_closed.len()]);
        let sums: Vec<f32> = sums.into_iter().map(|sum| sum.x).collect();
        (self.factors, self.row_sums) = factors(&sums, is_closed, &self.elements.areas);
    }

    /// Returns the texels with their materials.
    pub fn elements(&self) -> &Elements {
        &self.elements
    }

    /// Returns the links.
    pub fn links(&self) -> &[NodeLink] {
        &self.links
    }

    /// Returns the number of ways that links carry light, at most two for each link: the entries of the matrix.
    pub fn entry_count(&self) -> usize {
        self.rows.entry_count()
    }

    /// Returns the deviation of the sums of rows, and how much normalising changed.
    pub fn row_sums(&self) -> &RowSums {
        &self.row_sums
    }

    /// Returns the irradiance of all elements by other surfaces, W/m².
    ///
    /// * `radiosity` — of all elements, W/m². Missing ones are 0.
    pub fn gather(&self, radiosity: &[Vec3]) -> Vec<Vec3> {
        let len = self.factors.len().min(radiosity.len());
        let mut irradiance = self.rows.gather(&self.cells, &radiosity[..len]);
        irradiance.iter_mut().zip(&self.factors).for_each(|(irradiance, factor)| *irradiance *= *factor);
        irradiance
    }

    /// Returns the irradiance of all elements by lights without surfaces and by other surfaces, W/m².
    ///
    /// * `solution` — see [`solve`](Self::solve).
    pub fn irradiance(&self, solution: &Solution) -> Vec<Vec3> {
        let radiosity: Vec<Vec3> = solution.radiosity.iter().collect();
        self.gather(&radiosity)
            .into_iter()
            .zip(&self.direct)
            .map(|(gathered, direct)| gathered + *direct)
            .collect()
    }

    /// Solves the system by Jacobi's iteration. The result has a radiosity for each element.
    pub fn solve(&self, stop: &StopRule) -> Solution {
        let source: Channels = source(&self.elements, &self.direct).into_iter().collect();
        let limit = stop.tolerance * source.largest();
        let mut radiosity: Vec<Vec3> = source.iter().collect();
        let mut history = Vec::new();
        loop {
            let next = self.reflected(&source, &radiosity);
            // The step of an iteration is the residual before it
            let step: Channels = next.iter().zip(&radiosity).map(|(next, now)| *next - *now).collect();
            let residual = Residual::of(&step);
            history.push(residual);
            let is_converged = residual.largest <= limit;
            if is_converged || history.len() > stop.most_iterations as usize {
                let reflectance = &self.elements.images.reflectance;
                let rho = reflectance.iter().fold(0.0f32, |largest, rho| largest.max(rho.max_element()));
                let error_bound = if rho < 1.0 { residual.largest / (1.0 - rho) } else { f32::INFINITY };
                let radiosity = radiosity.into_iter().collect();
                return Solution { radiosity, history, residual, error_bound, is_converged };
            }
            radiosity = next;
        }
    }

    /// Returns `E + ρ F B`.
    fn reflected(&self, source: &Channels, radiosity: &[Vec3]) -> Vec<Vec3> {
        let gathered = self.gather(radiosity).into_iter().zip(source.iter()).enumerate();
        let reflected = |(element, (gathered, source)): (usize, (Vec3, Vec3))| {
            source + self.elements.images.reflectance[self.elements.texel_of(element).0] * gathered
        };
        gathered.map(reflected).collect()
    }

    /// Returns the irradiance of all surfaces, to be looked up at hits.
    ///
    /// * `solution` — see [`solve`](Self::solve).
    pub fn map(&self, solution: &Solution) -> RadiosityMap {
        RadiosityMap::new(self.atlas.clone(), self.irradiance(solution))
    }
}

/// Returns the irradiance of elements by lights without surfaces.
fn direct_irradiance(world: &World, atlas: &Atlas, options: &HierarchyOptions) -> Vec<Vec3> {
    let mut irradiance = vec![Vec3::ZERO; 2 * atlas.texels().len()];
    let sampler = Sampler::new(SamplerKind::Sobol, options.seed ^ STREAM);
    let samples = options.light_samples.max(1);
    (0..samples).for_each(|sample| direct::add(world, atlas, &sampler, sample, &mut irradiance));
    irradiance.iter_mut().for_each(|irradiance| *irradiance /= samples as f32);
    irradiance
}

/// Returns the radiosity of elements without light of other surfaces.
fn source(elements: &Elements, direct: &[Vec3]) -> Vec<Vec3> {
    elements.radiance(direct).into_iter().map(|radiance| radiance * PI).collect()
}

/// Returns the luminance of the mean irradiance, that of a closed room of the mean reflectance [Cohen88, ambient term].
fn ambient(elements: &Elements, direct: &[Vec3]) -> f32 {
    let rho = mean(elements, &elements.images.reflectance).clamp(0.0, 0.9);
    mean(elements, &source(elements, direct)) / (1.0 - rho)
}

/// Returns an estimate of the radiosity of elements, as if the light of others were the same everywhere.
fn first_estimate(elements: &Elements, direct: &[Vec3], ambient: f32) -> Vec<Vec3> {
    let estimate = |(element, source): (usize, Vec3)| {
        source + elements.images.reflectance[elements.texel_of(element).0] * ambient
    };
    source(elements, direct).into_iter().enumerate().map(estimate).collect()
}

/// Returns the luminance of a function of elements or texels: the sum of the means of all sides over the area.
fn mean(elements: &Elements, values: &[Vec3]) -> f32 {
    let areas = elements.areas.iter().cycle().zip(values);
    let sum: f64 = areas.map(|(&area, value)| f64::from(area) * f64::from(luminance(*value))).sum();
    let all: f64 = elements.areas.iter().map(|&area| f64::from(area)).sum();
    #[allow(clippy::cast_possible_truncation, reason = "a mean of numbers in f32")]
    if all > 0.0 { (sum / all) as f32 } else { 0.0 }
}
