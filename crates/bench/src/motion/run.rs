use std::fmt;
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

use super::measure::{SuddenChange, relative};
use super::motions::{MotionKind, SceneMotion};
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
    /// Number of frames, at least 8, since four frames after a sudden change are reported.
    pub frames: u32,
    /// Kind of motion.
    pub kind: MotionKind,
    /// Distance of the motion, metres.
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

/// Kind of frames that is measured.
struct FrameKind {
    name: &'static str,
    steady: bool,
    denoised: bool,
}

const KINDS: [FrameKind; 4] = [
    FrameKind { name: "alone", steady: false, denoised: false },
    FrameKind { name: "with reuse", steady: true, denoised: false },
    FrameKind { name: "alone, denoised", steady: false, denoised: true },
    FrameKind { name: "with reuse, denoised", steady: true, denoised: true },
];

/// Sequence of frames of one scene.
struct Sequence<'a> {
    settings: &'a MotionSettings,
    /// Name of the scene.
    name: &'a str,
    engine: &'a Engine,
    world: EditableWorld,
    /// Request of a frame, with the camera at rest.
    frame: FrameRequest,
    motion: SceneMotion,
    denoiser: Denoiser,
}

/// References of a sequence.
struct References {
    /// Numbers of the frames that have references, in pairs of consecutive ones.
    places: Vec<u32>,
    pictures: Vec<Picture>,
    /// The sudden change, if there is one.
    change: Option<SuddenChange>,
}

/// Errors of the frames of one kind that have references.
#[derive(Default)]
struct FrameErrors {
    relmse: Vec<f64>,
    regions: Vec<f64>,
    flicker: Vec<f64>,
    /// Regions of the first frame of a pair, and of its reference.
    first: Option<(Vec<f64>, Vec<f64>)>,
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
    progress(&format!("{name}: building"));
    let engine = Engine::new(EngineOptions {
        threads: rayon::current_num_threads(),
        schedule: Schedule { level, ..Schedule::default() },
        device: settings.device,
        ..EngineOptions::default()
    })?;
    let mut sequence = Sequence::new(settings, name, scene, &engine)?;
    let references = sequence.references(progress)?;
    let mut rows = Vec::new();
    let mut changes = Vec::new();
    for kind in KINDS {
        progress(&format!("{name}: {}", kind.name));
        let (row, after) = sequence.measure(&kind, &references)?;
        rows.push(row);
        changes.extend(after);
    }
    Ok(MotionReport {
        scene: name.into(),
        motion: kind.to_string(),
        what: sequence.motion.what(),
        width,
        height,
        frames,
        distance: kind.has_distance().then_some(distance),
        device: engine.gpu().map_or_else(|| "CPU".into(), |gpu| gpu.to_string()),
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

impl<'a> Sequence<'a> {
    /// Commits a scene. Errors: it cannot be committed, or has no camera or nothing that could move.
    fn new(
        settings: &'a MotionSettings,
        name: &'a str,
        scene: &Scene,
        engine: &'a Engine,
    ) -> Result<Self, BenchError> {
        let &MotionSettings { size: [width, height], frames, kind, distance, level, .. } = settings;
        let failed = |error: &dyn fmt::Display| BenchError::Scene(format!("{name}: {error}"));
        let presented = Presentation::new(scene.clone(), StageChoice::Automatic, level);
        let presented = presented.map_err(|error| failed(&error))?;
        let camera = presented.cameras(width as f32 / height as f32).into_iter().next();
        let camera = camera.ok_or_else(|| failed(&"the scene has no camera"))?;
        let (node, scene) = (settings.node.as_deref(), presented.world.scene());
        let motion = SceneMotion::new(kind, distance, frames, node, scene)?;
        let frame = FrameRequest {
            algorithm: settings.algorithm,
            filter: Filter::Box,
            aovs: Denoiser::AOVS,
            budget: Budget::samples(settings.algorithm.samples_per_frame()),
            ..FrameRequest::new(camera, width, height)
        };
        let denoiser = Denoiser::interactive().of_algorithm(&settings.algorithm);
        Ok(Self { settings, name, engine, world: presented.world, frame, motion, denoiser })
    }

    /// Returns the request of a frame.
    fn request(&self, number: u32, steady: bool) -> FrameRequest {
        let mut frame = FrameRequest { steady, seed: if steady { 0 } else { number }, ..self.frame.clone() };
        frame.camera.world_from_view *= self.motion.camera(number);
        frame
    }

    /// Renders the reference of a frame.
    ///
    /// * `set` — number of the set of references; those of different sets are independent.
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

    /// Renders the references.
    fn references(&mut self, progress: &mut dyn FnMut(&str)) -> Result<References, BenchError> {
        let places = places(self.settings);
        let mut pictures = Vec::new();
        for (i, &number) in places.iter().enumerate() {
            progress(&format!("{}: reference {} of {}", self.name, i + 1, places.len()));
            pictures.push(self.reference(number, 1)?);
        }
        let change = match (self.settings.kind.is_sudden(), &*pictures) {
            (true, [before, after]) => {
                let others = [self.reference(places[0], 2)?, self.reference(places[1], 2)?];
                Some(SuddenChange::new([before, &others[0]], [after, &others[1]]))
            }
            _ => None,
        };
        Ok(References { places, pictures, change })
    }

    /// Renders all frames of one kind. Returns their errors, and the frames after a sudden change.
    fn measure(
        &mut self,
        kind: &FrameKind,
        references: &References,
    ) -> Result<(MotionRow, Vec<ChangeRow>), BenchError> {
        let canvas = Canvas::new();
        let (mut times, mut errors) = (Vec::new(), FrameErrors::default());
        let (mut changes, mut counts_before) = (Vec::new(), Vec::new());
        let middle = self.settings.frames / 2;
        let end = if self.settings.kind.is_sudden() { middle + FRAMES_AFTER } else { self.settings.frames };
        for number in 0..end {
            self.motion.set(&mut self.world, number)?;
            let (picture, seconds) = self.timed(kind, number, &canvas)?;
            times.push(seconds);
            if let Some(change) = references.change.as_ref().filter(|_| kind.steady && !kind.denoised) {
                let counts = canvas.frame_counts().unwrap_or_default();
                match number.checked_sub(middle) {
                    Some(since) => changes.push(ChangeRow {
                        frame: since + 1,
                        stale: change.stale(&picture),
                        kept: change.kept(self.settings.size, [&counts_before, &counts]),
                    }),
                    None => counts_before = counts,
                }
            }
            let Some(at) = references.places.iter().position(|&place| place == number) else { continue };
            errors.add(&picture, &references.pictures[at])?;
            self.save(kind, number, &picture, &references.pictures[at])?;
        }
        Ok((errors.row(kind.name, times), changes))
    }

    /// Renders a frame of one kind. Returns its wall-clock time in seconds, too.
    fn timed(
        &self,
        kind: &FrameKind,
        number: u32,
        canvas: &Canvas,
    ) -> Result<(Arc<Picture>, f64), BenchError> {
        let request = self.request(number, kind.steady);
        if !kind.steady {
            canvas.clear();
        }
        let begun = Instant::now();
        let mut picture = self.render(&request, canvas)?;
        if kind.denoised {
            let denoised = canvas.denoised(&self.denoiser).ok().flatten();
            picture = denoised.map_or(picture, Arc::new);
        }
        Ok((picture, begun.elapsed().as_secs_f64()))
    }

    /// Writes a frame and its reference into the folder for images, if there is one.
    fn save(
        &self,
        kind: &FrameKind,
        number: u32,
        picture: &Picture,
        reference: &Picture,
    ) -> Result<(), BenchError> {
        let Some(folder) = &self.settings.save else { return Ok(()) };
        let stem = |what: &str| {
            let what = what.replace(", ", "-").replace(' ', "-");
            let name = self.name.rsplit('/').next().unwrap_or(self.name).replace([':', '='], "-");
            folder.join(format!("{name}-{}-{number:03}-{what}.png", self.settings.kind))
        };
        let options = DisplayOptions::default();
        save_picture(picture, &stem(kind.name), &options)?;
        save_picture(reference, &stem("reference"), &options)?;
        Ok(())
    }
}

impl FrameErrors {
    /// Adds a frame with its reference.
    fn add(&mut self, picture: &Picture, reference: &Picture) -> Result<(), BenchError> {
        let relmse = metrics::relmse(picture, reference);
        self.relmse.push(relmse.map_err(|error| BenchError::Scene(error.to_string()))?);
        let (shown, expected) = (regions(picture), regions(reference));
        self.regions.push(relative(shown.iter().zip(&expected).map(|(a, b)| a - b), &expected));
        if let Some((first_shown, first_expected)) = self.first.take() {
            let change =
                (0..shown.len()).map(|i| (shown[i] - first_shown[i]) - (expected[i] - first_expected[i]));
            self.flicker.push(relative(change, &expected));
        } else {
            self.first = Some((shown, expected));
        }
        Ok(())
    }

    /// Returns the means.
    ///
    /// * `times` — wall-clock times of all frames, seconds.
    fn row(&self, name: &str, mut times: Vec<f64>) -> MotionRow {
        times.sort_by(f64::total_cmp);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        MotionRow {
            frames: name.into(),
            relmse: mean(&self.relmse),
            region_error: mean(&self.regions),
            flicker: mean(&self.flicker),
            seconds: times.get(times.len() / 2).copied().unwrap_or(0.0),
        }
    }
}
