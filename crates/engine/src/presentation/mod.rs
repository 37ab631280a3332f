//! Presentation of scenes whose files leave it open: default camera, and light where there is none.
//!
//! [`Presentation::new`] decides once per scene, for all frames, on the CPU, whatever device renders:
//!
//! 1. A scene without a camera is seen from inside if it is a building, from the best of many views; else from outside,
//!    as close as its silhouette allows at the aspect ratio of the image.
//! 2. If no light lights what the cameras see, which a few thousand paths measure, a [`Stage`] is added.

mod environment;
mod framing;
mod interior;
mod lighting;
mod stage;
mod visible;

use fearless_simd::Level;
use sunfleck_integrators::{CommitError, PlacedCamera};
use sunfleck_math::{Vec3, atan2, vec3};
use sunfleck_scene::{Scene, SceneEdit};

use crate::EditableWorld;
use framing::Framing;
use lighting::Lighting;
use stage::GroundDisc;

pub use stage::{Stage, UnknownStage, is_stage_ground};
pub use visible::{FreeSpace, bounds_without_ground, sees_surfaces};

/// Aspect ratio at which light is measured.
const MEASURED_ASPECT: f32 = 1.5;
/// Largest number of cameras of a scene whose light is measured.
const MAX_CAMERAS: usize = 8;
/// Least fraction of lit surfaces in an interior view, relative to the view with most of them.
const MIN_SHARE_OF_MOST_LIT: f32 = 0.7;
/// Distance of the ground below the object, in diagonals of its bounds: the object may have a floor of its own.
const GROUND_GAP: f32 = 2e-4;

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
    /// Camera of a scene that has none.
    pub default_camera: Option<DefaultCamera>,
    /// Stage that was added.
    pub stage: Option<Stage>,
    /// What was added and why, for the user; each starts with `note: ` or `warning: `.
    pub notes: Vec<String>,
}

/// Camera of a scene that has none.
#[derive(Clone, Debug)]
pub struct DefaultCamera(Choice);

#[derive(Clone, Debug)]
enum Choice {
    Inside(PlacedCamera),
    Outside(Box<Framing>),
}

impl DefaultCamera {
    /// Returns whether the scene is an object, seen from outside, that stands on a ground.
    pub fn shows_object(&self) -> bool {
        matches!(self.0, Choice::Outside(_))
    }

    /// Returns the camera for images of an aspect ratio, width over height.
    pub fn camera(&self, aspect: f32) -> PlacedCamera {
        match &self.0 {
            Choice::Inside(camera) => camera.clone(),
            Choice::Outside(framing) => framing.camera(aspect),
        }
    }
}

impl Presentation {
    /// Commits a scene, chooses a camera if it has none, and adds a stage as chosen. Errors: [`CommitError`].
    ///
    /// * `level` — SIMD instruction set of the measurements, which does not change their results.
    pub fn new(scene: Scene, choice: StageChoice, level: Level) -> Result<Self, CommitError> {
        let mut world = EditableWorld::new(scene)?;
        let mut notes = Vec::new();
        let mut view = DefaultView::choose(&world, level);
        let candidates = view.candidates(&world);
        let stage = match choice {
            StageChoice::None => None,
            StageChoice::Fixed(stage) => Some(stage),
            StageChoice::Automatic if is_lit(&world, &candidates, level) => None,
            StageChoice::Automatic if view.is_building(&world, level) => Some(Stage::Sky),
            StageChoice::Automatic => Some(Stage::Studio),
        };
        if let (Some(stage), Some(camera)) = (stage, candidates.first()) {
            let shows_object = view.shows_object(&world, level);
            let edit = set_stage(Some(stage), world.scene(), camera, shows_object);
            match world.edit_without_undo(edit) {
                Ok(()) if choice == StageChoice::Automatic => notes.push(format!(
                    "note: no light reaches what the camera sees: the stage `{stage}` is added (--stage none leaves \
                     it out)"
                )),
                Ok(()) => {}
                Err(error) => notes.push(format!("warning: the stage `{stage}` cannot be added: {error}")),
            }
            world.commit()?;
        }
        if let DefaultView::Inside(views) = &mut view {
            notes.push("note: the scene is a building without a camera; it is viewed from inside".into());
            prefer_lit(views, &world, level);
        }
        Ok(Self { default_camera: view.camera(), world, stage, notes })
    }

    /// Returns the cameras for images of an aspect ratio: those of the scene, else the default one.
    pub fn cameras(&self, aspect: f32) -> Vec<PlacedCamera> {
        cameras(&self.world, self.default_camera.as_ref(), aspect)
    }
}

/// Returns the cameras of a world for images of an aspect ratio: its own, else the default one.
pub fn cameras(world: &EditableWorld, default: Option<&DefaultCamera>, aspect: f32) -> Vec<PlacedCamera> {
    match default {
        Some(default) if world.cameras().is_empty() => vec![default.camera(aspect)],
        _ => world.cameras().to_vec(),
    }
}

/// Returns the edit that sets the stage of a scene, or removes it: environment, and ground below an object.
///
/// * `camera` — the key light of the stage is at its left.
/// * `shows_object` — whether the scene is an object that stands on a ground.
pub fn set_stage(
    stage: Option<Stage>,
    scene: &Scene,
    camera: &PlacedCamera,
    shows_object: bool,
) -> SceneEdit {
    let backward = camera.world_from_view.transform_vector3(Vec3::Z);
    let azimuth = atan2(backward.x, backward.z);
    let ground = framing::vertex_bounds(scene).filter(|_| shows_object).map(|[low, high]| {
        let size = high - low;
        let center = vec3(0.5 * (low.x + high.x), low.y - GROUND_GAP * size.length(), 0.5 * (low.z + high.z));
        GroundDisc { center, unit: size.length() }
    });
    SceneEdit::Batch(match stage {
        Some(stage) => stage::edits(stage, scene, azimuth, ground),
        None => stage::removal(scene),
    })
}

/// Views of a scene, the best one first.
enum DefaultView {
    /// The scene has cameras.
    Authored,
    /// A building without a camera.
    Inside(Vec<PlacedCamera>),
    /// An object without a camera.
    Outside(Box<Framing>),
}

impl DefaultView {
    fn choose(world: &EditableWorld, level: Level) -> Self {
        if !world.cameras().is_empty() {
            return Self::Authored;
        }
        let views = interior::views(world.committed(), level);
        if views.is_empty() {
            Self::Outside(Box::new(Framing::new(world.scene())))
        } else {
            Self::Inside(views)
        }
    }

    /// Returns the cameras that may show the scene.
    fn candidates(&self, world: &EditableWorld) -> Vec<PlacedCamera> {
        match self {
            Self::Authored => world.cameras().iter().take(MAX_CAMERAS).cloned().collect(),
            Self::Inside(views) => views.clone(),
            Self::Outside(framing) => vec![framing.camera(MEASURED_ASPECT)],
        }
    }

    fn is_building(&self, world: &EditableWorld, level: Level) -> bool {
        match self {
            Self::Authored => !interior::views(world.committed(), level).is_empty(),
            Self::Inside(_) => true,
            Self::Outside(_) => false,
        }
    }

    /// Returns whether the scene is an object whose cameras are above the ground that it would stand on.
    fn shows_object(&self, world: &EditableWorld, level: Level) -> bool {
        match self {
            Self::Inside(_) => false,
            Self::Outside(_) => true,
            Self::Authored => {
                let lowest = framing::vertex_bounds(world.scene()).map_or(f32::INFINITY, |[low, _]| low.y);
                let above = |camera: &PlacedCamera| camera.world_from_view.translation.y > lowest;
                world.cameras().iter().all(above) && !self.is_building(world, level)
            }
        }
    }

    /// Returns the default camera; `None` if the scene has its own.
    fn camera(self) -> Option<DefaultCamera> {
        match self {
            Self::Authored => None,
            Self::Inside(views) => {
                views.into_iter().next().map(|camera| DefaultCamera(Choice::Inside(camera)))
            }
            Self::Outside(framing) => Some(DefaultCamera(Choice::Outside(framing))),
        }
    }
}

fn is_lit(world: &EditableWorld, cameras: &[PlacedCamera], level: Level) -> bool {
    let world = world.committed();
    let mut lit = cameras.iter().map(|camera| Lighting::measure(world, camera, level).is_sufficient());
    world.light_count() > 0 && lit.any(|lit| lit)
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
