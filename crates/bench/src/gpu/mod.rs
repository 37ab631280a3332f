//! Rays per second on a GPU, by its time stamps; its hits are compared with those of the CPU.

pub mod igi;
mod path;
mod report;
mod table3;
mod top_levels;

use std::sync::Arc;
use std::time::{Duration, Instant};

use sunfleck_gpu::{Gpu, Mirror, RayBatch, Tracer};
use sunfleck_kernel::{Blas, BuildOptions, Coherence, HitBuffer, Instance, MISS, Quality, Tlas};
use sunfleck_math::Affine3;
use sunfleck_ray_engine::{Crossbar, UniformGrid};
use sunfleck_shaders::layout::{Hit, Plane, Ray};

use crate::driver::{DriverError, DriverTracer};
use crate::rays::RayGenerator;
use crate::{BenchError, RayKind, RaySet, Subject};
pub use path::{PathReport, path};
pub use report::{CrossbarReport, DriverReport, GpuReport, GpuSceneReport, GridReport, RaysReport};
pub use table3::{Table3Row, table3};
pub use top_levels::{TopLevelRow, top_levels};

/// Settings of the measurement.
#[derive(Clone, Debug)]
pub struct GpuTraceSettings {
    /// Kinds of rays.
    pub kinds: Vec<RayKind>,
    /// Primary rays per side of the image.
    pub resolution: u32,
    /// Number of timings.
    pub rounds: u32,
    /// Numbers of rays and triangles of the crossbar.
    pub crossbar: [u32; 2],
    /// Whether the rays are also traced through a uniform grid.
    pub grid: bool,
    /// Whether the rays are also traced by the driver's ray-tracing pipeline.
    pub driver: bool,
}

/// Time for which the GPU is kept busy before a measurement. An idle GPU runs at a fraction of its clock rate, and
/// stays there under light load.
pub(crate) const WARM_UP: Duration = Duration::from_millis(700);
/// Number of passes that are submitted together to warm up.
const PASSES: u32 = 32;

/// Tolerance of distances, as a fraction of the distance plus the diagonal of the world.
const TOLERANCE: f32 = 1e-5;

/// Measures all scenes and the crossbar.
///
/// # Errors
/// [`BenchError::Gpu`], [`BenchError::Build`].
pub fn run(
    settings: &GpuTraceSettings,
    subjects: &[Subject],
    gpu: &Arc<Gpu>,
    progress: &mut dyn FnMut(&str),
) -> Result<GpuReport, BenchError> {
    let mut scenes = Vec::new();
    for subject in subjects {
        scenes.push(scene(settings, subject, gpu, progress)?);
    }
    progress("crossbar: all pairs");
    let crossbar = crossbar(settings, gpu)?;
    let adapter = gpu.adapter();
    Ok(GpuReport {
        device: adapter.name.clone(),
        driver: adapter.driver.clone(),
        scenes,
        crossbar,
        paths: Vec::new(),
        table3: Vec::new(),
        top_levels: Vec::new(),
    })
}

fn scene(
    settings: &GpuTraceSettings,
    subject: &Subject,
    gpu: &Arc<Gpu>,
    progress: &mut dyn FnMut(&str),
) -> Result<GpuSceneReport, BenchError> {
    let Subject { name, mesh, .. } = subject;
    progress(&format!("{name}: building {} triangles", mesh.triangles.len()));
    let options = BuildOptions { quality: Quality::Best, ..BuildOptions::default() };
    let blas = Arc::new(Blas::build(&mesh.positions, &mesh.triangles, &options)?);
    let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
    let world = Tlas::build(vec![blas], vec![instance], &options)?;
    let start = Instant::now();
    let mirror = Mirror::new(gpu, &world)?;
    let upload_s = start.elapsed().as_secs_f64();
    let tracer = Tracer::new(gpu, &mirror)?;
    let level = fearless_simd::Level::new();
    let generator = RayGenerator::new(subject, &world, level, settings.resolution);
    let corners = || mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize])).collect::<Vec<_>>();
    let grid = settings.grid.then(|| UniformGrid::new(gpu, &corners())).transpose()?;
    let driver = driver(settings, subject, gpu, progress)?;
    let mut rays = Vec::new();
    for &kind in &settings.kinds {
        progress(&format!("{name}: {} rays", kind.name()));
        let set = generator.rays(kind);
        let batch: Vec<Ray> = set.rays.iter().map(Ray::from).collect();
        let mut report = trace(settings, &world, &mirror, &tracer, gpu, &set, &batch)?;
        if let Some(driver) = &driver {
            report.driver = Some(trace_driver(settings, &world, driver, &set, &batch)?);
        }
        if let Some(grid) = &grid {
            report.grid = Some(trace_grid(settings, &world, grid, gpu, &set, &batch)?);
        }
        rays.push(report);
    }
    Ok(GpuSceneReport {
        name: name.clone(),
        triangles: mesh.triangles.len(),
        bytes: mirror.memory_bytes(),
        stack: mirror.stack(),
        upload_s,
        driver_bytes: driver.as_ref().map(DriverTracer::bytes),
        rays,
    })
}

/// Builds the driver's acceleration structures of the mesh, if requested and supported.
fn driver(
    settings: &GpuTraceSettings,
    subject: &Subject,
    gpu: &Gpu,
    progress: &mut dyn FnMut(&str),
) -> Result<Option<DriverTracer>, BenchError> {
    if !settings.driver {
        return Ok(None);
    }
    match DriverTracer::new(&gpu.adapter().name, &subject.mesh) {
        Ok(driver) => Ok(Some(driver)),
        Err(DriverError::Unavailable(why)) => {
            progress(&format!("the driver's ray-tracing pipeline is not measured: {why}"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn trace(
    settings: &GpuTraceSettings,
    world: &Tlas,
    mirror: &Mirror,
    tracer: &Tracer,
    gpu: &Arc<Gpu>,
    set: &RaySet,
    rays: &[Ray],
) -> Result<RaysReport, BenchError> {
    let batch = match set.kind.coherence() {
        Coherence::Coherent => RayBatch::coherent(gpu, rays)?,
        _ => RayBatch::new(gpu, rays)?,
    };
    let found = tracer.closest(mirror, &batch)?;
    let differ = differences(world, set, &found);
    warm_up(|| tracer.time_closest(mirror, &batch, PASSES).map(|_| ()))?;
    let work = rays.len() as f64;
    let (closest, closest_wall) = rates(work, || tracer.time_closest(mirror, &batch, settings.rounds))?;
    // The driver may compile a shader at its first use
    tracer.occluded(mirror, &batch)?;
    let (any, any_wall) = rates(work, || tracer.time_any(mirror, &batch, settings.rounds))?;
    Ok(RaysReport {
        kind: set.kind,
        rays: rays.len(),
        closest,
        closest_wall,
        any,
        any_wall,
        differ,
        grid: None,
        driver: None,
    })
}

fn trace_driver(
    settings: &GpuTraceSettings,
    world: &Tlas,
    driver: &DriverTracer,
    set: &RaySet,
    rays: &[Ray],
) -> Result<DriverReport, BenchError> {
    let batch = driver.rays(rays)?;
    let differ = differences(world, set, &driver.closest(&batch)?);
    warm_up(|| driver.time_closest(&batch, PASSES).map(|_| ()))?;
    let rate = |seconds: Vec<f64>| rays.len() as f64 / median(seconds);
    Ok(DriverReport {
        closest: rate(driver.time_closest(&batch, settings.rounds)?),
        any: rate(driver.time_any(&batch, settings.rounds)?),
        differ,
    })
}

fn trace_grid(
    settings: &GpuTraceSettings,
    world: &Tlas,
    grid: &UniformGrid,
    gpu: &Arc<Gpu>,
    set: &RaySet,
    rays: &[Ray],
) -> Result<GridReport, BenchError> {
    let batch = RayBatch::new(gpu, rays)?;
    let differ = differences(world, set, &grid.closest(&batch)?);
    warm_up(|| grid.time_closest(&batch, 1).map(|_| ()))?;
    let seconds = grid.time_closest(&batch, settings.rounds)?;
    Ok(GridReport { closest: rate(rays.len() as f64, seconds), differ })
}

/// Repeats work until the GPU runs at its full clock rate.
pub(crate) fn warm_up<E>(mut work: impl FnMut() -> Result<(), E>) -> Result<(), E> {
    let start = Instant::now();
    while start.elapsed() < WARM_UP {
        work()?;
    }
    Ok(())
}

/// Number of rays whose hits differ from those of the CPU by more than rounding explains.
fn differences(world: &Tlas, set: &RaySet, found: &[Hit]) -> usize {
    let mut expected = HitBuffer::default();
    expected.resize(set.rays.len());
    let stream = set.slice(0..set.rays.len()).stream;
    let level = fearless_simd::Level::new();
    world.intersect_stream(level, &stream, set.kind.coherence(), &mut expected.as_stream());
    let reach = world.bounds().diagonal();
    let differs = |(i, hit): &(usize, &Hit)| {
        let (prim_id, t) = (expected.prim_id[*i], expected.t[*i]);
        match (prim_id, hit.prim_id) {
            (MISS, Hit::MISS) => false,
            (MISS, _) | (_, Hit::MISS) => true,
            _ => (t - hit.t).abs() > TOLERANCE * (t.abs() + reach),
        }
    };
    found.iter().enumerate().filter(differs).count()
}

/// Tests random rays against the triangles of a teapot.
fn crossbar(settings: &GpuTraceSettings, gpu: &Arc<Gpu>) -> Result<CrossbarReport, BenchError> {
    let [rays, triangles] = settings.crossbar;
    let subject = Subject::teapot(64);
    let mesh = &subject.mesh;
    let corners = mesh.triangles.iter().map(|t| Plane::new(t.map(|v| mesh.positions[v as usize])));
    let planes: Vec<Plane> = corners.cycle().take(triangles as usize).collect();
    let options = BuildOptions { quality: Quality::Fast, ..BuildOptions::default() };
    let blas = Arc::new(Blas::build(&mesh.positions, &mesh.triangles, &options)?);
    let world = Tlas::build(vec![blas], vec![], &options)?;
    let side = f64::from(rays).sqrt();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a film size")]
    let generator = RayGenerator::new(&subject, &world, fearless_simd::Level::new(), side as u32);
    let set = generator.rays(RayKind::Random);
    let rays: Vec<Ray> = set.rays.iter().map(Ray::from).collect();
    let batch = RayBatch::new(gpu, &rays)?;
    let crossbar = Crossbar::new(gpu, &planes)?;
    warm_up(|| crossbar.time(&batch, settings.rounds).map(|_| ()))?;
    let pairs = rays.len() as f64 * planes.len() as f64;
    let (tests, tests_wall) = rates(pairs, || crossbar.time(&batch, settings.rounds))?;
    Ok(CrossbarReport { rays: rays.len(), triangles: planes.len(), tests, tests_wall })
}

/// Returns the rate of passes, per second: the median by GPU time, and the mean by wall time. `None` without time
/// stamps.
fn rates<E>(
    work: f64,
    time: impl FnOnce() -> Result<Option<Vec<f64>>, E>,
) -> Result<(Option<f64>, Option<f64>), E> {
    let start = Instant::now();
    let seconds = time()?;
    let elapsed = start.elapsed().as_secs_f64();
    let wall = seconds.as_ref().map(|seconds| work * seconds.len() as f64 / elapsed);
    Ok((rate(work, seconds), wall))
}

/// Returns the rate at the median time, per second.
fn rate(work: f64, seconds: Option<Vec<f64>>) -> Option<f64> {
    seconds.map(|seconds| work / median(seconds))
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN)
}
