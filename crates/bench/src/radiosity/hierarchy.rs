//! Hierarchical radiosity beside stochastic radiosity in the same atlas.

use std::fmt;

use serde::Serialize;
use sunfleck_surface::atlas::{Atlas, AtlasError};
use sunfleck_surface::hierarchy::{HierarchicalRadiosity, HierarchyOptions};
use sunfleck_surface::matrix::StopRule;
use sunfleck_surface::stochastic::{StochasticOptions, StochasticRadiosity};
use sunfleck_transport::World;

use super::run::best;
use crate::BenchError;
use crate::clock::{ClockScope, Stopwatch};
use crate::table::Table;

/// Side of the atlas, texels.
const RESOLUTION: u32 = 64;
/// Tolerances of links.
const TOLERANCES: [f32; 3] = [3e-2, 1e-2, 3e-3];
/// Iterations of stochastic radiosity, of 65,536 rays each, that errors are compared with.
const ITERATIONS: u32 = 200;

/// Hierarchical radiosity with one tolerance.
#[derive(Clone, Debug, Serialize)]
pub struct HierarchyRow {
    /// Largest error of a link, see `HierarchyOptions`.
    pub tolerance: f32,
    /// Number of links.
    pub links: usize,
    /// Number of ways that links carry light.
    pub entries: usize,
    /// Time to make them, seconds of wall time.
    pub link_secs: f64,
    /// Jacobi iterations until the residual is small enough.
    pub iterations: usize,
    /// Time of an iteration on all threads, milliseconds.
    pub iteration_ms: f64,
    /// Mean deviation of the row sums of closed texels from 1 before normalising, and mean change of all row sums by it.
    pub row_sums: [f64; 2],
    /// Root mean square of the difference from stochastic radiosity, relative to the irradiance. It contains the error of
    /// the latter.
    pub difference: f64,
}

/// Hierarchical radiosity.
#[derive(Clone, Debug, Serialize)]
pub struct HierarchyReport {
    /// Number of texels, each with two sides.
    pub texels: usize,
    /// Estimate of the random error of stochastic radiosity.
    pub stochastic_error: f64,
    /// One row per tolerance.
    pub rows: Vec<HierarchyRow>,
}

/// Measures links, time of an iteration, and the difference from stochastic radiosity. Returns `None` for a scene of more
/// triangles than texels.
pub(super) fn measure(world: &World, rounds: usize) -> Result<Option<HierarchyReport>, BenchError> {
    let refused = |error: &dyn fmt::Display| BenchError::Radiosity(error.to_string());
    let atlas = match Atlas::meshed(world, RESOLUTION) {
        Err(AtlasError::TooSmall { .. }) => return Ok(None),
        atlas => atlas.map_err(|error| refused(&error))?,
    };
    let mut stochastic = StochasticRadiosity::new(world, &atlas, StochasticOptions::default());
    stochastic.iterate(ITERATIONS);
    let row = |&tolerance: &f32| {
        let options = HierarchyOptions { tolerance, ..HierarchyOptions::default() };
        let watch = Stopwatch::start(ClockScope::Process);
        let radiosity =
            HierarchicalRadiosity::new(world, &atlas, &options).map_err(|error| refused(&error))?;
        let link_secs = watch.stop().wall_secs;
        let solution = radiosity.solve(&StopRule::default());
        let radiosities: Vec<_> = solution.radiosity.iter().collect();
        let iteration = best(rounds, &mut || {
            std::hint::black_box(radiosity.gather(&radiosities));
        });
        let areas = &radiosity.elements().areas;
        let (mut squares, mut all) = (0.0, 0.0);
        let irradiance = radiosity.irradiance(&solution);
        for ((area, found), expected) in
            areas.iter().chain(areas).zip(irradiance).zip(stochastic.irradiance())
        {
            squares += f64::from(*area) * f64::from((found - *expected).length_squared());
            all += f64::from(*area) * f64::from(expected.length_squared());
        }
        let sums = radiosity.row_sums();
        Ok(HierarchyRow {
            tolerance,
            links: radiosity.links().len(),
            entries: radiosity.entry_count(),
            link_secs,
            iterations: solution.iterations(),
            iteration_ms: 1e3 * iteration.wall_secs,
            row_sums: [sums.deviation, sums.changed],
            difference: (squares / all).sqrt(),
        })
    };
    let rows = TOLERANCES.iter().map(row).collect::<Result<_, BenchError>>()?;
    Ok(Some(HierarchyReport { texels: atlas.texels().len(), stochastic_error: stochastic.error(), rows }))
}

impl fmt::Display for HierarchyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "hierarchical radiosity, {} texels on both sides, beside stochastic radiosity with an error of {:.2} %\n",
            self.texels,
            100.0 * self.stochastic_error
        )?;
        let mut table = Table::new([
            "tolerance",
            "links",
            "entries",
            "per texel",
            "links s",
            "iterations",
            "ms each",
            "row sums",
            "changed",
            "difference",
        ]);
        for row in &self.rows {
            table.row([
                format!("{:.0e}", row.tolerance),
                row.links.to_string(),
                row.entries.to_string(),
                format!("{:.0}", row.entries as f64 / self.texels as f64),
                format!("{:.2}", row.link_secs),
                row.iterations.to_string(),
                format!("{:.2}", row.iteration_ms),
                format!("{:.2} %", 100.0 * row.row_sums[0]),
                format!("{:.2} %", 100.0 * row.row_sums[1]),
                format!("{:.2} %", 100.0 * row.difference),
            ]);
        }
        write!(f, "{table}")
    }
}
