//! Scene that the viewer has opened.

use fearless_simd::Level;
use sunfleck_engine::{EditableWorld, InitialCamera, Presentation, Stage, StageChoice};
use sunfleck_integrators::CommitError;
use sunfleck_io::LoadedScene;
use sunfleck_scene::Scene;

/// Opened scene with its initial camera.
#[derive(Debug)]
pub struct ViewerScene {
    pub(crate) name: String,
    pub(crate) world: EditableWorld,
    /// Notes and warnings of the import, and on what was added.
    pub(crate) notes: Vec<String>,
    /// First camera of the scene, or the default one.
    pub(crate) camera: InitialCamera,
    /// Stage as chosen by the user when the scene was opened.
    pub(crate) stage: StageChoice,
    /// Stage that was added.
    pub(crate) initial_stage: Option<Stage>,
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
        let Presentation { world, camera, stage: initial_stage, notes: added } = presented;
        notes.extend(added);
        if world.committed().light_count() == 0 {
            notes.push(
                "warning: the scene has no light, so the image is black; add one in the panel Lights".into(),
            );
        }
        Ok(Self { name: name.into(), world, notes, camera, stage, initial_stage, exposure })
    }

    /// Returns the notes and warnings of the import, and on what was added.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Makes a viewer scene of an imported file; see [`ViewerScene::new`].
    pub(crate) fn from_loaded(name: &str, loaded: LoadedScene) -> Result<Self, CommitError> {
        let notes = loaded.report.entries.iter().map(ToString::to_string).collect();
        Self::new(name, loaded.scene, StageChoice::Automatic, notes)
    }
}
