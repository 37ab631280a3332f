//! Radiosity on a GPU: sweeps over dense matrices, and stochastic radiosity beside the paper's times.

use std::sync::Arc;

use sunfleck_gpu::compute::{Array, Dispatch, Pipeline, Timestamps, run};
use sunfleck_gpu::{Gpu, GpuError, MatrixRadiosity, Mirror, PackedSurfaces, StochasticRadiosity};
use sunfleck_math::Vec3;
use sunfleck_shaders::passes::film::MEANS;
use sunfleck_surface::atlas::Atlas;
use sunfleck_surface::matrix::{DenseMatrix, RadiositySystem};
use sunfleck_surface::stochastic::{Averaging, Elements, Shooting, StochasticOptions};
use sunfleck_transport::World;

use super::report::{ErrorRow, GpuMatrixRow, StageRow, StochasticRow};
use crate::BenchError;
use crate::gpu::warm_up;

/// Sweeps that are timed together.
const SWEEPS: u32 = 200;
/// Iterations that are timed together.
const ITERATIONS: u32 = 200;
/// Times after which errors are measured, seconds [Stochastic04 has an iteration in 0.12 to 0.15].
const BUDGETS: [f64; 2] = [0.033, 0.25];
/// Iterations after which the paper shows its map [Stochastic04, Fig. 6].
const SHOWN_ITERATIONS: [u32; 3] = [1, 4, 50];
/// What shoots in an iteration: texels to all texels, or rays.
const SHOTS: [(Shooting, u32); 4] = [
    (Shooting::Hemisphere, 8),
    (Shooting::Hemisphere, 32),
    (Shooting::Rays { rays: 1 }, 1 << 18),
    (Shooting::Rays { rays: 1 }, 1 << 20),
];
/// Iterations of the reference of errors, and its rays.
const REFERENCE_ITERATIONS: u32 = 6000;
const REFERENCE_RAYS: u32 = 1 << 20;
/// Iterations that are submitted together.
const SUBMITTED: u32 = 100;
/// Elements of the array that is read to measure bandwidth, 64 bytes each, of which 12 are written.
const READ: usize = 1 << 23;
const BYTES: usize = 64 + 12;
/// Times that it is read.
const READS: u32 = 20;

/// Returns the rate at which a kernel of the GPU that computes next to nothing reads and writes memory, bytes per second.
pub(super) fn bandwidth(gpu: &Gpu, rounds: usize) -> Result<f64, GpuError> {
    let film = Array::<[f32; 16]>::zeroed(gpu, "pixels", READ)?;
    let means = Array::<[f32; 3]>::zeroed(gpu, "means of pixels", READ)?;
    let kernel = Pipeline::of_shader(gpu, &MEANS)?;
    let group = kernel.bind(gpu, &[("film", film.buffer()), ("means", means.buffer())].into())?;
    let stamps = Timestamps::new(gpu, READS)?;
    let read = || -> Result<f64, GpuError> {
        run(gpu, &[Dispatch { kernel: &kernel, group: group.clone(), items: READ }], READS, stamps.as_ref());
        let seconds = stamps.as_ref().map_or(Ok(Vec::new()), |stamps| stamps.read(gpu))?;
        Ok(seconds.into_iter().fold(f64::INFINITY, f64::min))
    };
    warm_up(|| read().map(|_| ()))?;
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        least = least.min(read()?);
    }
    Ok((READ * BYTES) as f64 / least)
}

/// Measures sweeps over a dense matrix.
pub(super) fn matrix(
    gpu: &Arc<Gpu>,
    dense: &DenseMatrix,
    system: &RadiositySystem,
    rounds: usize,
    bandwidth: f64,
) -> Result<Option<GpuMatrixRow>, GpuError> {
    let patches = dense.rows();
    let rows: Vec<f32> = (0..patches).flat_map(|row| dense.row(row)).copied().collect();
    let mut solver = MatrixRadiosity::new(gpu, &rows, patches)?;
    let source: Vec<Vec3> = system.source().iter().collect();
    let reflectance: Vec<Vec3> = system.reflectance().iter().collect();
    solver.set_emission(&source);
    solver.set_reflectance(&reflectance);
    solver.set_radiosity(&source);
    warm_up(|| solver.time_sweeps(SWEEPS).map(|_| ()))?;
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let Some(seconds) = solver.time_sweeps(SWEEPS)? else { return Ok(None) };
        least = least.min(seconds / f64::from(SWEEPS));
    }
    let bytes = (patches * patches * size_of::<f32>()) as f64;
    let residual = solver.residual()?;
    Ok(Some(GpuMatrixRow {
        patches,
        sweeps_per_second: 1.0 / least,
        bandwidth_share: bytes / least / bandwidth,
        residual,
    }))
}

/// Measures stochastic radiosity over a map of `resolution` × `resolution` texels.
pub(super) fn stochastic(
    gpu: &Arc<Gpu>,
    world: &World,
    resolution: u32,
    rounds: usize,
) -> Result<StochasticRow, BenchError> {
    let atlas = Atlas::meshed(world, resolution).map_err(|error| BenchError::Radiosity(error.to_string()))?;
    let elements = Elements::new(world, &atlas);
    let surfaces = PackedSurfaces::new(world, &atlas, &elements)?;
    let mirror = Mirror::new(gpu, world.tlas())?;
    let solver_of = |options| StochasticRadiosity::new(gpu, &mirror, &surfaces, &options);
    let solver = |(shooting, bundles), seed| {
        solver_of(StochasticOptions { seed, averaging: Averaging::Iterates, shooting, bundles })
    };
    // One texel that shoots, as in the paper
    let single = solver((Shooting::Hemisphere, 1), 0)?;
    warm_up(|| single.time_iterations(ITERATIONS).map(|_| ()))?;
    let mut iteration = f64::INFINITY;
    for _ in 0..rounds {
        iteration =
            iteration.min(single.time_iterations(ITERATIONS)?.unwrap_or(f64::NAN) / f64::from(ITERATIONS));
    }
    let stages = single.time_stages(ITERATIONS)?.into_iter().flatten();
    let stages =
        stages.map(|stage| StageRow { stage: stage.name, ms: 1e3 * stage.seconds / f64::from(ITERATIONS) });
    let emission: Vec<Vec3> = surfaces.texels.iter().map(|texel| Vec3::from(texel.emission)).collect();
    let reference = solver((Shooting::Rays { rays: 1 }, REFERENCE_RAYS), 1)?;
    for _ in 0..REFERENCE_ITERATIONS / SUBMITTED {
        reference.time_iterations(SUBMITTED)?;
    }
    let expected = reference.irradiance()?;
    let mut errors = Vec::new();
    let as_printed = solver_of(StochasticOptions { seed: 2, ..StochasticOptions::AS_PRINTED })?;
    for iterations in SHOWN_ITERATIONS {
        as_printed.restart(&surfaces.texels, &emission);
        let ms = 1e3 * as_printed.time_iterations(iterations)?.unwrap_or(f64::NAN);
        let error = relative_error(&elements, &as_printed.irradiance()?, &expected);
        errors.push(ErrorRow { shots: "as printed", bundles: 1, iterations, ms, error });
    }
    for (shooting, bundles) in SHOTS {
        let solver = solver((shooting, bundles), 2)?;
        let each = solver.time_iterations(ITERATIONS / 8)?.unwrap_or(f64::NAN) / f64::from(ITERATIONS / 8);
        for budget in BUDGETS {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a number of iterations"
            )]
            let iterations = (budget / each).max(1.0) as u32;
            solver.restart(&surfaces.texels, &emission);
            let ms = 1e3 * solver.time_iterations(iterations)?.unwrap_or(f64::NAN);
            let error = relative_error(&elements, &solver.irradiance()?, &expected);
            let shots = match shooting {
                Shooting::Hemisphere => "texels",
                Shooting::Rays { .. } => "rays",
            };
            errors.push(ErrorRow { shots, bundles, iterations, ms, error });
        }
    }
    Ok(StochasticRow {
        resolution,
        utilisation: atlas.utilisation(),
        iteration_ms: 1e3 * iteration,
        stages: stages.collect(),
        errors,
    })
}

/// Returns the root mean square of the error over all surfaces, relative to that of the irradiance.
fn relative_error(elements: &Elements, found: &[Vec3], expected: &[Vec3]) -> f64 {
    let areas = elements.areas.iter().chain(&elements.areas);
    let (mut error, mut light) = (0.0, 0.0);
    for (&area, (&found, &expected)) in areas.zip(found.iter().zip(expected)) {
        error += f64::from(area) * f64::from((found - expected).length_squared());
        light += f64::from(area) * f64::from(expected.length_squared());
    }
    (error / light).sqrt()
}
