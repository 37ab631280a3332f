//! Scene that the viewer has opened.

use fearless_simd::Level;
use sunfleck_engine::EditableWorld;
use sunfleck_integrators::{CommitError, PlacedCamera};
use sunfleck_io::{AddedDefaults, LoadedScene};
use sunfleck_math::Affine3;
use sunfleck_scene::{Camera, Scene};

/// Vertical field of view of the default camera: 40°, about that of a 50 mm lens on 24 × 36 mm film held upright.
const FOV_Y_RADIANS: f32 = 0.698_131_7;

/// Opened scene with its initial camera.
#[derive(Debug)]
pub struct ViewerScene {
    pub(crate) name: String,
    pub(crate) world: EditableWorld,
    /// Notes and warnings of the import.
    pub(crate) notes: Vec<String>,
    /// Initial camera.
    pub(crate) camera: PlacedCamera,
    /// Whether the importer added the light, so that exposure should be automatic.
    pub(crate) has_default_light: bool,
}

impl ViewerScene {
    /// Commits a scene and chooses the initial camera: its first one, or one inside if it is a building without a
    /// camera.
    ///
    /// * `name` — file or built-in scene as typed; shown as title and in command lines.
    /// * `added` — defaults that the importer added.
    ///
    /// # Errors
    /// [`CommitError`].
    pub fn new(
        name: impl Into<String>,
        scene: Scene,
        added: AddedDefaults,
        mut notes: Vec<String>,
    ) -> Result<Self, CommitError> {
        let world = EditableWorld::new(scene)?;
        let inside = added.camera.then(|| world.committed().view_from_inside(Level::new())).flatten();
        if inside.is_some() {
            notes.push("note: the scene is a building without a camera; it is viewed from inside".into());
        }
        if world.committed().light_count() == 0 {
            notes.push(
                "warning: the scene has no light, so the image is black; add one in the panel Lights".into(),
            );
        }
        let camera = inside.or_else(|| world.cameras().first().cloned()).unwrap_or_else(default_camera);
        Ok(Self { name: name.into(), world, notes, camera, has_default_light: added.sky })
    }

    /// Makes a viewer scene of an imported file; see [`ViewerScene::new`].
    pub(crate) fn from_loaded(name: &str, loaded: LoadedScene) -> Result<Self, CommitError> {
        let notes = loaded.report.entries.iter().map(ToString::to_string).collect();
        Self::new(name, loaded.scene, loaded.added, notes)
    }
}

/// Returns the camera for scenes that have none: at the origin, looking along -z.
fn default_camera() -> PlacedCamera {
    let camera = Camera::perspective("origin", FOV_Y_RADIANS);
    PlacedCamera { name: camera.name.clone(), camera, world_from_view: Affine3::IDENTITY }
}
