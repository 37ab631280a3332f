use std::sync::Arc;

use fearless_simd::Level;
use sunfleck_gpu::Gpu;
use sunfleck_scene::Scene;
use sunfleck_surface::matrix::{
    CastOptions, Channels, FormFactors, Matrix, PatchSize, Patches, RadiositySystem, Solver, StopRule,
    Subdivision, with_triangles_only,
};
use sunfleck_transport::World;

use super::bandwidth;
use super::report::{ConvergenceRow, GpuRadiosityReport, PUBLISHED, RadiosityReport, SizeRow};
use super::{gpu, hierarchy, tracers};
use crate::BenchError;
use crate::clock::{ClockScope, Elapsed, Stopwatch};

/// Settings of the measurement.
#[derive(Clone, Debug)]
pub struct RadiosityBenchSettings {
    /// Numbers of patches.
    pub sizes: Vec<usize>,
    /// Rays per patch.
    pub rays: u32,
    /// Number of timings, of which the best counts.
    pub rounds: usize,
    /// SIMD level.
    pub level: Level,
    /// GPU to measure, too.
    pub gpu: Option<Arc<Gpu>>,
    /// Widths of the maps of stochastic radiosity on the GPU, texels.
    pub maps: Vec<u32>,
}

/// Duration of one timing.
const SECONDS: f64 = 0.2;
/// Accuracy up to which convergence is shown, as a fraction of the largest radiosity of a source.
const SHOWN: StopRule = StopRule { tolerance: 1e-6, most_iterations: 100 };

/// Measures a scene, with as many threads as the current rayon pool has.
///
/// # Errors
/// [`BenchError`] if the scene cannot be committed or divided into patches.
pub fn run(
    settings: &RadiosityBenchSettings,
    name: &str,
    scene: &Scene,
    progress: &mut dyn FnMut(&str),
) -> Result<RadiosityReport, BenchError> {
    progress("bandwidth of memory");
    let bandwidth = bandwidth::measure(settings.level, settings.rounds);
    let refused = |error: &dyn std::fmt::Display| BenchError::Radiosity(format!("{name}: {error}"));
    let scene = with_triangles_only(scene).map_err(|error| refused(&error))?;
    let world = World::commit(&scene).map_err(|error| refused(&error))?;
    let mut sizes = Vec::new();
    let (mut tracers, mut convergence, mut convergence_patches) = (Vec::new(), Vec::new(), 0);
    let mut on_gpu = settings.gpu.as_ref().map(|gpu| start_on_gpu(gpu, settings.rounds)).transpose()?;
    for &number in &settings.sizes {
        let options = Subdivision { size: PatchSize::Number(number), ..Subdivision::default() };
        let patches = Patches::subdivide(&world, &options).map_err(|error| refused(&error))?;
        progress(&format!("form factors of {} patches", patches.count()));
        let (row, system) = measure(settings, &world, &patches, bandwidth);
        if convergence.is_empty() {
            progress("form factors by each tracer");
            let options = CastOptions { rays: settings.rays, ..CastOptions::default() };
            tracers = tracers::compare(&world, &patches, &options, settings.gpu.as_ref())?;
            progress("convergence");
            convergence_patches = row.patches;
            convergence = converged(&system).map_err(|error| refused(&error))?;
        }
        if let (Some(gpu), Some(report)) = (&settings.gpu, &mut on_gpu)
            && let Matrix::Dense(dense) = system.matrix()
        {
            report.matrices.extend(gpu::matrix(gpu, dense, &system, settings.rounds, report.bandwidth)?);
        }
        sizes.push(row);
    }
    if let (Some(gpu), Some(report)) = (&settings.gpu, &mut on_gpu) {
        for &resolution in &settings.maps {
            progress(&format!("stochastic radiosity of {resolution} × {resolution} texels"));
            report.stochastic.push(gpu::stochastic(gpu, &world, resolution, settings.rounds)?);
        }
    }
    progress("hierarchical radiosity");
    let hierarchy = hierarchy::measure(&world, settings.rounds)?;
    Ok(RadiosityReport {
        scene: name.to_string(),
        threads: rayon::current_num_threads(),
        bandwidth,
        sizes,
        tracers,
        convergence_patches,
        convergence,
        hierarchy,
        published: PUBLISHED,
        gpu: on_gpu,
    })
}

fn start_on_gpu(gpu: &Gpu, rounds: usize) -> Result<GpuRadiosityReport, BenchError> {
    let device = gpu.adapter().name.clone();
    Ok(GpuRadiosityReport {
        device,
        bandwidth: gpu::bandwidth(gpu, rounds)?,
        matrices: Vec::new(),
        stochastic: Vec::new(),
    })
}

fn measure(
    settings: &RadiosityBenchSettings,
    world: &World,
    patches: &Patches,
    bandwidth: f64,
) -> (SizeRow, RadiositySystem) {
    let options = CastOptions { rays: settings.rays, ..CastOptions::default() };
    let watch = Stopwatch::start(ClockScope::Process);
    let factors = FormFactors::cast(world, patches, &options);
    let form_factor_secs = watch.stop().wall_secs;
    let mut system = RadiositySystem::new(world, patches, &factors, Matrix::dense(&factors));
    let relit = best(settings.rounds, &mut || {
        let patches = patches.with_materials_of(world);
        system.relight(world, &patches, &factors);
        // A matrix that is stored has all solvers
        let solved = system.solve(Solver::ConjugateGradients, &StopRule::default(), None);
        debug_assert!(solved.is_ok(), "a dense matrix");
    });
    let source = system.source();
    let mut next = Channels::black(source.len());
    let jacobi = best(settings.rounds, &mut || system.gather(&source, &source, &mut next));
    let mut radiosity = source.clone();
    let gauss_seidel = best(settings.rounds, &mut || {
        // The matrix is dense, so that it has rows to relax
        let relaxed = system.relax(&source, &mut radiosity);
        debug_assert!(relaxed.is_ok(), "a dense matrix");
    });
    let bytes = system.matrix().byte_count();
    let balance = factors.balance();
    let row = SizeRow {
        patches: source.len(),
        bytes,
        form_factor_secs,
        rays: u64::from(settings.rays) * source.len() as u64,
        balancing: [balance.symmetrised, balance.scaled, balance.kept],
        residuals: [balance.row_sum, balance.reciprocity],
        jacobi_per_second: jacobi.wall_secs.recip(),
        jacobi_per_cpu_second: jacobi.cpu_secs.recip(),
        gauss_seidel_per_second: gauss_seidel.wall_secs.recip(),
        bandwidth_share: bytes as f64 / jacobi.wall_secs / bandwidth,
        relight_secs: relit.wall_secs,
    };
    (row, system)
}

/// Returns the least time of one call.
pub(super) fn best(rounds: usize, call: &mut dyn FnMut()) -> Elapsed {
    let mut time = |calls: u32| {
        let watch = Stopwatch::start(ClockScope::Process);
        (0..calls).for_each(|_| call());
        let Elapsed { cpu_secs, wall_secs } = watch.stop();
        Elapsed { cpu_secs: cpu_secs / f64::from(calls), wall_secs: wall_secs / f64::from(calls) }
    };
    let first = time(1);
    #[allow(clippy::cast_possible_truncation, reason = "at most 10,000")]
    let calls = (SECONDS / first.wall_secs.max(1e-9)).clamp(1.0, 1e4) as u32;
    (0..rounds).map(|_| time(calls)).fold(first, |best, next| Elapsed {
        cpu_secs: best.cpu_secs.min(next.cpu_secs),
        wall_secs: best.wall_secs.min(next.wall_secs),
    })
}

fn converged(
    system: &RadiositySystem,
) -> Result<Vec<ConvergenceRow>, sunfleck_surface::matrix::RadiosityError> {
    let largest = f64::from(system.source().largest()).max(f64::MIN_POSITIVE);
    let of_solver = |solver: Solver| {
        let solution = system.solve(solver, &SHOWN, None)?;
        Ok(ConvergenceRow {
            solver: solver.name(),
            mean_squares: solution.history.iter().map(|residual| residual.mean_square).collect(),
            error_bound: f64::from(solution.error_bound) / largest,
        })
    };
    Solver::ALL.into_iter().map(of_solver).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_all_measurements() {
        let scene = sunfleck_models::build("cornell").unwrap();
        let settings = RadiosityBenchSettings {
            sizes: vec![100, 150],
            rays: 2048,
            rounds: 1,
            level: Level::new(),
            gpu: None,
            maps: vec![],
        };
        let report = run(&settings, "cornell", &scene, &mut |_| {}).unwrap();
        assert_eq!(report.sizes.len(), 2);
        let [kernel, engine] = &report.tracers[..] else { panic!("{report}") };
        assert!(kernel.seconds > 0.0 && engine.difference < 1e-3, "the same rays: {engine:?}");
        for row in &report.sizes {
            assert!(row.jacobi_per_second > 0.0 && row.gauss_seidel_per_second > 0.0, "{row:?}");
            assert!(row.residuals[0] < 1e-6 && row.residuals[1] < 1e-6, "{row:?}");
        }
        let [jacobi, gauss_seidel, ..] = &report.convergence[..] else { panic!("{report}") };
        assert!(gauss_seidel.mean_squares.len() < jacobi.mean_squares.len(), "{report}");
        let rows = &report.hierarchy.as_ref().unwrap().rows;
        let links: Vec<usize> = rows.iter().map(|row| row.links).collect();
        let differences: Vec<f64> = rows.iter().map(|row| row.difference).collect();
        assert!(links.is_sorted() && differences.is_sorted_by(|a, b| a > b), "{report}");
        let text = report.to_string();
        assert!(text.contains("29.7 iterations/s") && text.contains("Southwell"), "{text}");
    }
}
