use std::fmt;

use serde::Serialize;

use super::path::{self, PathReport};
use super::table3::{self, Table3Row};
use super::top_levels::{self, TopLevelRow};
use crate::RayKind;
use crate::table::{NO_VALUE, Table, giga};

/// Results of a GPU.
#[derive(Clone, Debug, Serialize)]
pub struct GpuReport {
    /// Name of the GPU.
    pub device: String,
    /// Driver and version.
    pub driver: String,
    /// One row per scene.
    pub scenes: Vec<GpuSceneReport>,
    /// Test of all pairs of rays and triangles.
    pub crossbar: CrossbarReport,
    /// Path tracing; empty unless requested.
    pub paths: Vec<PathReport>,
    /// Images of the streaming ray tracer; empty unless the grid is requested.
    pub table3: Vec<Table3Row>,
    /// Top levels of moving instances; empty unless requested.
    pub top_levels: Vec<TopLevelRow>,
}

/// Results of one scene.
#[derive(Clone, Debug, Serialize)]
pub struct GpuSceneReport {
    /// Name of the scene.
    pub name: String,
    /// Number of triangles.
    pub triangles: usize,
    /// Memory of the acceleration structures on the GPU, bytes.
    pub bytes: u64,
    /// Entries of a thread's traversal stack.
    pub stack: u32,
    /// Time to convert and upload the trees, seconds.
    pub upload_s: f64,
    /// Memory of the driver's acceleration structures, bytes; `None` if its pipeline was not measured.
    pub driver_bytes: Option<u64>,
    /// One row per kind of rays.
    pub rays: Vec<RaysReport>,
}

/// Results of one kind of rays.
#[derive(Clone, Debug, Serialize)]
pub struct RaysReport {
    /// Kind of rays.
    pub kind: RayKind,
    /// Number of rays.
    pub rays: usize,
    /// Median closest hits per second of GPU time; `None` without time stamps.
    pub closest: Option<f64>,
    /// Closest hits per second of wall time, from the submission of all passes until the host has their times; the
    /// allocation of hits is included.
    pub closest_wall: Option<f64>,
    /// Median any hits per second of GPU time; `None` without time stamps.
    pub any: Option<f64>,
    /// Any hits per second of wall time.
    pub any_wall: Option<f64>,
    /// Number of rays whose hits differ from those of the CPU.
    pub differ: usize,
    /// Results of a uniform grid, if requested.
    pub grid: Option<GridReport>,
    /// Results of the driver's ray-tracing pipeline, if measured.
    pub driver: Option<DriverReport>,
}

/// Results of the driver's ray-tracing pipeline, which returns distance and triangle only, on the same rays.
#[derive(Clone, Debug, Serialize)]
pub struct DriverReport {
    /// Median closest hits per second of GPU time.
    pub closest: f64,
    /// Median any hits per second of GPU time.
    pub any: f64,
    /// Number of rays whose hits differ from those of the CPU.
    pub differ: usize,
}

/// Results of a uniform grid, the structure of the streaming ray tracer [Wald03, §3.3], on the same rays.
#[derive(Clone, Debug, Serialize)]
pub struct GridReport {
    /// Median closest hits per second of GPU time; `None` without time stamps.
    pub closest: Option<f64>,
    /// Number of rays whose hits differ from those of the CPU.
    pub differ: usize,
}

/// Results of the crossbar, which tests all pairs of rays and triangles.
#[derive(Clone, Debug, Serialize)]
pub struct CrossbarReport {
    /// Number of rays.
    pub rays: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Ray-triangle tests per second of GPU time; `None` without time stamps.
    pub tests: Option<f64>,
    /// Ray-triangle tests per second of wall time.
    pub tests_wall: Option<f64>,
}

/// Published rate of a GPU of 2002: 114 million tests per second [RayEngine02, §5].
const TESTS_2002: f64 = 0.114e9;

impl fmt::Display for GpuReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {}", self.device, self.driver)?;
        writeln!(f, "rays per second of GPU time, medians, and of wall time")?;
        for scene in &self.scenes {
            let GpuSceneReport { name, triangles, bytes, stack, upload_s, driver_bytes, rays } = scene;
            let per_triangle = *bytes as f64 / (*triangles).max(1) as f64;
            writeln!(
                f,
                "\n{name}: {triangles} triangles, {per_triangle:.1} bytes per triangle, stack of {stack} entries, uploaded in {upload_s:.2} s"
            )?;
            if let Some(bytes) = driver_bytes {
                let per_triangle = *bytes as f64 / (*triangles).max(1) as f64;
                writeln!(f, "  the driver's acceleration structures: {per_triangle:.1} bytes per triangle")?;
            }
            let has_grid = rays.iter().any(|set| set.grid.is_some());
            let headings =
                ["rays", "number", "closest, G/s", "wall, G/s", "any, G/s", "wall, G/s", "differ from CPU"];
            let of_grid = ["grid: closest, G/s", "grid / BVH", "differ"].into_iter().filter(|_| has_grid);
            let of_driver = ["driver: closest, G/s", "ours / driver", "any, G/s", "ours / driver", "differ"];
            let of_driver = of_driver.into_iter().filter(|_| driver_bytes.is_some());
            let mut table = Table::new(headings.into_iter().chain(of_grid).chain(of_driver)).indented();
            for set in rays {
                let mut cells = vec![set.kind.name().to_owned(), set.rays.to_string()];
                cells.extend([set.closest, set.closest_wall, set.any, set.any_wall].map(giga));
                cells.push(set.differ.to_string());
                if let Some(grid) = &set.grid {
                    let share = grid.closest.zip(set.closest).map(|(grid, trees)| grid / trees);
                    let share = share.map_or(NO_VALUE.to_owned(), |share| format!("{share:.3}"));
                    cells.extend([giga(grid.closest), share, grid.differ.to_string()]);
                }
                if let Some(driver) = &set.driver {
                    let times = |ours: Option<f64>, theirs: f64| {
                        ours.map_or(NO_VALUE.to_owned(), |ours| format!("{:.2} ×", ours / theirs))
                    };
                    cells.extend([giga(Some(driver.closest)), times(set.closest, driver.closest)]);
                    cells.extend([giga(Some(driver.any)), times(set.any, driver.any)]);
                    cells.push(driver.differ.to_string());
                }
                table.row(cells);
            }
            write!(f, "{table}")?;
        }
        let CrossbarReport { rays, triangles, tests, tests_wall } = self.crossbar;
        writeln!(
            f,
            "\ncrossbar: {rays} rays, {triangles} triangles: {} G tests/s of GPU time, {} of wall time; 0.114 in 2002",
            giga(tests),
            giga(tests_wall)
        )?;
        if let Some(tests) = tests {
            writeln!(f, "  {:.0} times the rate of 2002", tests / TESTS_2002)?;
        }
        path::table(&self.paths, f)?;
        table3::table(&self.table3, f)?;
        top_levels::table(&self.top_levels, f)
    }
}
