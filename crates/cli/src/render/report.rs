//! What a rendering did, for people and, as JSON, for programs.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use sunfleck_command::simd;
use sunfleck_engine::FrameResult;
use sunfleck_image::Film;
use sunfleck_integrators::{Algorithm, StopReason};

use super::args::RenderArgs;
use super::output::Written;
use super::stage::RenderSetup;
use crate::sheet::{Sheet, columns};
use crate::{memory, units};

/// A file with a hundred faults shall not hide the rest.
const NOTES_LISTED: usize = 8;

/// All that is worth knowing afterwards. Times are in seconds, sizes in bytes.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    scene: SceneFacts,
    notes: Vec<String>,
    picture: PictureFacts,
    load_secs: f64,
    build_secs: f64,
    bvh_bytes: u64,
    render: RenderFacts,
    peak_memory_bytes: Option<u64>,
    written: Vec<Written>,
}

#[derive(Debug, Serialize)]
struct SceneFacts {
    name: String,
    triangles: u64,
    instances: u64,
    lights: u64,
}

#[derive(Debug, Serialize)]
struct PictureFacts {
    width: u32,
    height: u32,
    camera: String,
    integrator: &'static str,
    sampler: &'static str,
    filter: &'static str,
    seed: u32,
    aovs: Vec<&'static str>,
    exposure_stops: f32,
}

#[derive(Debug, Serialize)]
struct RenderFacts {
    secs: f64,
    interrupted: bool,
    samples_per_pixel: u32,
    rays: u64,
    rays_per_sec: f64,
    /// Mean relative standard error; unknown below two samples per pixel.
    noise: Option<f32>,
    /// The GPU that rendered; none: the processor.
    gpu: Option<String>,
    /// The GPU's part of the samples, if it had one.
    gpu_samples_per_pixel: Option<u32>,
    threads: usize,
    simd: &'static str,
}

impl RenderFacts {
    fn by_whom(&self) -> String {
        let threads = units::counted(self.threads as u64, "thread", "threads");
        let processor = format!("{threads}, {}", self.simd);
        match (&self.gpu, self.gpu_samples_per_pixel) {
            (Some(gpu), Some(samples)) if samples < self.samples_per_pixel => {
                format!("{gpu}: {samples} of the samples; the rest: {processor}")
            }
            (Some(gpu), _) => gpu.clone(),
            (None, _) => processor,
        }
    }
}

impl Report {
    pub(super) fn new(
        args: &RenderArgs,
        algorithm: &Algorithm,
        stage: &RenderSetup,
        film: &Film,
        exposure_stops: f32,
        shot: &FrameResult,
        gpu: Option<&str>,
        written: Vec<Written>,
    ) -> Self {
        let RenderSetup { world, build_time, camera, .. } = stage;
        let (triangles, world) = (world.scene().instanced_triangle_count(), world.committed());
        let scene = SceneFacts {
            name: stage.name.clone(),
            triangles,
            instances: world.instance_count() as u64,
            lights: world.light_count() as u64,
        };
        let mut notes = stage.notes.clone();
        if film.dropped() > 0 {
            notes.push(format!(
                "warning: {} without a finite value were dropped",
                units::counted(film.dropped(), "sample", "samples")
            ));
        }
        let picture = PictureFacts {
            width: film.width(),
            height: film.height(),
            camera: camera.name.clone(),
            integrator: algorithm.name(),
            sampler: args.method.sampler.name(),
            filter: args.method.filter.name(),
            seed: args.method.seed,
            aovs: film.aovs().iter().map(|aov| aov.name()).collect(),
            exposure_stops,
        };
        let rays = shot.rays.total();
        let gpu_samples = Some(shot.by.gpu_samples).filter(|&samples| samples > 0);
        let render = RenderFacts {
            secs: shot.elapsed.as_secs_f64(),
            interrupted: shot.ended == StopReason::Cancelled,
            samples_per_pixel: shot.samples,
            rays,
            rays_per_sec: rays as f64 / shot.elapsed.as_secs_f64().max(1e-9),
            noise: Some(film.noise()).filter(|noise| noise.is_finite()),
            gpu: gpu_samples.and(gpu).map(str::to_owned),
            gpu_samples_per_pixel: gpu_samples,
            threads: rayon::current_num_threads(),
            simd: simd::name(args.machine.simd),
        };
        Self {
            scene,
            notes,
            picture,
            load_secs: stage.load_time.as_secs_f64(),
            build_secs: build_time.as_secs_f64(),
            bvh_bytes: world.bvh_bytes() as u64,
            render,
            peak_memory_bytes: memory::peak(),
            written,
        }
    }
}

/// A sheet of aligned facts.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, picture, render, .. } = self;
        let seconds = |secs: f64| units::duration(Duration::try_from_secs_f64(secs).unwrap_or_default());
        let mut sheet = Sheet::default();
        sheet.facts(
            "scene",
            [
                scene.name.clone(),
                format!(
                    "{} in {}",
                    units::counted(scene.triangles, "triangle", "triangles"),
                    units::counted(scene.instances, "instance", "instances")
                ),
                units::counted(scene.lights, "light", "lights"),
            ],
        );
        let unlisted = self.notes.len().saturating_sub(NOTES_LISTED);
        let more = (unlisted > 0).then(|| format!("… and {unlisted} more: `sunfleck info` lists them all"));
        sheet.row("noted", self.notes.iter().take(NOTES_LISTED).cloned().chain(more));
        sheet.facts(
            "picture",
            [
                format!("{} × {}", picture.width, picture.height),
                format!("camera `{}`", picture.camera),
                picture.integrator.to_string(),
                format!("{} sampler", picture.sampler),
                format!("{} filter", picture.filter),
                format!("seed {}", picture.seed),
                format!("exposure {:+.1} stops", picture.exposure_stops),
            ],
        );
        sheet.facts("load", [seconds(self.load_secs)]);
        sheet.facts(
            "build",
            [
                seconds(self.build_secs),
                format!("{} of acceleration structures", units::bytes(self.bvh_bytes)),
            ],
        );
        sheet.facts(
            "render",
            [
                seconds(render.secs) + if render.interrupted { " until interrupted" } else { "" },
                units::counted(render.samples_per_pixel.into(), "sample per pixel", "samples per pixel"),
                format!("{:.2} Mrays/s ({} rays)", render.rays_per_sec / 1e6, units::count(render.rays)),
                render.by_whom(),
            ],
        );
        sheet.row(
            "noise",
            render.noise.map(|noise| format!("{} mean relative standard error", units::percent(noise))),
        );
        sheet.row("memory", self.peak_memory_bytes.map(|bytes| format!("{} at most", units::bytes(bytes))));
        let files = self.written.iter().map(|w| vec![w.path.display().to_string(), units::bytes(w.bytes)]);
        sheet.row("written", columns(&files.collect::<Vec<_>>()));
        write!(f, "{sheet}")
    }
}
