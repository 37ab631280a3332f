use std::fmt;

use serde::Serialize;
use sunfleck_ray_engine::tables::ray_engine_2002::{
    CPU_ONLY, GEFORCE3, GEFORCE4, PublishedScene, RADEON_8500, RAYS, Rates, TRIANGLES,
};
use sunfleck_ray_engine::{ClassicStats, Costs, Traced};

use crate::table::{NO_VALUE, Table};

/// Report of the measurement.
#[derive(Clone, Debug, Serialize)]
pub struct RayEngineReport {
    /// Name of the GPU; `None` without one.
    pub device: Option<String>,
    /// Driver and version.
    pub driver: Option<String>,
    /// Reason why there is no GPU.
    pub without_gpu: Option<String>,
    /// Rays per batch of today's engine.
    pub batch: usize,
    /// Rows of Tables 1 and 2.
    pub scenes: Vec<SceneRow>,
    /// First row of Tables 3 to 5: rays per second with the organisation of 2002 without a GPU.
    pub cpu_only: f64,
    /// Rows of Table 3.
    pub systems: Vec<SystemRow>,
    /// Rows of Table 4.
    pub triangles: Vec<TuningRow>,
    /// Rows of Table 5.
    pub rays: Vec<TuningRow>,
    /// Figure 7; `None` without a GPU.
    pub figure7: Option<Figure7>,
    /// Costs by which the shared engine assigns rays to CPU and GPU; `None` without a GPU.
    pub costs: Option<CostReport>,
}

/// Row of Tables 1 and 2; rates are rays per second.
#[derive(Clone, Debug, Serialize)]
pub struct SceneRow {
    /// Published figures.
    pub published: PublishedScene,
    /// Number of triangles of the built-in scene.
    pub triangles: usize,
    /// Number of rays.
    pub rays: usize,
    /// Rate of the organisation of 2002: one core, and the GPU if there is one.
    pub classic: f64,
    /// Percentage of its rays that the GPU tested; `None` without a GPU.
    pub gpu_percent: Option<f64>,
    /// Rate of today's engine on the CPU.
    pub cpu: f64,
    /// Rate of today's engine on the GPU.
    pub gpu: Option<f64>,
    /// Rate of today's engine on both.
    pub shared: Option<f64>,
}

/// Row of Table 3.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SystemRow {
    /// Name of the system in the paper.
    pub system: &'static str,
    /// Published rays per second.
    pub published: f64,
    /// Measured rays per second.
    pub rays_per_s: f64,
}

/// Row of Tables 4 and 5.
#[derive(Clone, Debug, Serialize)]
pub struct TuningRow {
    /// Value of the parameter that is varied.
    pub what: String,
    /// Percentage of the rays that the GPU tested.
    pub gpu_percent: f64,
    /// Measured rays per second.
    pub rays_per_s: f64,
}

impl TuningRow {
    pub(super) fn new(what: String, stats: &ClassicStats) -> Self {
        Self { what, gpu_percent: gpu_percent(stats), rays_per_s: stats.rays as f64 / stats.total_s }
    }
}

/// Figure 7: tests per second by the number of triangles.
#[derive(Clone, Debug, Serialize)]
pub struct Figure7 {
    /// Number of rays.
    pub rays: usize,
    /// Measured rates of this GPU.
    pub ours: Rates,
    /// Points of the curve.
    pub points: Vec<Figure7Point>,
}

/// Point of Figure 7; rates are ray-triangle tests per second.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figure7Point {
    /// Number of triangles, T.
    pub triangles: usize,
    /// Rate by Eq. 11, from the measured rates.
    pub modelled: f64,
    /// Measured rate by wall time, read-back included.
    pub measured: f64,
}

/// Costs of rays in the shared engine.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CostReport {
    /// Upload, bytes per second.
    pub upload: f64,
    /// Fixed cost of a dispatch, seconds.
    pub dispatch_s: f64,
    /// Traversal on the GPU, rays per second.
    pub trace: f64,
    /// Read-back, bytes per second.
    pub read_back: f64,
    /// Traversal on one CPU core, rays per second.
    pub core: f64,
    /// Percentage of the rays that the GPU traced.
    pub gpu_percent: f64,
}

impl CostReport {
    pub(super) fn new(costs: &Costs, Traced { cores, gpu }: Traced) -> Self {
        Self {
            upload: 32.0 / costs.upload.ray_s,
            dispatch_s: costs.trace.fixed_s,
            trace: costs.trace.ray_s.recip(),
            read_back: 20.0 / costs.read_back.ray_s,
            core: costs.core.ray_s.recip(),
            gpu_percent: gpu as f64 / (cores + gpu).max(1) as f64 * 100.0,
        }
    }
}

impl fmt::Display for RayEngineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.device, &self.driver, &self.without_gpu) {
            (Some(device), Some(driver), _) => writeln!(f, "{device}, {driver}")?,
            (.., Some(why)) => writeln!(f, "measured on the CPU alone, without a GPU: {why}")?,
            _ => {}
        }
        self.table1(f)?;
        self.table2(f)?;
        self.table3(f)?;
        self.tuning(f, 4, "triangles T of the cells that the GPU tests, 64 rays", "T", &self.triangles)?;
        self.tuning(f, 5, "rays R per bucket, 5 to 15 triangles", "R", &self.rays)?;
        self.figure7(f)?;
        self.costs(f)
    }
}

impl RayEngineReport {
    fn table1(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n[RayEngine02, Table 1]: thousand rays per second; today in batches of {}",
            self.batch
        )?;
        let mut table = Table::new([
            "scene",
            "polygons",
            "2002",
            "ours",
            "triangles",
            "as in 2002",
            "CPU",
            "GPU",
            "shared",
        ])
        .indented();
        for row in &self.scenes {
            let PublishedScene { scene, polygons, rays_per_s, model, .. } = row.published;
            table.row([
                scene.to_owned(),
                polygons.to_string(),
                thousands(rays_per_s),
                model.to_owned(),
                row.triangles.to_string(),
                thousands(row.classic),
                thousands(row.cpu),
                row.gpu.map_or(NO_VALUE.to_owned(), thousands),
                row.shared.map_or(NO_VALUE.to_owned(), thousands),
            ]);
        }
        write!(f, "{table}")
    }

    fn table2(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n[RayEngine02, Table 2]: rays sent to the GPU")?;
        let mut table = Table::new(["scene", "2002", "today"]).indented();
        for row in &self.scenes {
            let percent = |percent: f64| format!("{percent:.0} %");
            let PublishedScene { scene, gpu_percent, .. } = row.published;
            let ours = row.gpu_percent.map_or(NO_VALUE.to_owned(), percent);
            table.row([scene.to_owned(), percent(gpu_percent), ours]);
        }
        write!(f, "{table}")
    }

    fn table3(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n[RayEngine02, Table 3]: the teapot room, thousand rays per second")?;
        let mut table = Table::new(["system", "2002", "speedup", "today", "speedup"]).indented();
        let cpu = ["CPU only".to_owned(), thousands(CPU_ONLY), String::new(), thousands(self.cpu_only)];
        table.row(cpu);
        for SystemRow { system, published, rays_per_s } in &self.systems {
            table.row([
                (*system).to_owned(),
                thousands(*published),
                speedup(*published, CPU_ONLY),
                thousands(*rays_per_s),
                speedup(*rays_per_s, self.cpu_only),
            ]);
        }
        write!(f, "{table}")
    }

    fn tuning(
        &self,
        f: &mut fmt::Formatter<'_>,
        number: u32,
        title: &str,
        what: &str,
        rows: &[TuningRow],
    ) -> fmt::Result {
        writeln!(f, "\n[RayEngine02, Table {number}]: {title}, thousand rays per second")?;
        let headings = [what, "2002", "speedup", "GPU rays", "today", "speedup", "GPU rays"];
        let mut table = Table::new(headings).indented();
        let empty = String::new;
        table.row(["CPU".to_owned(), thousands(CPU_ONLY), empty(), empty(), thousands(self.cpu_only)]);
        for row in rows {
            let (published, percent) = published_tuning(&row.what);
            table.row([
                row.what.clone(),
                published.map_or(NO_VALUE.to_owned(), thousands),
                published.map_or(NO_VALUE.to_owned(), |rate| speedup(rate, CPU_ONLY)),
                percent.map_or(NO_VALUE.to_owned(), |percent| format!("{percent:.0} %")),
                thousands(row.rays_per_s),
                speedup(row.rays_per_s, self.cpu_only),
                format!("{:.0} %", row.gpu_percent),
            ]);
        }
        write!(f, "{table}")
    }

    fn figure7(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Figure7 { rays, ours, points }) = &self.figure7 else { return Ok(()) };
        writeln!(f, "\n[RayEngine02, Fig. 7]: million ray-triangle tests per second, by Eq. 11")?;
        writeln!(
            f,
            "fill rate {:.0} M/s, read-back {:.0} MB/s with {:.0} bytes per ray, {rays} rays; Radeon 8500: {:.0} M/s",
            ours.fill * 1e-6,
            ours.read_back * 1e-6,
            ours.ray_bytes,
            RADEON_8500 * 1e-6
        )?;
        let headings = ["T", "GeForce3", "GeForce4 Ti4600", "this device", "measured"];
        let mut table = Table::new(headings).indented();
        for Figure7Point { triangles, modelled, measured } in points {
            let of = |rates: Rates| rates.tests_per_s(*triangles as f64);
            let millions =
                [of(GEFORCE3), of(GEFORCE4), *modelled, *measured].map(|x| format!("{:.0}", x * 1e-6));
            table.row([triangles.to_string()].into_iter().chain(millions));
        }
        write!(f, "{table}")
    }

    fn costs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(costs) = &self.costs else { return Ok(()) };
        writeln!(
            f,
            "\nshared, teapot room: upload {}, dispatch {:.0} µs, GPU {:.1} Mrays/s, read-back {}, CPU core {:.2} Mrays/s; {:.0} % of the rays on the GPU",
            gigabytes(costs.upload),
            costs.dispatch_s * 1e6,
            costs.trace * 1e-6,
            gigabytes(costs.read_back),
            costs.core * 1e-6,
            costs.gpu_percent
        )
    }
}

/// Returns rays per second and percentage of rays on the GPU in the tables of 2002.
fn published_tuning(what: &str) -> (Option<f64>, Option<f64>) {
    let by_triangles = TRIANGLES.iter().find(|([least, most], ..)| format!("{least} - {most}") == what);
    let by_rays = RAYS.iter().find(|(rays, _)| rays.to_string() == what);
    let rate = by_triangles.map(|&(.., rate)| rate).or(by_rays.map(|&(_, rate)| rate));
    (rate, by_triangles.map(|&(_, percent, _)| percent))
}

/// Formats the rate of a copy, which is infinite if the copy overlaps earlier work entirely.
fn gigabytes(rate: f64) -> String {
    if rate.is_finite() { format!("{:.2} GB/s", rate * 1e-9) } else { "overlapped".to_owned() }
}

/// Returns the percentage of the rays that the GPU tested.
pub(super) fn gpu_percent(stats: &ClassicStats) -> f64 {
    stats.gpu_rays as f64 / stats.rays.max(1) as f64 * 100.0
}

fn thousands(rate: f64) -> String {
    format!("{:.0}", rate * 1e-3)
}

fn speedup(rate: f64, before: f64) -> String {
    format!("{:.0} %", (rate / before - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use sunfleck_ray_engine::tables::ray_engine_2002::SCENES;

    use super::*;

    fn report() -> RayEngineReport {
        let scene = SceneRow {
            published: SCENES[2],
            triangles: 21_484,
            rays: 100,
            classic: 1e6,
            gpu_percent: None,
            cpu: 2e6,
            gpu: None,
            shared: None,
        };
        RayEngineReport {
            device: None,
            driver: None,
            without_gpu: Some("there is none".to_owned()),
            batch: 4096,
            scenes: vec![scene],
            cpu_only: 500e3,
            systems: vec![],
            triangles: vec![TuningRow { what: "5 - 12".to_owned(), gpu_percent: 42.0, rays_per_s: 600e3 }],
            rays: vec![],
            figure7: None,
            costs: None,
        }
    }

    #[test]
    fn published_figures_are_in_the_same_row() {
        let text = report().to_string();
        assert!(text.starts_with("measured on the CPU alone, without a GPU: there is none\n"), "{text}");
        let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = text.lines().map(squeezed).collect();
        let has = |line: &str| assert!(lines.iter().any(|own| own == line), "{line} in {text}");
        has("Office 34000 114 office 21484 1000 2000 – –");
        has("Office 65 % –");
        has("5 - 12 158 16 % 81 % 600 20 % 42 %");
        let json = serde_json::to_value(report()).unwrap();
        assert_eq!(json["scenes"][0]["published"]["application"], "classical");
    }
}
