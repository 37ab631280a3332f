//! Scene that the viewer has opened.

use fearless_simd::Level;
use sunfleck_engine::{DefaultCamera, EditableWorld, Presentation, StageChoice, cameras};
use sunfleck_integrators::{CommitError, PlacedCamera};
use sunfleck_io::LoadedScene;
use sunfleck_math::Affine3;
use sunfleck_scene::{Camera, Scene};

/// Vertical field of view of the camera of an empty scene: 40°.
const FOV_Y_RADIANS: f32 = 0.698_131_7;

/// Opened scene with its initial camera.
#[derive(Debug)]
pub struct ViewerScene {
    pub(crate) name: String,
    pub(crate) world: EditableWorld,
    /// Notes and warnings of the import.
    pub(crate) notes: Vec<String>,
    pub(crate) default_camera: Option<DefaultCamera>,
    /// Initial exposure in stops; `None` if it is automatic.
    pub(crate) exposure: Option<f32>,
}

impl ViewerScene {
    /// Commits a scene, and chooses camera and stage as [`Presentation`] does.
    ///
    /// * `name` — file or built-in scene as typed; shown as title and in command lines.
    ///
    /// # Errors
    /// [`CommitError`].
    pub fn new(
        name: impl Into<String>,
        scene: Scene,
        stage: StageChoice,
        mut notes: Vec<String>,
    ) -> Result<Self, CommitError> {
        let exposure = scene.exposure_stops();
        let presented = Presentation::new(scene, stage, Level::new())?;
        let Presentation { world, default_camera, notes: added, .. } = presented;
        notes.extend(added);
        if world.committed().light_count() == 0 {
            notes.push(
                "warning: the scene has no light, so the image is black; add one in the panel Lights".into(),
            );
        }
        Ok(Self { name: name.into(), world, notes, default_camera, exposure })
    }

    /// Makes a viewer scene of an imported file; see [`ViewerScene::new`].
    pub(crate) fn from_loaded(name: &str, loaded: LoadedScene) -> Result<Self, CommitError> {
        let notes = loaded.report.entries.iter().map(ToString::to_string).collect();
        Self::new(name, loaded.scene, StageChoice::Automatic, notes)
    }

    /// Returns the initial camera for images of an aspect ratio, width over height.
    pub(crate) fn camera(&self, aspect: f32) -> PlacedCamera {
        let cameras = cameras(&self.world, self.default_camera.as_ref(), aspect);
        cameras.into_iter().next().unwrap_or_else(origin_camera)
    }
}

/// Returns a camera at the origin, looking along −z.
fn origin_camera() -> PlacedCamera {
    let camera = Camera::perspective("origin", FOV_Y_RADIANS);
    PlacedCamera { name: camera.name.clone(), camera, world_from_view: Affine3::IDENTITY }
}
