use fearless_simd::Level;
use sunfleck_engine::EditableWorld;
use sunfleck_integrators::{CommitError, PlacedCamera};
use sunfleck_io::{Added, Loaded};
use sunfleck_math::Affine3;
use sunfleck_scene::{Camera, Scene};

/// About that of a 50 mm lens on 36 × 24 mm film held upright: 40°.
const FOV_Y_RADIANS: f32 = 0.698_131_7;

/// A scene that has been opened, and where it is looked at from.
#[derive(Debug)]
pub struct ViewerScene {
    pub(crate) name: String,
    pub(crate) world: EditableWorld,
    /// What was noticed while it was opened.
    pub(crate) notes: Vec<String>,
    /// Where the viewer stands at first.
    pub(crate) camera: PlacedCamera,
    /// Whether light was made up, so that nothing says how bright it should be.
    pub(crate) light_is_made_up: bool,
}

impl ViewerScene {
    /// Commits a scene and chooses the first view: its first camera, or a place inside if it is a building that came without one.
    ///
    /// * `name` — for people, and for the command line that the viewer shows: a file or a built-in scene as typed.
    /// * `added` — what the scene came without.
    ///
    /// Errors: [`CommitError`].
    pub fn new(
        name: impl Into<String>,
        scene: Scene,
        added: Added,
        mut notes: Vec<String>,
    ) -> Result<Self, CommitError> {
        let world = EditableWorld::new(scene)?;
        let inside = added.camera.then(|| world.committed().view_from_inside(Level::new())).flatten();
        if inside.is_some() {
            notes.push("note: the scene is a building: looking at it from inside".into());
        }
        if world.committed().light_count() == 0 {
            notes.push(
                "warning: there is no light: the picture is black; add one in the panel of lights".into(),
            );
        }
        let camera = inside.or_else(|| world.cameras().first().cloned()).unwrap_or_else(origin);
        Ok(Self { name: name.into(), world, notes, camera, light_is_made_up: added.sky })
    }

    /// The same for what was read from a file.
    pub(crate) fn of_file(name: &str, loaded: Loaded) -> Result<Self, CommitError> {
        let notes = loaded.report.entries.iter().map(ToString::to_string).collect();
        Self::new(name, loaded.scene, loaded.added, notes)
    }
}

/// For scenes without any camera.
fn origin() -> PlacedCamera {
    let camera = Camera::perspective("origin", FOV_Y_RADIANS);
    PlacedCamera { name: camera.name.clone(), camera, world_from_view: Affine3::IDENTITY }
}
