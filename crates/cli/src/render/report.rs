//! Report of a rendering, as text or JSON.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use sunfleck_command::simd;
use sunfleck_engine::{Denoiser, Stage, VisibleContent};

use super::animation::Reuse;
use super::crop::Crop;
use super::fireflies::FireflyLoss;
use super::frame::RenderedFrame;
use super::output::WrittenFile;
use super::plan::RenderPlan;
use super::series::{FinishedImage, Outcome};
use super::setup::RenderSetup;
use super::stop_rule::EndedBy;
use crate::summary::{Summary, columns};
use crate::{memory, units};

/// Maximum number of notes printed as text, so that they do not hide the rest of the report.
const MAX_NOTES: usize = 8;

/// Report of a rendering; of the last finished image, if there are several. Times are in seconds, sizes in bytes.
#[derive(Debug, Serialize)]
pub(super) struct RenderReport {
    scene: SceneInfo,
    /// Configuration file that was read, if one was given.
    config: Option<PathBuf>,
    notes: Vec<String>,
    picture: ImageInfo,
    load_secs: f64,
    build_secs: f64,
    bvh_bytes: u64,
    render: RenderStats,
    peak_memory_bytes: Option<u64>,
    written: Vec<WrittenFile>,
}

#[derive(Debug, Serialize)]
struct SceneInfo {
    name: String,
    triangles: u64,
    shapes: u64,
    instances: u64,
    lights: u64,
    /// Stage that was added, if any.
    stage: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct ImageInfo {
    width: u32,
    height: u32,
    /// Column and row of the upper left pixel, width and height of the part that was rendered; `None` for all of it.
    crop: Option<[u32; 4]>,
    camera: String,
    integrator: &'static str,
    /// Preset of the integrator's parameters, if one was given.
    preset: Option<String>,
    sampler: &'static str,
    filter: &'static str,
    seed: u32,
    aovs: Vec<&'static str>,
    exposure_stops: f32,
}

#[derive(Debug, Serialize)]
struct RenderStats {
    secs: f64,
    /// Whether an interrupt ended the rendering: of the image, or of a sequence before its last image.
    interrupted: bool,
    /// Rule that ended the rendering of the image.
    ended_by: EndedBy,
    samples_per_pixel: u32,
    /// Samples per pixel of the checkpoint that was continued; `None` without one.
    resumed_at_samples_per_pixel: Option<u32>,
    rays: u64,
    rays_per_sec: f64,
    /// Mean relative standard error of the pixels as rendered; `None` below two samples per pixel.
    noise: Option<f32>,
    /// Mean relative error of the pixels of the denoised image; `None` if it was not denoised or is not known.
    denoised_noise: Option<f32>,
    /// Limit of fireflies and the light that it removed; `None` without a limit.
    fireflies: Option<FireflyLoss>,
    /// Time to denoise the final image; `None` if it was not denoised.
    denoise_secs: Option<f64>,
    /// Name of the GPU that rendered; `None` if the CPU did.
    gpu: Option<String>,
    /// Whether frames of a sequence reuse those before, or why not; `None` of a single frame.
    reuse: Option<String>,
    /// Samples per pixel rendered by the GPU, if any.
    gpu_samples_per_pixel: Option<u32>,
    threads: usize,
    simd: &'static str,
}

impl RenderStats {
    /// Describes the noise of the written image; `None` if it is not known.
    fn noise_text(&self) -> Option<String> {
        let rendered = self.noise.map(units::percent);
        match (self.denoised_noise.map(units::percent), rendered) {
            (Some(left), Some(rendered)) => Some(format!("{left} (denoised; {rendered} as rendered)")),
            (Some(left), None) => Some(format!("{left} (denoised)")),
            (None, Some(rendered)) if self.denoise_secs.is_some() => Some(format!(
                "{rendered} as rendered; that of the denoised image is known from {} samples on",
                Denoiser::SAMPLES_FOR_ERROR
            )),
            (None, Some(rendered)) => Some(format!("{rendered} mean relative standard error of the samples")),
            (None, None) => None,
        }
    }

    /// Names the devices that rendered: the GPU, the CPU threads, or both with their shares.
    fn devices(&self) -> String {
        let threads = units::counted(self.threads as u64, "thread", "threads");
        let cpu = format!("{threads}, {}", self.simd);
        match (&self.gpu, self.gpu_samples_per_pixel) {
            (Some(gpu), Some(samples)) if samples < self.samples_per_pixel => {
                format!("{samples} samples by {gpu}, the others by {cpu}")
            }
            (Some(gpu), _) => gpu.clone(),
            (None, _) => cpu,
        }
    }
}

impl RenderReport {
    /// * `image` — the last one that was finished. * `outcome` — that of all images.
    pub(super) fn new(
        plan: &RenderPlan<'_>,
        setup: &RenderSetup,
        image: &FinishedImage,
        outcome: Outcome,
        written: Vec<WrittenFile>,
    ) -> Self {
        let RenderPlan { args, algorithm, rules, size, .. } = plan;
        let RenderSetup { world, build_time, .. } = setup;
        let FinishedImage { camera, frame, exposure_stops, verdict } = image;
        let RenderedFrame { film, result, denoised, resumed_at } = frame;
        let content = VisibleContent::of(world.scene());
        let world = world.committed();
        let scene = SceneInfo {
            name: setup.name.clone(),
            triangles: content.triangles,
            shapes: content.shapes,
            instances: content.instances as u64,
            lights: world.light_count() as u64,
            stage: setup.stage.map(Stage::name),
        };
        // The verdict comes before the notes of the import, of which there may be many
        let mut notes: Vec<_> = verdict.iter().chain(&setup.notes).cloned().collect();
        let noise = Some(film.noise()).filter(|noise| noise.is_finite());
        let denoised_noise = denoised.as_ref().and_then(|denoised| denoised.image.error);
        let limited = if plan.limits_denoised() { denoised_noise } else { noise };
        let ended_by = EndedBy::of(rules, result, limited);
        notes.extend(ended_by.missed_noise(rules, limited));
        if film.dropped() > 0 {
            notes.push(format!(
                "warning: {} with infinite or NaN values were discarded",
                units::counted(film.dropped(), "sample", "samples")
            ));
        }
        let requested = args.view.requested_aovs();
        let picture = ImageInfo {
            width: size.full[0],
            height: size.full[1],
            crop: size.crop.map(Crop::to_array),
            camera: camera.name.clone(),
            integrator: algorithm.name(),
            preset: args.method.preset.clone(),
            sampler: args.method.sampler.name(),
            filter: args.method.filter.name(),
            seed: args.method.seed,
            aovs: film.aovs().iter().filter(|&aov| requested.contains(aov)).map(|aov| aov.name()).collect(),
            exposure_stops: *exposure_stops,
        };
        let rays = result.rays.total();
        let gpu_samples = Some(result.by.gpu_samples).filter(|&samples| samples > 0);
        let render = RenderStats {
            secs: result.elapsed.as_secs_f64(),
            interrupted: outcome == Outcome::Interrupted,
            ended_by,
            samples_per_pixel: result.samples,
            resumed_at_samples_per_pixel: *resumed_at,
            rays,
            rays_per_sec: rays as f64 / result.elapsed.as_secs_f64().max(1e-9),
            noise,
            denoised_noise,
            fireflies: FireflyLoss::of(algorithm, film),
            reuse: plan.reuse.map(|reuse| match reuse {
                Reuse::On => "of the frames before".into(),
                Reuse::Off(reason) => format!("off: {reason}"),
            }),
            denoise_secs: denoised.as_ref().map(|denoised| denoised.elapsed.as_secs_f64()),
            gpu: gpu_samples.and_then(|_| plan.engine.gpu()).map(|name| name.to_string()),
            gpu_samples_per_pixel: gpu_samples,
            threads: rayon::current_num_threads(),
            simd: simd::name(args.machine.simd),
        };
        Self {
            scene,
            config: args.config.clone(),
            notes,
            picture,
            load_secs: setup.load_time.as_secs_f64(),
            build_secs: build_time.as_secs_f64(),
            bvh_bytes: world.bvh_bytes() as u64,
            render,
            peak_memory_bytes: memory::peak(),
            written,
        }
    }
}

/// Formats the report as text.
impl fmt::Display for RenderReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, picture, render, .. } = self;
        let seconds = |secs: f64| units::duration(Duration::try_from_secs_f64(secs).unwrap_or_default());
        let until = if render.ended_by == EndedBy::Interrupt { " until interrupted" } else { "" };
        let mut summary = Summary::default();
        summary.line(
            "scene",
            [
                scene.name.clone(),
                format!(
                    "{} in {}",
                    units::primitives(scene.triangles, scene.shapes),
                    units::counted(scene.instances, "instance", "instances")
                ),
                units::counted(scene.lights, "light", "lights"),
            ],
        );
        summary.lines("config", self.config.as_ref().map(|file| file.display().to_string()));
        let unlisted = self.notes.len().saturating_sub(MAX_NOTES);
        let more =
            (unlisted > 0).then(|| format!("note: {unlisted} more notes; `sunfleck info` lists all of them"));
        let mut notes = self.notes.clone();
        notes.sort_by_key(|note| !note.starts_with("warning: "));
        summary.notes(notes.into_iter().take(MAX_NOTES).chain(more));
        summary.line(
            "image",
            [
                format!("{} × {}", picture.width, picture.height),
                picture.crop.map_or(String::new(), |[x, y, w, h]| format!("part of {w} × {h} at ({x}; {y})")),
                format!("camera `{}`", picture.camera),
                picture.integrator.to_string(),
                picture.preset.as_ref().map_or(String::new(), |preset| format!("preset {preset}")),
                format!("{} sampler", picture.sampler),
                format!("{} filter", picture.filter),
                format!("seed {}", picture.seed),
                format!("exposure {:+.1} stops", picture.exposure_stops),
            ],
        );
        summary.line("load", [seconds(self.load_secs)]);
        summary.line(
            "build",
            [
                seconds(self.build_secs),
                format!("{} of acceleration structures", units::bytes(self.bvh_bytes)),
            ],
        );
        summary.line(
            "render",
            [
                seconds(render.secs) + until,
                units::counted(render.samples_per_pixel.into(), "sample per pixel", "samples per pixel"),
                format!("{:.2} Mrays/s ({} rays)", render.rays_per_sec / 1e6, units::count(render.rays)),
                render.devices(),
            ],
        );
        summary.lines(
            "resumed",
            render.resumed_at_samples_per_pixel.map(|samples| {
                format!("at {}", units::counted(samples.into(), "sample per pixel", "samples per pixel"))
            }),
        );
        summary.lines("reuse", render.reuse.clone());
        summary.lines("denoise", render.denoise_secs.map(seconds));
        summary.lines("noise", render.noise_text());
        summary.lines("fireflies", render.fireflies.map(|loss| loss.to_string()));
        summary.lines("memory", self.peak_memory_bytes.map(|bytes| format!("{} peak", units::bytes(bytes))));
        let denoised = |file: &WrittenFile| {
            file.denoised.map_or_else(String::new, |method| format!("denoised: {method}"))
        };
        let files = self
            .written
            .iter()
            .map(|file| vec![file.path.display().to_string(), units::bytes(file.bytes), denoised(file)]);
        summary.lines("written", columns(&files.collect::<Vec<_>>()));
        write!(f, "{summary}")
    }
}
