//! How long it takes until the GPU has a top level of instances that have all moved: made by the CPU, or by the GPU; and how good it is.

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

/// How many instances.
const COUNTS: [u32; 5] = [64, 256, 1024, 16_384, 131_072];
/// Random rays that tell how good a tree is.
const RAYS: u32 = 1 << 20;

/// Of so many instances.
#[derive(Clone, Debug, Serialize)]
pub struct TopLevelRow {
    /// How many.
    pub instances: u32,
    /// Until the CPU has its own top level, seconds, the median.
    pub world_s: f64,
    /// From there until the GPU has one that the CPU made, upload included.
    pub processor_s: f64,
    /// Until it has made one.
    pub gpu_s: f64,
    /// Closest hits of random rays per second of the GPU's time in the former; none without time stamps.
    pub processor_rays: Option<f64>,
    /// In the latter.
    pub gpu_rays: Option<f64>,
}

/// Measures all.
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
    let end = End::new(gpu, &blas)?;
    let mut rows = Vec::new();
    for instances in COUNTS {
        progress(&format!("top levels of {instances} instances"));
        let place = Place { blas: &blas, instances };
        let by_processor = measure(gpu, &place, &end, TopLevelDevice::Cpu, rounds)?;
        let by_gpu = measure(gpu, &place, &end, TopLevelDevice::Gpu, rounds)?;
        rows.push(TopLevelRow {
            instances,
            world_s: by_processor.world_s,
            processor_s: by_processor.update_s,
            gpu_s: by_gpu.update_s,
            processor_rays: by_processor.rays,
            gpu_rays: by_gpu.rays,
        });
    }
    Ok(rows)
}

struct Measured {
    world_s: f64,
    update_s: f64,
    rays: Option<f64>,
}

fn measure(
    gpu: &Arc<Gpu>,
    place: &Place<'_>,
    end: &End,
    top_level: TopLevelDevice,
    rounds: u32,
) -> Result<Measured, BenchError> {
    let options = MirrorOptions { top_level, ..MirrorOptions::default() };
    let mut mirror = Mirror::with_options(gpu, &place.world(0)?, &options)?;
    // Pipelines are made with the first update
    mirror.update(gpu, &place.world(1)?)?;
    warm_up(|| end.wait())?;
    let (mut worlds, mut updates) = (Vec::new(), Vec::new());
    for moment in 2..2 + rounds.max(1) {
        let start = Instant::now();
        let world = place.world(moment)?;
        worlds.push(start.elapsed().as_secs_f64());
        let idle = end.seconds()?;
        let start = Instant::now();
        mirror.update(gpu, &world)?;
        end.wait()?;
        updates.push((start.elapsed().as_secs_f64() - idle).max(0.0));
    }
    let tracer = Tracer::new(gpu, &mirror)?;
    let batch = RayBatch::new(gpu, &place.rays())?;
    warm_up(|| tracer.time_closest(&mirror, &batch, PASSES).map(|_| ()))?;
    let seconds = tracer.time_closest(&mirror, &batch, rounds)?;
    Ok(Measured { world_s: median(worlds), update_s: median(updates), rays: rate(f64::from(RAYS), seconds) })
}

/// Teapots in a cube, as many to each volume however many there are.
struct Place<'a> {
    blas: &'a Arc<Blas>,
    instances: u32,
}

impl Place<'_> {
    /// Edge of the cube.
    fn edge(&self) -> f32 {
        sunfleck_math::pow(self.instances as f32, 1.0 / 3.0) * 2.0 * self.blas.bounds().diagonal()
    }

    /// Where all are at a moment.
    fn world(&self, moment: u32) -> Result<Tlas, BenchError> {
        let instance = |i: u32| Instance {
            blas: 0,
            world_from_object: Affine3::from_translation(point([i, moment, 0]) * self.edge()),
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

/// A random point of the unit cube.
fn point([i, moment, what]: [u32; 3]) -> Vec3 {
    let across = rng::uniform_2d([i, moment, what, 0]);
    Vec3::new(across.x, across.y, rng::uniform([i, moment, what, 1]))
}

/// Tells when the GPU has done all: it answers one more question.
struct End {
    mirror: Mirror,
    tracer: Tracer,
    batch: RayBatch,
}

impl End {
    fn new(gpu: &Arc<Gpu>, blas: &Arc<Blas>) -> Result<Self, BenchError> {
        let place = Place { blas, instances: 1 };
        let mirror = Mirror::new(gpu, &place.world(0)?)?;
        let tracer = Tracer::new(gpu, &mirror)?;
        let batch = RayBatch::new(gpu, &place.rays()[..1])?;
        Ok(Self { mirror, tracer, batch })
    }

    fn wait(&self) -> Result<(), GpuError> {
        self.tracer.closest(&self.mirror, &self.batch).map(|_| ())
    }

    /// Seconds that asking takes.
    fn seconds(&self) -> Result<f64, GpuError> {
        self.wait()?;
        let start = Instant::now();
        self.wait()?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Milliseconds of both, and rays per second in both.
pub(super) fn table(rows: &[TopLevelRow], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(f, "\ntop levels of instances that have all moved, ms by the clock on the wall, medians")?;
    let mut table = Table::new([
        "instances",
        "the CPU's own",
        "the same on the GPU",
        "made by the GPU",
        "closest, G/s",
        "made by the GPU",
    ]);
    for row in rows {
        let ms = |seconds: f64| format!("{:.2}", seconds * 1e3);
        let times = [row.world_s, row.processor_s, row.gpu_s].map(ms);
        let rays = [giga(row.processor_rays), giga(row.gpu_rays)];
        table.row([row.instances.to_string()].into_iter().chain(times).chain(rays));
    }
    write!(f, "{table}")
}
