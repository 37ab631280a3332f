//! Radiosity on a GPU: sweeps over dense matrices, and stochastic radiosity beside the paper's times.

use std::sync::Arc;
use std::time::Instant;

use sunfleck_gpu::compute::{Array, buffer};
use sunfleck_gpu::{Average, Gpu, GpuError, MatrixRadiosity, Mirror, StochasticRadiosity, packed_texels};
use sunfleck_math::Vec3;
use sunfleck_surface::atlas::Atlas;
use sunfleck_surface::matrix::{DenseMatrix, RadiositySystem};
use sunfleck_surface::stochastic::Elements;
use sunfleck_transport::World;
use wgpu::{BufferUsages, CommandEncoderDescriptor};

use super::report::{ErrorRow, GpuMatrixRow, StageRow, StochasticRow};
use crate::BenchError;
use crate::gpu::warm_up;

/// Sweeps that are timed together.
const SWEEPS: u32 = 200;
/// Iterations that are timed together.
const ITERATIONS: u32 = 200;
/// Times after which errors are measured, seconds [Stochastic04 has an iteration in 0.12 to 0.15].
const BUDGETS: [f64; 2] = [0.033, 0.25];
/// Numbers of texels that shoot in an iteration.
const SHOOTERS: [u32; 3] = [1, 8, 32];
/// Texels that shot in all for the reference of errors.
const REFERENCE_SHOTS: u32 = 1 << 16;
/// Texels that shoot in an iteration of the reference.
const REFERENCE_SHOOTERS: u32 = 64;
/// Bytes that are copied to measure bandwidth, and number of copies.
const COPIED_BYTES: u64 = 1 << 30;
const COPIES: u32 = 40;

/// Returns the rate at which the GPU reads and writes its memory, bytes per second: that of copies.
pub(super) fn bandwidth(gpu: &Gpu) -> Result<f64, GpuError> {
    let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let bytes = COPIED_BYTES.min(gpu.device().limits().max_buffer_size / 2);
    let [from, to] =
        [buffer(gpu, "bytes to copy", bytes, usage)?, buffer(gpu, "bytes to copy", bytes, usage)?];
    let fence = Array::<u32>::zeroed(gpu, "fences", 1)?;
    let copy = |times: u32| {
        let mut encoder = gpu.device().create_command_encoder(&CommandEncoderDescriptor::default());
        (0..times).for_each(|_| encoder.copy_buffer_to_buffer(&from, 0, &to, 0, bytes));
        gpu.queue().submit([encoder.finish()]);
        fence.read(gpu).map(|_| ())
    };
    warm_up(|| copy(COPIES))?;
    let start = Instant::now();
    copy(COPIES)?;
    Ok(2.0 * bytes as f64 * f64::from(COPIES) / start.elapsed().as_secs_f64())
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
    let texels = packed_texels(&elements);
    let mirror = Mirror::new(gpu, world.tlas())?;
    let solver = |shooters, seed| {
        StochasticRadiosity::new(gpu, &mirror, &texels, resolution, shooters, seed, Average::Iterates)
    };
    let single = solver(1, 0)?;
    warm_up(|| single.time_iterations(ITERATIONS).map(|_| ()))?;
    let mut iteration = f64::INFINITY;
    for _ in 0..rounds {
        iteration =
            iteration.min(single.time_iterations(ITERATIONS)?.unwrap_or(f64::NAN) / f64::from(ITERATIONS));
    }
    let stages = single.time_stages(ITERATIONS)?.into_iter().flatten();
    let stages =
        stages.map(|stage| StageRow { stage: stage.name, ms: 1e3 * stage.seconds / f64::from(ITERATIONS) });
    let reference = solver(REFERENCE_SHOOTERS, 1)?;
    reference.iterate(8);
    let start = reference.irradiance()?;
    // The first iterates lack light of many reflections
    reference.restart(&texels, &elements.radiance(&start));
    for _ in 0..REFERENCE_SHOTS / REFERENCE_SHOOTERS / 16 {
        reference.iterate(16);
        reference.irradiance()?;
    }
    let expected = reference.irradiance()?;
    let mut errors = Vec::new();
    for shooters in SHOOTERS {
        let solver = solver(shooters, 2)?;
        let each = solver.time_iterations(ITERATIONS / 8)?.unwrap_or(f64::NAN) / f64::from(ITERATIONS / 8);
        for budget in BUDGETS {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a number of iterations"
            )]
            let iterations = (budget / each).max(1.0) as u32;
            let emission: Vec<Vec3> = texels.iter().map(|texel| Vec3::from(texel.emission)).collect();
            solver.restart(&texels, &emission);
            let ms = 1e3 * solver.time_iterations(iterations)?.unwrap_or(f64::NAN);
            let error = relative_error(&elements, &solver.irradiance()?, &expected);
            errors.push(ErrorRow { shooters, iterations, ms, error });
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
