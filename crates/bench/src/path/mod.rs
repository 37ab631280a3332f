//! Path tracing at equal CPU time: error of Sunfleck's integrator `path` and of other renderers for the same scene.
//!
//! Each renderer is measured against a much longer rendering of its own, so that a peer that clamps or omits light gains
//! nothing but the difference to itself. Regions in which the references of two renderers differ, because their
//! materials do, are left out of the errors of all.

mod errors;
mod job;
mod ours;
mod peer;
mod report;

use fearless_simd::Level;
use sunfleck_engine::{Presentation, StageChoice};
use sunfleck_image::Picture;
use sunfleck_integrators::path::PathTracer;
use sunfleck_scene::Scene;

use crate::BenchError;
use crate::clock::Elapsed;
use errors::Mask;
use ours::Ours;
use peer::PeerProcess;

pub use errors::Errors;
pub use peer::Peer;
pub use report::{Measured, PathReport, PathRow};

/// Samples per pixel of the rendering that measures the speed of a renderer.
const SPEED_SAMPLES: u32 = 4;
/// A renderer that needs more samples than this for its CPU time is given fewer.
const MAX_SAMPLES: u32 = 1 << 14;
/// Seed of references. Those of the measured renderings are 1, 2, ….
const REFERENCE_SEED: u32 = 1 << 20;

/// Settings of [`run`].
#[derive(Clone, Debug)]
pub struct PathSettings {
    /// Width and height of the images, pixels.
    pub size: [u32; 2],
    /// CPU time of a rendering, seconds.
    pub cpu_secs: f64,
    /// CPU time of a reference over that of a rendering.
    pub reference_factor: u32,
    /// Number of renderings with different seeds, whose errors are averaged.
    pub rounds: u32,
    /// Number of threads of each renderer.
    pub threads: usize,
    /// SIMD level of Sunfleck.
    pub level: Level,
    /// Integrator of Sunfleck.
    pub path: PathTracer,
    /// Renderers to compare with.
    pub peers: Vec<Peer>,
    /// Python interpreter that has the packages of the peers.
    pub python: std::path::PathBuf,
}

/// Renderer that is measured.
trait Renderer {
    /// Returns the name and version.
    fn name(&self) -> String;

    /// Renders an image, and returns its radiance and the time that it took.
    fn render(&mut self, samples: u32, seed: u32) -> Result<(Picture, Elapsed), BenchError>;
}

/// Measures all renderers on scenes that are given with their names and stages. `progress` is told what is rendered.
pub fn run(
    settings: &PathSettings,
    scenes: impl IntoIterator<Item = (String, Scene, StageChoice)>,
    progress: &mut dyn FnMut(&str),
) -> Result<PathReport, BenchError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build()?;
    let mut rows = Vec::new();
    for (name, scene, stage) in scenes {
        let shown = Presentation::new(scene, stage, settings.level)
            .map_err(|error| BenchError::Scene(format!("{name}: {error}")))?;
        rows.push(measure_scene(settings, name, &shown, &pool, progress)?);
    }
    Ok(PathReport { size: settings.size, cpu_secs: settings.cpu_secs, threads: settings.threads, rows })
}

fn measure_scene(
    settings: &PathSettings,
    name: String,
    shown: &Presentation,
    pool: &rayon::ThreadPool,
    progress: &mut dyn FnMut(&str),
) -> Result<PathRow, BenchError> {
    let [width, height] = settings.size;
    let camera = shown.camera.camera(width as f32 / height as f32);
    let ours = Ours { world: shown.world.committed(), camera: &camera, settings, pool };
    let job = job::write(shown, &camera, settings)?;
    let mut renderers: Vec<Box<dyn Renderer + '_>> = vec![Box::new(ours)];
    for &peer in &settings.peers {
        progress(&format!("{name}: starting {}", peer.name()));
        renderers.push(Box::new(PeerProcess::start(peer, &settings.python, &job)?));
    }
    let mut finished = Vec::new();
    for renderer in &mut renderers {
        progress(&format!("{name}: {}", renderer.name()));
        finished.push(render_all(renderer.as_mut(), settings)?);
    }
    let references: Vec<&Picture> = finished.iter().map(|images| &images.reference).collect();
    let mask = Mask::where_references_agree(&references)?;
    let measured =
        renderers.iter().zip(&finished).map(|(renderer, images)| images.measure(renderer.name(), &mask));
    Ok(PathRow { name, masked: mask.masked(), measured: measured.collect::<Result<_, _>>()? })
}

/// Images of a renderer.
struct Images {
    samples: u32,
    reference: Picture,
    renderings: Vec<(Picture, Elapsed)>,
}

fn render_all(renderer: &mut dyn Renderer, settings: &PathSettings) -> Result<Images, BenchError> {
    let (_, first) = renderer.render(SPEED_SAMPLES, 0)?;
    // A longer rendering has a smaller part of fixed cost
    let guess = samples_within(settings.cpu_secs / 4.0, SPEED_SAMPLES, first);
    let (_, second) = renderer.render(guess, 0)?;
    let samples = samples_within(settings.cpu_secs, guess, second);
    let renderings =
        (1..=settings.rounds).map(|seed| renderer.render(samples, seed)).collect::<Result<Vec<_>, _>>()?;
    let factor = settings.reference_factor;
    let mut sum: Option<Picture> = None;
    for part in 0..factor {
        let (image, _) = renderer.render(samples, REFERENCE_SEED + part)?;
        match &mut sum {
            None => sum = Some(image),
            Some(sum) => {
                sum.pixels_mut().iter_mut().zip(image.pixels()).for_each(|(sum, &pixel)| *sum += pixel);
            }
        }
    }
    let sum = sum.ok_or(BenchError::Scene("the reference needs at least one rendering".into()))?;
    Ok(Images { samples, reference: sum.map(|pixel| pixel / factor as f32), renderings })
}

/// Returns the number of samples that take a CPU time, by the time of a rendering.
fn samples_within(cpu_secs: f64, samples: u32, took: Elapsed) -> u32 {
    let many = f64::from(samples) * cpu_secs / took.cpu_secs.max(1e-6);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let samples = many.clamp(1.0, f64::from(MAX_SAMPLES)) as u32;
    samples
}

impl Images {
    fn measure(&self, name: String, mask: &Mask) -> Result<Measured, BenchError> {
        let errors = self.renderings.iter().map(|(image, _)| Errors::measure(image, &self.reference, mask));
        let errors = Errors::mean(&errors.collect::<Result<Vec<_>, _>>()?);
        let secs: f64 = self.renderings.iter().map(|(_, took)| took.cpu_secs).sum();
        let cpu_secs = secs / self.renderings.len().max(1) as f64;
        let pixels = self.reference.pixels().len() as f64;
        let rate = pixels * f64::from(self.samples) / cpu_secs.max(1e-9);
        Ok(Measured { name, samples: self.samples, cpu_secs, samples_per_cpu_second: rate, errors })
    }
}
