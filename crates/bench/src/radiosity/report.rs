use std::fmt;

use serde::Serialize;

use super::hierarchy::HierarchyReport;
use crate::table::{NO_VALUE, Table};

/// Published rate of a solver in 2003.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PublishedRate {
    /// Solver and device.
    pub solver: &'static str,
    /// Iterations per second.
    pub iterations_per_second: f64,
    /// Rate of floating-point operations, Mflop/s.
    pub mflops: f64,
}

/// Published rates [Radiosity03, §3.1]. Their rates of floating-point operations mean a matrix of about 1,541 elements;
/// Figure 4 goes up to 2,048, the largest texture.
pub const PUBLISHED: [PublishedRate; 2] = [
    PublishedRate { solver: "Jacobi, GeForce FX 5900 Ultra", iterations_per_second: 29.7, mflops: 141.0 },
    PublishedRate { solver: "Gauss-Seidel, Athlon 2800+", iterations_per_second: 40.0, mflops: 190.0 },
];

/// Rates for one number of patches. All solve three channels over one matrix in f32.
#[derive(Clone, Debug, Serialize)]
pub struct SizeRow {
    /// Number of patches.
    pub patches: usize,
    /// Size of the dense matrix, bytes.
    pub bytes: usize,
    /// Time to compute the form factors, seconds of wall time.
    pub form_factor_secs: f64,
    /// Rays for them, visibility between pairs in closed form not included.
    pub rays: u64,
    /// Change of the form factors by balancing: by making them reciprocal, by scaling, and the largest link of a patch to
    /// itself.
    pub balancing: [f64; 3],
    /// Largest deviation of a row sum, and of reciprocity.
    pub residuals: [f64; 2],
    /// Jacobi iterations per second of wall time, on all threads.
    pub jacobi_per_second: f64,
    /// Jacobi iterations per second of CPU time.
    pub jacobi_per_cpu_second: f64,
    /// Gauss-Seidel iterations per second, on one thread.
    pub gauss_seidel_per_second: f64,
    /// Rate at which Jacobi iterations read the matrix, divided by that of reading memory.
    pub bandwidth_share: f64,
    /// Time from a change of lights or colours to the new solution, seconds of wall time.
    pub relight_secs: f64,
}

/// Form factors by one tracer.
#[derive(Clone, Debug, Serialize)]
pub struct TracerRow {
    /// What traces the rays.
    pub tracer: &'static str,
    /// Time, seconds; balancing, which all have, is a part of it.
    pub seconds: f64,
    /// Mean over the area of the difference of a row from that of the kernel's form factors.
    pub difference: f64,
}

/// Convergence of one solver, as in [Radiosity03, Fig. 3].
#[derive(Clone, Debug, Serialize)]
pub struct ConvergenceRow {
    /// Name of the solver.
    pub solver: &'static str,
    /// Mean square of the residual at the start and after each iteration.
    pub mean_squares: Vec<f64>,
    /// Bound of the error of any radiosity, as a fraction of the largest one of a source.
    pub error_bound: f64,
}

/// Sweeps of Jacobi's iteration on a GPU.
#[derive(Clone, Debug, Serialize)]
pub struct GpuMatrixRow {
    /// Number of patches.
    pub patches: usize,
    /// Sweeps per second, by its time stamps.
    pub sweeps_per_second: f64,
    /// Rate at which the matrix is read, divided by that of reading and writing memory.
    pub bandwidth_share: f64,
    /// Residual after the last sweep, W/m².
    pub residual: f32,
}

/// Time of a stage of an iteration.
#[derive(Clone, Debug, Serialize)]
pub struct StageRow {
    /// Name.
    pub stage: &'static str,
    /// Time of one iteration, milliseconds; launching the stage alone is a part of it.
    pub ms: f64,
}

/// Error after some iterations of stochastic radiosity.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorRow {
    /// What shoots: texels to all texels that they see, also as the paper prints the iteration, or rays.
    pub shots: &'static str,
    /// Their number in an iteration.
    pub bundles: u32,
    /// Number of iterations.
    pub iterations: u32,
    /// Their time, milliseconds.
    pub ms: f64,
    /// Root mean square of the error of the irradiance, relative to that of the irradiance.
    pub error: f64,
}

/// Stochastic radiosity on a GPU.
#[derive(Clone, Debug, Serialize)]
pub struct StochasticRow {
    /// Width of the map, texels.
    pub resolution: u32,
    /// Fraction of the texels that have a surface.
    pub utilisation: f32,
    /// Time of an iteration with one texel that shoots, milliseconds.
    pub iteration_ms: f64,
    /// Its stages.
    pub stages: Vec<StageRow>,
    /// Errors after the iterations of the paper's maps, and after fixed times.
    pub errors: Vec<ErrorRow>,
}

/// Measurements on a GPU.
#[derive(Clone, Debug, Serialize)]
pub struct GpuRadiosityReport {
    /// Name of the device.
    pub device: String,
    /// Rate at which a kernel reads and writes its memory, bytes per second.
    pub bandwidth: f64,
    /// One row per number of patches.
    pub matrices: Vec<GpuMatrixRow>,
    /// One row per resolution of the map.
    pub stochastic: Vec<StochasticRow>,
}

/// Report of the measurement.
#[derive(Clone, Debug, Serialize)]
pub struct RadiosityReport {
    /// Name of the scene.
    pub scene: String,
    /// Number of threads.
    pub threads: usize,
    /// Rate at which all threads read memory, bytes per second.
    pub bandwidth: f64,
    /// One row per number of patches.
    pub sizes: Vec<SizeRow>,
    /// Form factors of the first number of patches by each tracer.
    pub tracers: Vec<TracerRow>,
    /// Number of patches of the convergence.
    pub convergence_patches: usize,
    /// One row per solver.
    pub convergence: Vec<ConvergenceRow>,
    /// Hierarchical radiosity, if the scene has few triangles.
    pub hierarchy: Option<HierarchyReport>,
    /// Rates of 2003.
    pub published: [PublishedRate; 2],
    /// Measurements on a GPU.
    pub gpu: Option<GpuRadiosityReport>,
}

impl fmt::Display for RadiosityReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "matrix radiosity of {}, {} threads, memory is read at {:.1} GB/s",
            self.scene,
            self.threads,
            self.bandwidth * 1e-9
        )?;
        writeln!(f)?;
        let mut table = Table::new([
            "patches",
            "MB",
            "rays",
            "form factors s",
            "noise",
            "scaled",
            "kept",
            "row sums",
            "Jacobi/s",
            "per CPU s",
            "Gauss-Seidel/s",
            "of bandwidth",
            "relight ms",
        ]);
        table.extend(self.sizes.iter().map(SizeRow::cells));
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "iterations of three channels over one matrix in f32; the published ones are of one channel"
        )?;
        for PublishedRate { solver, iterations_per_second, mflops } in &self.published {
            writeln!(
                f,
                "[Radiosity03, §3.1] {solver}: {iterations_per_second} iterations/s, {mflops} Mflop/s: 2 N² for N = {:.0}",
                (mflops * 1e6 / iterations_per_second / 2.0).sqrt()
            )?;
        }
        self.write_tracers(f)?;
        self.write_convergence(f)?;
        self.hierarchy.as_ref().map_or(Ok(()), |hierarchy| write!(f, "\n\n{hierarchy}"))?;
        self.gpu.as_ref().map_or(Ok(()), |gpu| write!(f, "\n\n{gpu}"))
    }
}

impl RadiosityReport {
    fn write_tracers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nform factors of {} patches by each tracer\n", self.convergence_patches)?;
        let mut table = Table::new(["tracer", "seconds", "difference"]);
        for TracerRow { tracer, seconds, difference } in &self.tracers {
            table.row([(*tracer).to_string(), format!("{seconds:.2}"), format!("{difference:.0e}")]);
        }
        writeln!(f, "{table}")
    }

    fn write_convergence(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\nmean square of the residual, {} patches [Radiosity03, Fig. 3]\n",
            self.convergence_patches
        )?;
        let names = self.convergence.iter().map(|row| row.solver);
        let mut table = Table::new(["iteration"].into_iter().chain(names));
        let longest = self.convergence.iter().map(|row| row.mean_squares.len()).max().unwrap_or(0);
        for iteration in 0..longest {
            let value = |row: &ConvergenceRow| {
                row.mean_squares.get(iteration).map_or(NO_VALUE.to_string(), |error| format!("{error:.2e}"))
            };
            table.row([iteration.to_string()].into_iter().chain(self.convergence.iter().map(value)));
        }
        let bounds = self.convergence.iter().map(|row| format!("{:.1e}", row.error_bound));
        table.row(["error bound".to_string()].into_iter().chain(bounds));
        write!(f, "{table}")
    }
}

impl fmt::Display for GpuRadiosityReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: memory is read and written at {:.0} GB/s", self.device, self.bandwidth * 1e-9)?;
        writeln!(f)?;
        let mut table = Table::new(["patches", "Jacobi/s", "of bandwidth", "residual"]);
        for row in &self.matrices {
            table.row([
                row.patches.to_string(),
                format!("{:.0}", row.sweeps_per_second),
                format!("{:.0} %", 100.0 * row.bandwidth_share),
                format!("{:.0e}", row.residual),
            ]);
        }
        writeln!(f, "{table}")?;
        for row in &self.stochastic {
            writeln!(
                f,
                "stochastic radiosity, {0} × {0} texels on both sides, {1:.0} % used: {2:.3} ms an iteration, \
                 {3:.0}/s; 120 to 150 ms in [Stochastic04, §4]",
                row.resolution,
                100.0 * row.utilisation,
                row.iteration_ms,
                1e3 / row.iteration_ms
            )?;
            for StageRow { stage, ms } in &row.stages {
                writeln!(f, "  {stage}: {ms:.4} ms alone")?;
            }
            let mut table = Table::new(["shots", "in an iteration", "iterations", "ms", "error"]).indented();
            for ErrorRow { shots, bundles, iterations, ms, error } in &row.errors {
                let cells =
                    [(*shots).to_string(), bundles.to_string(), iterations.to_string(), format!("{ms:.1}")];
                table.row(cells.into_iter().chain([format!("{:.2} %", 100.0 * error)]));
            }
            writeln!(f, "{table}")?;
        }
        Ok(())
    }
}

impl SizeRow {
    fn cells(&self) -> Vec<String> {
        vec![
            self.patches.to_string(),
            format!("{:.0}", self.bytes as f64 * 1e-6),
            self.rays.to_string(),
            format!("{:.2}", self.form_factor_secs),
            format!("{:.3}", self.balancing[0]),
            format!("{:.4}", self.balancing[1]),
            format!("{:.0e}", self.balancing[2]),
            format!("{:.0e}", self.residuals[0]),
            format!("{:.0}", self.jacobi_per_second),
            format!("{:.0}", self.jacobi_per_cpu_second),
            format!("{:.0}", self.gauss_seidel_per_second),
            format!("{:.0} %", 100.0 * self.bandwidth_share),
            format!("{:.1}", 1e3 * self.relight_secs),
        ]
    }
}
