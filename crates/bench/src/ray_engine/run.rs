use std::sync::Arc;
use std::time::Instant;

use fearless_simd::Level;
use sunfleck_gpu::{Gpu, RayBatch};
use sunfleck_kernel::{Blas, BuildOptions, Instance, Quality, Tlas};
use sunfleck_math::{Affine3, Ray};
use sunfleck_ray_engine::tables::ray_engine_2002::{
    Application, BEST_TRIANGLES, PublishedScene, RAYS, Rates, SCENES, SYSTEMS, TRIANGLES,
};
use sunfleck_ray_engine::{
    Classic, ClassicSettings, ClassicStats, Crossbar, RayBackend, RayEngine, RayEngineError,
    RayEngineSettings, RayQuery, ReadBack, Ticket,
};
use sunfleck_shaders::layout::{Hit, Plane};

use super::report::{
    CostReport, Figure7, Figure7Point, RayEngineReport, SceneRow, SystemRow, TuningRow, gpu_percent,
};
use crate::gpu::WARM_UP;
use crate::rays::RayGenerator;
use crate::{BenchError, RayKind, Subject, Viewpoint};

/// Settings of the measurement.
#[derive(Clone, Debug)]
pub struct RayEngineBenchSettings {
    /// Primary rays per side of the image.
    pub resolution: u32,
    /// Number of timings; the best one counts.
    pub rounds: u32,
    /// Rays per batch of today's engine.
    pub batch: usize,
    /// SIMD level.
    pub level: Level,
}

/// R, rays per bucket, while T is varied [RayEngine02, §6.3].
const TUNED_RAYS: usize = 64;

/// Measures all tables and the figure.
///
/// * `gpu` — GPU, or the reason why there is none; then measurements that need it are left out.
///
/// # Errors
/// [`BenchError::Scene`], [`BenchError::Build`], [`BenchError::RayEngine`], [`BenchError::Gpu`].
pub fn run(
    settings: &RayEngineBenchSettings,
    gpu: Result<Arc<Gpu>, String>,
    progress: &mut dyn FnMut(&str),
) -> Result<RayEngineReport, BenchError> {
    let (gpu, without_gpu) = match gpu {
        Ok(gpu) => (Some(gpu), None),
        Err(why) => (None, Some(why)),
    };
    let mut rows = Vec::new();
    let mut costs = None;
    for published in SCENES {
        progress(&format!("{}: {}", published.scene, published.model));
        let stage = StagedRays::new(settings, &published)?;
        rows.push(stage.row(settings, published, gpu.as_ref())?);
        if costs.is_none() {
            costs = gpu.as_ref().map(|gpu| stage.costs(settings, gpu)).transpose()?;
        }
    }

    progress("teapot room: the organisation of 2002");
    let stage = StagedRays::new(settings, &SCENES[0])?;
    let tuned = |rays, triangles| ClassicSettings { rays, triangles, ..ClassicSettings::default() };
    let cpu = stage.classic(settings, None, tuned(TUNED_RAYS, BEST_TRIANGLES))?;
    let (mut systems, mut triangles, mut rays) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(gpu) = &gpu {
        systems = stage.systems(settings, gpu, tuned(TUNED_RAYS, BEST_TRIANGLES))?;
        for (range, ..) in TRIANGLES {
            progress(&format!("teapot room: {} to {} triangles", range[0], range[1]));
            let run = stage.classic(settings, Some(gpu), tuned(TUNED_RAYS, range))?;
            triangles.push(TuningRow::new(format!("{} - {}", range[0], range[1]), &run));
        }
        for (count, _) in RAYS {
            progress(&format!("teapot room: {count} rays"));
            let run = stage.classic(settings, Some(gpu), tuned(count, BEST_TRIANGLES))?;
            rays.push(TuningRow::new(count.to_string(), &run));
        }
        progress("crossbar");
    }
    let figure7 = gpu.as_ref().map(|gpu| figure7(settings, gpu, &stage)).transpose()?;
    let adapter = gpu.as_ref().map(|gpu| gpu.adapter().clone());
    Ok(RayEngineReport {
        device: adapter.as_ref().map(|adapter| adapter.name.clone()),
        driver: adapter.map(|adapter| adapter.driver),
        without_gpu,
        batch: settings.batch,
        scenes: rows,
        cpu_only: rate(&cpu),
        systems,
        triangles,
        rays,
        figure7,
        costs,
    })
}

/// Scene with the rays of its application.
struct StagedRays {
    world: Arc<Tlas>,
    triangles: Vec<Plane>,
    rays: Vec<Ray>,
}

impl StagedRays {
    fn new(settings: &RayEngineBenchSettings, published: &PublishedScene) -> Result<Self, BenchError> {
        let PublishedScene { model, camera, application, .. } = *published;
        let missing = |why: String| BenchError::Scene(format!("{model}: {why}"));
        let scene = sunfleck_models::build(model).map_err(|error| missing(error.to_string()))?;
        let mut subject = Subject::from_scene(model, &scene)?;
        let cameras = scene.world_cameras();
        let placed = cameras.get(camera).ok_or_else(|| missing("there is no camera".to_owned()))?;
        if let Some(camera) = scene.camera(placed.camera) {
            let world_from_view = placed.world_from_view;
            subject.viewpoint = Viewpoint { world_from_view, projection: camera.projection };
        }
        let options = BuildOptions { quality: Quality::Best, ..BuildOptions::default() };
        let mesh = &subject.mesh;
        let blas = Arc::new(Blas::build(&mesh.positions, &mesh.triangles, &options)?);
        let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
        let world = Arc::new(Tlas::build(vec![blas], vec![instance], &options)?);
        let generator = RayGenerator::new(&subject, &world, settings.level, settings.resolution);
        let kinds: &[RayKind] = match application {
            Application::Classical => &[RayKind::Primary, RayKind::Shadow],
            Application::MonteCarlo => &[RayKind::Primary, RayKind::Diffuse],
            Application::Casting => &[RayKind::Primary],
        };
        let rays = kinds.iter().flat_map(|&kind| generator.rays(kind).rays).collect();
        let corners = mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize]));
        Ok(Self { world: world.clone(), triangles: corners.map(Plane::new).collect(), rays })
    }

    fn row(
        &self,
        settings: &RayEngineBenchSettings,
        published: PublishedScene,
        gpu: Option<&Arc<Gpu>>,
    ) -> Result<SceneRow, BenchError> {
        let classic = self.classic(settings, gpu, ClassicSettings::default())?;
        let engine = |backend| self.engine(settings, backend).map(|(rays_per_s, _)| rays_per_s);
        Ok(SceneRow {
            published,
            triangles: self.triangles.len(),
            rays: self.rays.len(),
            classic: rate(&classic),
            gpu_percent: gpu.map(|_| gpu_percent(&classic)),
            cpu: engine(RayBackend::Cpu)?,
            gpu: gpu.map(|gpu| engine(RayBackend::Gpu(gpu.clone()))).transpose()?,
            shared: gpu.map(|gpu| engine(RayBackend::Shared(gpu.clone()))).transpose()?,
        })
    }

    /// Returns the best round of the organisation of 2002.
    fn classic(
        &self,
        settings: &RayEngineBenchSettings,
        gpu: Option<&Arc<Gpu>>,
        classic: ClassicSettings,
    ) -> Result<ClassicStats, BenchError> {
        let mut engine = Classic::new(&self.world, gpu, classic)?;
        let mut rounds = Vec::new();
        for _ in 0..settings.rounds.max(1) {
            let before = engine.stats();
            engine.trace(RayQuery::Closest, &self.rays);
            rounds.push(since(&engine.stats(), &before));
        }
        if let Some(why) = engine.trouble() {
            return Err(why.clone().into());
        }
        rounds.sort_by(|a, b| a.total_s.total_cmp(&b.total_s));
        Ok(rounds.first().copied().unwrap_or_default())
    }

    /// Measures [RayEngine02, Table 3]. The rate of an infinitely fast GPU is that without the time spent waiting for
    /// it.
    fn systems(
        &self,
        settings: &RayEngineBenchSettings,
        gpu: &Arc<Gpu>,
        classic: ClassicSettings,
    ) -> Result<Vec<SystemRow>, BenchError> {
        let with = |read_back| self.classic(settings, Some(gpu), ClassicSettings { read_back, ..classic });
        let waiting = with(ReadBack::Waiting)?;
        let asynchronous = with(ReadBack::Asynchronous)?;
        let infinite = waiting.rays as f64 / (waiting.total_s - waiting.waited_s);
        let rates = [rate(&waiting), rate(&asynchronous), infinite];
        let row = |((system, published), rays_per_s)| SystemRow { system, published, rays_per_s };
        Ok(SYSTEMS.into_iter().zip(rates).map(row).collect())
    }

    /// Measures today's engine; returns rays per second in the best round, and the engine.
    fn engine(
        &self,
        settings: &RayEngineBenchSettings,
        backend: RayBackend,
    ) -> Result<(f64, RayEngine), BenchError> {
        let of_engine = RayEngineSettings { level: settings.level, ..RayEngineSettings::default() };
        let on_gpu = !matches!(backend, RayBackend::Cpu);
        let engine = RayEngine::new(&self.world, backend, &of_engine)?;
        let start = Instant::now();
        self.time_once(settings, &engine)?;
        while on_gpu && start.elapsed() < WARM_UP {
            self.time_once(settings, &engine)?;
        }
        let mut best = f64::INFINITY;
        for _ in 0..settings.rounds.max(1) {
            best = best.min(self.time_once(settings, &engine)?);
        }
        match engine.trouble() {
            Some(why) => Err(why.into()),
            None => Ok((self.rays.len() as f64 / best, engine)),
        }
    }

    /// Traces all rays once; returns the seconds from the submission of the first batch to the last hit. Rays, which
    /// the engine takes by value, are copied in advance.
    fn time_once(
        &self,
        settings: &RayEngineBenchSettings,
        engine: &RayEngine,
    ) -> Result<f64, RayEngineError> {
        let batches: Vec<Vec<Ray>> = self.rays.chunks(settings.batch.max(1)).map(<[Ray]>::to_vec).collect();
        let start = Instant::now();
        let mut tickets = Vec::with_capacity(batches.len());
        for mut rays in batches {
            loop {
                match engine.submit(RayQuery::Closest, rays) {
                    Ok(ticket) => break tickets.push(ticket),
                    Err(RayEngineError::Full { rays: back, .. }) if !tickets.is_empty() => rays = back,
                    Err(error) => return Err(error),
                }
                Ticket::first(&mut tickets)?;
            }
        }
        while Ticket::first(&mut tickets)?.is_some() {}
        Ok(start.elapsed().as_secs_f64())
    }

    fn costs(&self, settings: &RayEngineBenchSettings, gpu: &Arc<Gpu>) -> Result<CostReport, BenchError> {
        let (_, engine) = self.engine(settings, RayBackend::Shared(gpu.clone()))?;
        Ok(CostReport::new(&engine.costs(RayQuery::Closest), engine.traced()))
    }
}

/// Measures [RayEngine02, Fig. 7]: fill rate and read-back, the rates that follow from them, and measured rates.
fn figure7(
    settings: &RayEngineBenchSettings,
    gpu: &Arc<Gpu>,
    stage: &StagedRays,
) -> Result<Figure7, BenchError> {
    let rays: Vec<sunfleck_shaders::layout::Ray> = stage.rays.iter().map(Into::into).collect();
    let batch = RayBatch::new(gpu, &rays)?;
    let crossbar = |triangles: usize| {
        let planes: Vec<Plane> = stage.triangles.iter().copied().cycle().take(triangles).collect();
        Crossbar::new(gpu, &planes)
    };
    let wall = |crossbar: &Crossbar| -> Result<f64, BenchError> {
        let mut best = f64::INFINITY;
        for _ in 0..settings.rounds.max(1) {
            let start = Instant::now();
            crossbar.closest(&batch)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    };
    let many = stage.triangles.len();
    let full = crossbar(many)?;
    let start = Instant::now();
    let mut device = None;
    while device.is_none() || start.elapsed() < WARM_UP {
        let seconds = full.time(&batch, settings.rounds.max(1))?;
        device = Some(seconds.and_then(|seconds| seconds.into_iter().reduce(f64::min)));
    }
    let fill_s = match device.flatten() {
        Some(seconds) => seconds,
        None => wall(&full)?,
    };
    let pairs = |triangles: usize| (triangles * rays.len()) as f64;
    let ray_bytes = size_of::<Hit>() as f64;
    let fill = pairs(many) / fill_s;
    let one = wall(&crossbar(1)?)?;
    let read_back = rays.len() as f64 * ray_bytes / (one - pairs(1) / fill).max(f64::MIN_POSITIVE);
    let ours = Rates { fill, read_back, ray_bytes };
    let mut points = Vec::new();
    for triangles in [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] {
        let measured = pairs(triangles) / wall(&crossbar(triangles)?)?;
        points.push(Figure7Point { triangles, modelled: ours.tests_per_s(triangles as f64), measured });
    }
    Ok(Figure7 { rays: rays.len(), ours, points })
}

fn rate(stats: &ClassicStats) -> f64 {
    stats.rays as f64 / stats.total_s
}

fn since(now: &ClassicStats, before: &ClassicStats) -> ClassicStats {
    ClassicStats {
        rays: now.rays - before.rays,
        gpu_rays: now.gpu_rays - before.gpu_rays,
        gpu_tests: now.gpu_tests - before.gpu_tests,
        cpu_tests: now.cpu_tests - before.cpu_tests,
        buckets: now.buckets - before.buckets,
        dispatches: now.dispatches - before.dispatches,
        waited_s: now.waited_s - before.waited_s,
        total_s: now.total_s - before.total_s,
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_gpu::AdapterChoice;

    use super::*;

    fn report(gpu: Result<Arc<Gpu>, String>) -> RayEngineReport {
        let settings = RayEngineBenchSettings { resolution: 64, rounds: 1, batch: 2000, level: Level::new() };
        run(&settings, gpu, &mut |_| {}).unwrap()
    }

    #[test]
    fn without_a_gpu_the_cpu_is_measured() {
        let report = report(Err("there is none".to_owned()));
        assert_eq!(report.scenes.len(), 5);
        for row in &report.scenes {
            assert!(row.cpu > 0.0 && row.classic > 0.0 && row.gpu.is_none(), "{row:?}");
            assert!(row.triangles.abs_diff(row.published.polygons as usize) < 15_000, "{row:?}");
        }
        assert!(report.cpu_only > 0.0 && report.systems.is_empty() && report.figure7.is_none());
        assert!(report.to_string().contains("there is none"), "{report}");
    }

    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn all_tables_are_measured() {
        let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
        let report = report(Ok(gpu));
        assert_eq!((report.systems.len(), report.triangles.len(), report.rays.len()), (3, 3, 4));
        let shares = report.scenes.iter().map(|row| row.gpu_percent.unwrap());
        assert!(shares.clone().all(|share| (0.0..=100.0).contains(&share)) && shares.sum::<f64>() > 0.0);
        let infinite = report.systems[2].rays_per_s;
        assert!(report.systems[0].rays_per_s <= infinite, "an infinitely fast GPU is not slower");
        let Figure7 { ours, points, .. } = report.figure7.as_ref().unwrap();
        for Figure7Point { triangles, modelled, measured } in points {
            assert!(*modelled <= ours.fill && *measured > 0.0, "{triangles}: {modelled}, {measured}");
        }
    }
}
