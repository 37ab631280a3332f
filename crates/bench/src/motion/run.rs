use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use fearless_simd::Level;
use sunfleck_engine::{
    Budget, Canvas, Denoiser, Device, EditableWorld, Engine, EngineOptions, FrameRequest, Presentation,
    StageChoice,
};
use sunfleck_image::{AovSet, DisplayOptions, Filter, Picture, metrics, save_picture};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Algorithm, Schedule};
use sunfleck_scene::Scene;

use super::measure::{Change, relative};
use super::motions::{Motion, MotionKind};
use super::report::{ChangeRow, MotionReport, MotionRow};
use crate::BenchError;
use crate::regions::regions;

/// Frames after a sudden change that are reported.
const FRAMES_AFTER: u32 = 4;

/// Settings of the measurement.
#[derive(Clone, Debug)]
pub struct MotionSettings {
    /// Width and height of the images, pixels.
    pub size: [u32; 2],
    /// Number of frames, at least 2.
    pub frames: u32,
    /// What moves.
    pub kind: MotionKind,
    /// Length of its way, metres.
    pub distance: f32,
    /// Part of the names of the nodes that move.
    pub node: Option<String>,
    /// Integrator of the frames, which have its number of samples per frame.
    pub algorithm: Algorithm,
    /// Samples per pixel of the references.
    pub reference_samples: u32,
    /// Number of places of the sequence at which two frames in a row are compared with references.
    pub checks: u32,
    /// Device of frames and references.
    pub device: Device,
    /// SIMD level.
    pub level: Level,
    /// Folder for the images at these places.
    pub save: Option<PathBuf>,
}

/// A kind of frames that is measured.
struct Kind {
    name: &'static str,
    steady: bool,
    denoised: bool,
}

const KINDS: [Kind; 4] = [
    Kind { name: "alone", steady: false, denoised: false },
    Kind { name: "with reuse", steady: true, denoised: false },
    Kind { name: "alone, denoised", steady: false, denoised: true },
    Kind { name: "with reuse, denoised", steady: true, denoised: true },
];

/// A sequence with its references.
struct Sequence<'a> {
    settings: &'a MotionSettings,
    engine: &'a Engine,
    world: EditableWorld,
    frame: FrameRequest,
    motion: Motion,
    denoiser: Denoiser,
}

/// Measures a scene on the current rayon pool.
///
/// # Errors
/// [`BenchError`] if the scene cannot be committed, has no camera or nothing that could move, or if a device fails.
pub fn run(
    settings: &MotionSettings,
    name: &str,
    scene: &Scene,
    progress: &mut dyn FnMut(&str),
) -> Result<MotionReport, BenchError> {
    let &MotionSettings { size: [width, height], frames, kind, distance, level, .. } = settings;
    let failed = |error: &dyn std::fmt::Display| BenchError::Scene(format!("{name}: {error}"));
    progress(&format!("{name}: building"));
    let presented = Presentation::new(scene.clone(), StageChoice::Automatic, level);
    let presented = presented.map_err(|error| failed(&error))?;
    let camera = presented.cameras(width as f32 / height as f32).into_iter().next();
    let camera = camera.ok_or_else(|| failed(&"the scene has no camera"))?;
    let engine = Engine::new(EngineOptions {
        threads: rayon::current_num_threads(),
        schedule: Schedule { level, ..Schedule::default() },
        device: settings.device,
        ..EngineOptions::default()
    })?;
    let motion = Motion::new(kind, distance, frames, settings.node.as_deref(), presented.world.scene())?;
    let what = motion.what();
    let frame = FrameRequest {
        algorithm: settings.algorithm,
        filter: Filter::Box,
        aovs: Denoiser::AOVS,
        budget: Budget::samples(settings.algorithm.samples_per_frame()),
        ..FrameRequest::new(camera, width, height)
    };
    let denoiser = Denoiser::interactive().of_algorithm(&settings.algorithm);
    let mut sequence =
        Sequence { settings, engine: &engine, world: presented.world, frame, motion, denoiser };

    let places = places(settings);
    let mut references = Vec::new();
    for (i, &number) in places.iter().enumerate() {
        progress(&format!("{name}: reference {} of {}", i + 1, places.len()));
        references.push(sequence.reference(number, 1)?);
    }
    let change = match (kind.is_sudden(), &*references) {
        (true, [before, after]) => {
            let others = [sequence.reference(places[0], 2)?, sequence.reference(places[1], 2)?];
            Some(Change::new([before, &others[0]], [after, &others[1]]))
        }
        _ => None,
    };
    let mut rows = Vec::new();
    let mut changes = Vec::new();
    for kind in KINDS {
        progress(&format!("{name}: {}", kind.name));
        let (row, after) = sequence.measure(&kind, &places, &references, change.as_ref(), name)?;
        rows.push(row);
        if kind.steady && !kind.denoised {
            changes = after;
        }
    }
    let device = engine.gpu().map_or_else(|| "CPU".into(), |gpu| gpu.to_string());
    Ok(MotionReport {
        scene: name.into(),
        motion: kind.to_string(),
        what,
        width,
        height,
        frames,
        distance: kind.has_distance().then_some(distance),
        device,
        reference_samples: settings.reference_samples,
        rows,
        changes,
    })
}

/// Returns the frames that have references, in pairs of consecutive ones.
fn places(settings: &MotionSettings) -> Vec<u32> {
    let frames = settings.frames;
    if settings.kind.is_sudden() {
        return vec![frames / 2 - 1, frames / 2];
    }
    let checks = settings.checks.clamp(1, frames / 2);
    (1..=checks).flat_map(|i| [i * frames / checks - 2, i * frames / checks - 1]).collect()
}

impl Sequence<'_> {
    fn request(&self, number: u32, steady: bool) -> FrameRequest {
        let mut frame = FrameRequest { steady, seed: if steady { 0 } else { number }, ..self.frame.clone() };
        frame.camera.world_from_view *= self.motion.camera(number);
        frame
    }

    fn reference(&mut self, number: u32, set: u32) -> Result<Picture, BenchError> {
        self.motion.set(&mut self.world, number)?;
        let request = FrameRequest {
            algorithm: PathTracer::DEFAULT.into(),
            aovs: AovSet::EMPTY,
            seed: set << 20 | number,
            budget: Budget::samples(self.settings.reference_samples),
            ..self.request(number, false)
        };
        self.render(&request, &Canvas::new()).map(|picture| picture.as_ref().clone())
    }

    fn render(&self, request: &FrameRequest, canvas: &Canvas) -> Result<Arc<Picture>, BenchError> {
        self.engine.render(&self.world, request, canvas).wait();
        canvas.picture().ok_or_else(|| match self.engine.trouble() {
            Some(why) => BenchError::Gpu(why),
            None => BenchError::Scene("a frame was not rendered".into()),
        })
    }

    /// Renders all frames of one kind.
    fn measure(
        &mut self,
        kind: &Kind,
        places: &[u32],
        references: &[Picture],
        change: Option<&Change>,
        name: &str,
    ) -> Result<(MotionRow, Vec<ChangeRow>), BenchError> {
        let canvas = Canvas::new();
        let mut times = Vec::new();
        let (mut relmse, mut errors, mut flicker) = (Vec::new(), Vec::new(), Vec::new());
        let mut previous: Option<(Vec<f64>, Vec<f64>)> = None;
        let mut changes = Vec::new();
        let mut frames_before = Vec::new();
        let end = match self.settings.kind.is_sudden() {
            true => self.settings.frames / 2 + FRAMES_AFTER,
            false => self.settings.frames,
        };
        // Sudden changes are shown to a world that has not changed yet
        while self.world.undo().map_err(|error| BenchError::Scene(error.to_string()))? {}
        for number in 0..end {
            self.motion.set(&mut self.world, number)?;
            let request = self.request(number, kind.steady);
            if !kind.steady {
                canvas.clear();
            }
            let begun = Instant::now();
            let mut picture = self.render(&request, &canvas)?;
            if kind.denoised {
                let denoised = canvas.denoised(&self.denoiser).ok().flatten();
                picture = denoised.map_or(picture, Arc::new);
            }
            times.push(begun.elapsed().as_secs_f64());
            if let Some(change) = change {
                let frames = canvas.frame_counts().unwrap_or_default();
                match number.checked_sub(self.settings.frames / 2) {
                    Some(since) => changes.push(ChangeRow {
                        frame: since + 1,
                        stale: change.stale(&picture),
                        kept: change.kept(self.settings.size, [&frames_before, &frames]),
                    }),
                    None => frames_before = frames,
                }
            }
            let Some(at) = places.iter().position(|&place| place == number) else { continue };
            let reference = &references[at];
            let error = metrics::relmse(&picture, reference);
            relmse.push(error.map_err(|error| BenchError::Scene(error.to_string()))?);
            let (shown, expected) = (regions(&picture), regions(reference));
            errors.push(relative(shown.iter().zip(&expected).map(|(a, b)| a - b), &expected));
            if let Some((shown_before, expected_before)) = previous.take() {
                let change = (0..shown.len())
                    .map(|i| (shown[i] - shown_before[i]) - (expected[i] - expected_before[i]));
                flicker.push(relative(change, &expected));
            } else {
                previous = Some((shown, expected));
            }
            self.save(kind, name, number, &picture, reference)?;
        }
        times.sort_by(f64::total_cmp);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let row = MotionRow {
            frames: kind.name.into(),
            relmse: mean(&relmse),
            region_error: mean(&errors),
            flicker: mean(&flicker),
            seconds: times.get(times.len() / 2).copied().unwrap_or(0.0),
        };
        Ok((row, changes))
    }

    fn save(
        &self,
        kind: &Kind,
        name: &str,
        number: u32,
        picture: &Picture,
        reference: &Picture,
    ) -> Result<(), BenchError> {
        let Some(folder) = &self.settings.save else { return Ok(()) };
        let stem = |what: &str| {
            let what = what.replace(", ", "-").replace(' ', "-");
            let name = name.rsplit('/').next().unwrap_or(name).replace([':', '='], "-");
            folder.join(format!("{name}-{}-{number:03}-{what}.png", self.settings.kind))
        };
        let options = DisplayOptions::default();
        save_picture(picture, &stem(kind.name), &options)?;
        save_picture(reference, &stem("reference"), &options)?;
        Ok(())
    }
}
