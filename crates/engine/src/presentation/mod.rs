//! Default cameras, and light for scenes that have none.
//!
//! [`Presentation::new`] decides once per scene, for all frames, on the CPU, whatever device renders:
//!
//! 1. A scene without a camera is seen from inside if it is a building, from the best of many views; else from outside,
//!    as close as its silhouette allows at the aspect ratio of the image.
//! 2. If no light lights what the cameras see, which a few thousand paths measure, a [`Stage`] is added.

mod environment;
mod framing;
mod free_space;
mod ground;
mod interior;
mod lighting;
mod sky;
mod stage;
mod visible;

use fearless_simd::Level;
use sunfleck_integrators::{CommitError, PlacedCamera};
use sunfleck_scene::{Environment, Scene};

use crate::EditableWorld;
use framing::Framing;
use lighting::Lighting;

pub use free_space::FreeSpace;
pub use ground::{VisibleContent, is_stage_ground};
pub use stage::{SkySun, Stage, UnknownStage, set_stage, set_sun_elevation, sky_sun, stage_of};
pub use visible::{distance_at_centre, sees_surfaces};

/// Aspect ratio at which light is measured.
const MEASURED_ASPECT: f32 = 1.5;
/// Largest number of cameras of a scene whose light is measured.
const MAX_CAMERAS: usize = 8;
/// Least fraction of lit surfaces in an interior view, relative to the view with most of them.
const MIN_SHARE_OF_MOST_LIT: f32 = 0.7;

/// Choice of the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StageChoice {
    /// A stage if no light lights what the cameras see: the sky around buildings, a studio around objects.
    #[default]
    Automatic,
    /// No stage.
    None,
    /// This stage, whose environment replaces that of the scene.
    Fixed(Stage),
}

/// Scene as it is shown: its world, with the defaults that were added.
#[derive(Debug)]
pub struct Presentation {
    /// The committed scene.
    pub world: EditableWorld,
    /// First camera of the scene, or the default one.
    pub camera: InitialCamera,
    /// Stage that was added.
    pub stage: Option<Stage>,
    /// What was added and why, for the user; each starts with `note: ` or `warning: `.
    pub notes: Vec<String>,
}

/// Camera with which a scene is shown at first.
#[derive(Clone, Debug)]
pub struct InitialCamera(Choice);

#[derive(Clone, Debug)]
enum Choice {
    /// First camera of the scene.
    Authored(PlacedCamera),
    /// Views of a building without a camera, the best one first; at least one.
    Inside(Vec<PlacedCamera>),
    /// View of an object without a camera.
    Outside(Box<Framing>),
}

impl InitialCamera {
    fn choose(world: &EditableWorld, level: Level) -> Self {
        if let Some(first) = world.cameras().first() {
            return Self(Choice::Authored(first.clone()));
        }
        let views = interior::views(world.committed(), level);
        Self(match views.is_empty() {
            true => Choice::Outside(Box::new(Framing::new(world.scene()))),
            false => Choice::Inside(views),
        })
    }

    /// Returns the camera for images of an aspect ratio, width over height.
    pub fn camera(&self, aspect: f32) -> PlacedCamera {
        match &self.0 {
            Choice::Authored(camera) => camera.fitted(aspect),
            Choice::Inside(views) => views[0].fitted(aspect),
            Choice::Outside(framing) => framing.camera(aspect),
        }
    }

    /// Returns the cameras of the world for images of an aspect ratio: its own, else the initial one.
    pub fn cameras(&self, world: &EditableWorld, aspect: f32) -> Vec<PlacedCamera> {
        match world.cameras() {
            [] => vec![self.camera(aspect)],
            own => own.iter().map(|camera| camera.fitted(aspect)).collect(),
        }
    }

    /// Returns whether the scene is framed by its silhouette.
    pub fn frames_object(&self) -> bool {
        matches!(self.0, Choice::Outside(_))
    }

    /// Returns the cameras that may show the scene.
    fn candidates(&self, world: &EditableWorld) -> Vec<PlacedCamera> {
        match &self.0 {
            Choice::Authored(_) => world.cameras().iter().take(MAX_CAMERAS).cloned().collect(),
            Choice::Inside(views) => views.clone(),
            Choice::Outside(framing) => vec![framing.camera(MEASURED_ASPECT)],
        }
    }

    fn is_building(&self, world: &EditableWorld, level: Level) -> bool {
        match self.0 {
            Choice::Authored(_) => interior::is_building(world.committed(), level),
            Choice::Inside(_) => true,
            Choice::Outside(_) => false,
        }
    }

    /// Returns whether the scene is an object whose cameras are above the ground that it would stand on.
    fn has_ground(&self, world: &EditableWorld, level: Level) -> bool {
        let lowest = framing::vertex_bounds(world.scene()).map_or(f32::INFINITY, |[low, _]| low.y);
        let above = |camera: &PlacedCamera| camera.world_from_view.translation.y > lowest;
        world.cameras().iter().all(above) && !self.is_building(world, level)
    }
}

impl Presentation {
    /// Commits a scene, chooses a camera if it has none, and adds a stage as chosen. Errors: [`CommitError`].
    ///
    /// * `level` — SIMD instruction set of the measurements, which does not change their results.
    pub fn new(scene: Scene, choice: StageChoice, level: Level) -> Result<Self, CommitError> {
        let world = EditableWorld::new(scene)?;
        let camera = InitialCamera::choose(&world, level);
        let candidates = camera.candidates(&world);
        let stage = match choice {
            StageChoice::None => None,
            StageChoice::Fixed(stage) => Some(stage),
            StageChoice::Automatic if is_lit(&world, &candidates, level) => None,
            StageChoice::Automatic if camera.is_building(&world, level) => Some(Stage::Sky),
            StageChoice::Automatic => Some(Stage::Studio),
        };
        let mut presented = Self { world, camera, stage: None, notes: Vec::new() };
        if let Some(stage) = stage {
            presented.add_stage(stage, choice == StageChoice::Automatic, level)?;
        }
        if let Choice::Inside(views) = &mut presented.camera.0 {
            presented.notes.push(
                match views[0].name.as_str() {
                    interior::OPEN_SIDE => {
                        "note: the scene is a box without a camera; it is viewed through its open side"
                    }
                    _ => "note: the scene is a building without a camera; it is viewed from inside",
                }
                .to_owned(),
            );
            prefer_lit(views, &presented.world, level);
        }
        Ok(presented)
    }

    /// Returns the cameras for images of an aspect ratio: those of the scene, else the default one.
    pub fn cameras(&self, aspect: f32) -> Vec<PlacedCamera> {
        self.camera.cameras(&self.world, aspect)
    }

    fn add_stage(&mut self, stage: Stage, is_automatic: bool, level: Level) -> Result<(), CommitError> {
        let from = self.camera.camera(MEASURED_ASPECT);
        let edit = set_stage(Some(stage), &self.world, &self.camera, &from, level);
        match self.world.edit_without_undo(edit) {
            Ok(()) => {
                self.stage = Some(stage);
                self.notes.extend(is_automatic.then(|| {
                    format!("note: no light reaches what the camera sees: the stage `{stage}` is added")
                }));
            }
            Err(error) => self.notes.push(format!("warning: the stage `{stage}` cannot be added: {error}")),
        }
        self.world.commit().map(drop)
    }
}

fn is_lit(world: &EditableWorld, cameras: &[PlacedCamera], level: Level) -> bool {
    // A camera that sees nothing but an environment is meant to
    let sky_only = *world.scene().environment() != Environment::Black;
    let world = world.committed();
    let mut lights = cameras.iter().map(|camera| Lighting::measure(world, camera, level));
    world.light_count() > 0 && lights.any(|light| light.is_sufficient() || (light.surfaces == 0 && sky_only))
}

/// Moves the first view in which nearly as many surfaces are lit as in any to the front.
fn prefer_lit(views: &mut [PlacedCamera], world: &EditableWorld, level: Level) {
    let lit = |camera: &PlacedCamera| Lighting::measure(world.committed(), camera, level).lit;
    let lit: Vec<f32> = views.iter().map(lit).collect();
    let most = lit.iter().copied().fold(0.0, f32::max);
    if let Some(best) = lit.iter().position(|&lit| lit >= MIN_SHARE_OF_MOST_LIT * most) {
        views.swap(0, best);
    }
}
