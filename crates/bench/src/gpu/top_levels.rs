//! Time to rebuild the top level on the GPU after all instances have moved, by the CPU or by the GPU, and the traversal
//! speed of both.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use sunfleck_gpu::{Gpu, GpuError, Mirror, MirrorOptions, RayBatch, TopLevelDevice, Tracer};
use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
use sunfleck_math::{Affine3, Vec3};
use sunfleck_sampling::rng;
use sunfleck_shaders::layout::Ray;

use super::{PASSES, median, rate, warm_up};
use crate::table::{Table, giga};
use crate::{BenchError, Subject};

/// Numbers of instances.
const COUNTS: [u32; 5] = [64, 256, 1024, 16_384, 131_072];
/// Number of random rays that measure the quality of a tree.
const RAYS: u32 = 1 << 20;

/// Results for a number of instances.
#[derive(Clone, Debug, Serialize)]
pub struct TopLevelRow {
    /// Number of instances.
    pub instances: u32,
    /// Median build time of the CPU's own top level, seconds.
    pub world_s: f64,
    /// Median time to update the GPU with a top level built by the CPU, upload included, seconds.
    pub processor_s: f64,
    /// Median time to update the GPU with a top level that it builds itself, seconds.
    pub gpu_s: f64,
    /// Closest hits of random rays per second of GPU time in the top level built by the CPU; `None` without time
    /// stamps.
    pub processor_rays: Option<f64>,
    /// Closest hits of random rays per second of GPU time in the top level built by the GPU.
    pub gpu_rays: Option<f64>,
}

/// Measures all numbers of instances.
///
/// # Errors
/// [`BenchError::Gpu`], [`BenchError::Build`].
pub fn top_levels(
    gpu: &Arc<Gpu>,
    rounds: u32,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<TopLevelRow>, BenchError> {
    let mesh = Subject::teapot(4).mesh;
    let blas = Arc::new(Blas::build(&mesh.positions, &mesh.triangles, &BuildOptions::default())?);
    let fence = GpuFence::new(gpu, &blas)?;
    let mut rows = Vec::new();
    for instances in COUNTS {
        progress(&format!("top levels of {instances} instances"));
        let cube = TeapotCube { blas: &blas, instances };
        let by_cpu = measure(gpu, &cube, &fence, TopLevelDevice::Cpu, rounds)?;
        let by_gpu = measure(gpu, &cube, &fence, TopLevelDevice::Gpu, rounds)?;
        rows.push(TopLevelRow {
            instances,
            world_s: by_cpu.world_s,
            processor_s: by_cpu.update_s,
            gpu_s: by_gpu.update_s,
            processor_rays: by_cpu.rays,
            gpu_rays: by_gpu.rays,
        });
    }
    Ok(rows)
}

/// Times and traversal speed of one kind of top level.
struct TopLevelTimes {
    world_s: f64,
    update_s: f64,
    rays: Option<f64>,
}

fn measure(
    gpu: &Arc<Gpu>,
    cube: &TeapotCube<'_>,
    fence: &GpuFence,
    top_level: TopLevelDevice,
    rounds: u32,
) -> Result<TopLevelTimes, BenchError> {
    let options = MirrorOptions { top_level, ..MirrorOptions::default() };
    let mut mirror = Mirror::with_options(gpu, &cube.world(0)?, &options)?;
    // The first update creates pipelines
    mirror.update(gpu, &cube.world(1)?)?;
    warm_up(|| fence.wait())?;
    let (mut worlds, mut updates) = (Vec::new(), Vec::new());
    for time in 2..2 + rounds.max(1) {
        let start = Instant::now();
        let world = cube.world(time)?;
        worlds.push(start.elapsed().as_secs_f64());
        let idle = fence.seconds()?;
        let start = Instant::now();
        mirror.update(gpu, &world)?;
        fence.wait()?;
        updates.push((start.elapsed().as_secs_f64() - idle).max(0.0));
    }
    let tracer = Tracer::new(gpu, &mirror)?;
    let batch = RayBatch::new(gpu, &cube.rays())?;
    warm_up(|| tracer.time_closest(&mirror, &batch, PASSES).map(|_| ()))?;
    let seconds = tracer.time_closest(&mirror, &batch, rounds)?;
    Ok(TopLevelTimes {
        world_s: median(worlds),
        update_s: median(updates),
        rays: rate(f64::from(RAYS), seconds),
    })
}

/// Randomly placed teapots in a cube, with the same density for all numbers of instances.
struct TeapotCube<'a> {
    blas: &'a Arc<Blas>,
    instances: u32,
}

impl TeapotCube<'_> {
    /// Returns the edge of the cube.
    fn edge(&self) -> f32 {
        sunfleck_math::pow(self.instances as f32, 1.0 / 3.0) * 2.0 * self.blas.bounds().diagonal()
    }

    /// Builds the top level of the instances at a time; their positions are different at each time.
    fn world(&self, time: u32) -> Result<Tlas, BenchError> {
        let instance = |i: u32| Instance {
            blas: 0,
            world_from_object: Affine3::from_translation(point([i, time, 0]) * self.edge()),
            mask: 1,
            opaque: true,
        };
        let instances = (0..self.instances).map(instance).collect();
        Ok(Tlas::build(vec![self.blas.clone()], instances, &BuildOptions::default())?)
    }

    fn rays(&self) -> Vec<Ray> {
        let ray = |i: u32| {
            let [from, to] = [1, 2].map(|end| point([i, 0, end]) * self.edge());
            Ray::from(&sunfleck_math::Ray::new(from, (to - from).normalize_or(Vec3::X)))
        };
        (0..RAYS).map(ray).collect()
    }
}

/// Returns a random point in the unit cube.
fn point([i, time, dimension]: [u32; 3]) -> Vec3 {
    let xy = rng::uniform_2d([i, time, dimension, 0]);
    Vec3::new(xy.x, xy.y, rng::uniform([i, time, dimension, 1]))
}

/// Waits until the GPU has finished all submitted work, by tracing one more ray.
struct GpuFence {
    mirror: Mirror,
    tracer: Tracer,
    batch: RayBatch,
}

impl GpuFence {
    fn new(gpu: &Arc<Gpu>, blas: &Arc<Blas>) -> Result<Self, BenchError> {
        let cube = TeapotCube { blas, instances: 1 };
        let mirror = Mirror::new(gpu, &cube.world(0)?)?;
        let tracer = Tracer::new(gpu, &mirror)?;
        let batch = RayBatch::new(gpu, &cube.rays()[..1])?;
        Ok(Self { mirror, tracer, batch })
    }

    fn wait(&self) -> Result<(), GpuError> {
        self.tracer.closest(&self.mirror, &self.batch).map(|_| ())
    }

    /// Returns the time of a wait for an idle GPU, seconds.
    fn seconds(&self) -> Result<f64, GpuError> {
        self.wait()?;
        let start = Instant::now();
        self.wait()?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Writes build times in milliseconds, and rays per second in both kinds of top level.
pub(super) fn table(rows: &[TopLevelRow], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\ntop-level builds after all instances have moved: milliseconds of wall time, medians, and closest hits"
    )?;
    let mut table = Table::new([
        "instances",
        "on the CPU",
        "CPU build on the GPU",
        "GPU build",
        "CPU build, Grays/s",
        "GPU build, Grays/s",
    ]);
    for row in rows {
        let ms = |seconds: f64| format!("{:.2}", seconds * 1e3);
        let times = [row.world_s, row.processor_s, row.gpu_s].map(ms);
        let rays = [giga(row.processor_rays), giga(row.gpu_rays)];
        table.row([row.instances.to_string()].into_iter().chain(times).chain(rays));
    }
    write!(f, "{table}")
}
