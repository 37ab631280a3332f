//! View of a scene, and how it is rendered.

use sunfleck_engine::{Budget, Canvas, EditableWorld, Engine, FrameRequest, FrameResult, Presentation};
use sunfleck_image::{AovSet, Film, Filter};
use sunfleck_integrators::{Algorithm, PlacedCamera, StopReason};
use sunfleck_scene::Scene;

use super::PictureSettings;
use crate::BenchError;

/// Committed scene, with the camera that shows it.
pub(super) struct PictureView<'a> {
    /// Name of the scene.
    pub(super) name: String,
    engine: &'a Engine,
    world: EditableWorld,
    camera: PlacedCamera,
    size: [u32; 2],
    /// Reused by all images, so that the operating system does not provide new pages for each film.
    canvas: Canvas,
}

impl<'a> PictureView<'a> {
    /// Commits a scene and chooses its camera. Errors: it cannot be committed, or has no such camera.
    pub(super) fn new(
        settings: &PictureSettings,
        engine: &'a Engine,
        name: String,
        scene: Scene,
    ) -> Result<Self, BenchError> {
        let failed = |error: &dyn std::fmt::Display| BenchError::Scene(format!("{name}: {error}"));
        let presented =
            Presentation::new(scene, settings.stage, settings.level).map_err(|error| failed(&error))?;
        let [width, height] = settings.size;
        let cameras = presented.cameras(width as f32 / height as f32);
        let camera = match &settings.camera {
            None => cameras.first().ok_or_else(|| failed(&"the scene has no camera")),
            Some(wanted) => find(wanted, &cameras).ok_or_else(|| {
                let names: Vec<_> = cameras.iter().map(|camera| camera.name.as_str()).collect();
                failed(&format!("the scene has no camera `{wanted}`; it has: {}", names.join(", ")))
            }),
        }?;
        let camera = camera.clone();
        Ok(Self { name, engine, world: presented.world, camera, size: settings.size, canvas: Canvas::new() })
    }

    /// Renders an image. Errors: the device cannot render it.
    pub(super) fn render(
        &self,
        algorithm: Algorithm,
        samples: u32,
        seed: u32,
        aovs: AovSet,
    ) -> Result<(Film, FrameResult), BenchError> {
        let [width, height] = self.size;
        let request = FrameRequest {
            algorithm,
            seed,
            aovs,
            filter: Filter::Box,
            budget: Budget::samples(samples),
            ..FrameRequest::new(self.camera.clone(), width, height)
        };
        self.canvas.clear();
        let result = self.engine.render(&self.world, &request, &self.canvas).wait();
        match (result.ended, self.canvas.film()) {
            (StopReason::Done, Some(film)) => Ok((film, result)),
            _ => Err(match self.engine.trouble() {
                Some(why) => BenchError::Gpu(why),
                None => BenchError::Scene(format!("{}: the image was not rendered", self.name)),
            }),
        }
    }
}

/// Returns the camera of a name, else that of an index.
fn find<'a>(name_or_index: &str, cameras: &'a [PlacedCamera]) -> Option<&'a PlacedCamera> {
    let by_index = || cameras.get(name_or_index.parse::<usize>().ok()?);
    cameras.iter().find(|camera| camera.name == name_or_index).or_else(by_index)
}
