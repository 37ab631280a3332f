//! Stages: environment and ground for scenes that have no light of their own.

use std::fmt;
use std::str::FromStr;

use fearless_simd::Level;
use sunfleck_integrators::PlacedCamera;
use sunfleck_math::{Vec3, atan2};
use sunfleck_scene::{Environment, Scene, SceneEdit};

use super::environment::Look;
use super::sky::SUN_AZIMUTH;
use super::{InitialCamera, environment, ground};
use crate::EditableWorld;

/// Environment with a matching ground, for scenes without light. The three differ in the direction and size of their
/// lights; none changes a material of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Photo studio: a large key light, a fill light and a rim light in front of a grey backdrop.
    Studio,
    /// Outdoors: a clear sky with the sun.
    Sky,
    /// Soft, even, warm light from all sides, which shows shape rather than material.
    Clay,
}

/// A name that is not that of a stage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no stage `{0}` (there are studio, sky and clay)")]
pub struct UnknownStage(pub String);

impl Stage {
    /// All stages.
    pub const ALL: [Self; 3] = [Self::Studio, Self::Sky, Self::Clay];

    /// Returns the name in options and in the user interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Studio => "studio",
            Self::Sky => "sky",
            Self::Clay => "clay",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Stage {
    type Err = UnknownStage;

    fn from_str(name: &str) -> Result<Self, UnknownStage> {
        Self::ALL.into_iter().find(|stage| stage.name() == name).ok_or_else(|| UnknownStage(name.to_owned()))
    }
}

/// Returns the edit that sets the stage of a scene, or removes it: environment, and ground below an object.
///
/// * `initial` — camera with which the scene was opened: buildings have no ground.
/// * `camera` — the key light of the stage is at its left.
/// * `level` — SIMD instruction set of the search for rooms, which does not change its result.
pub fn set_stage(
    stage: Option<Stage>,
    world: &EditableWorld,
    initial: &InitialCamera,
    camera: &PlacedCamera,
    level: Level,
) -> SceneEdit {
    let scene = world.scene();
    let mut edits = ground::removal(scene);
    let old_map = match (stage_of(scene), *scene.environment()) {
        (Some(_), Environment::Map { texture, .. }) => Some(texture),
        _ => None,
    };
    let Some(look) = stage.map(Look::new) else {
        edits.push(SceneEdit::Environment { environment: Environment::Black });
        edits.extend(old_map.map(|id| SceneEdit::Texture { id, texture: None }));
        return SceneEdit::Batch(edits);
    };
    let ground = if initial.has_ground(world, level) { ground::addition(look, scene) } else { Vec::new() };
    let backward = camera.world_from_view.transform_vector3(Vec3::Z);
    let texture = scene.next_texture_id();
    let image = environment::image(look, !ground.is_empty() && initial.frames_object());
    edits.push(SceneEdit::Texture { id: texture, texture: Some(image.into()) });
    edits.push(SceneEdit::Environment {
        environment: Environment::Map {
            texture,
            rotation_y_radians: atan2(backward.x, backward.z),
            scale: Vec3::ONE,
            rows_at_poles: false,
        },
    });
    edits.extend(old_map.map(|id| SceneEdit::Texture { id, texture: None }));
    edits.extend(ground);
    SceneEdit::Batch(edits)
}

/// Returns the stage of a scene: the one whose environment it has.
pub fn stage_of(scene: &Scene) -> Option<Stage> {
    look_of(scene).map(|look| look.stage)
}

fn look_of(scene: &Scene) -> Option<Look> {
    let Environment::Map { texture, .. } = *scene.environment() else { return None };
    Look::named(scene.texture(texture)?.name())
}

/// Direction to the sun of the sky, degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkySun {
    /// Angle above the horizon.
    pub elevation: f32,
    /// Angle about the vertical, from +z towards +x, −180 to 180.
    pub azimuth: f32,
}

/// Returns the direction to the sun of the stage `sky`; `None` if the scene has another environment.
pub fn sky_sun(scene: &Scene) -> Option<SkySun> {
    let Environment::Map { rotation_y_radians, .. } = *scene.environment() else { return None };
    let elevation = look_of(scene)?.sun_elevation()?;
    let azimuth = (rotation_y_radians.to_degrees() + SUN_AZIMUTH + 180.0).rem_euclid(360.0) - 180.0;
    Some(SkySun { elevation, azimuth })
}

/// Returns the edit that sets the elevation of the sun of the stage `sky` in degrees, limited to 0 … 90: the image of
/// the sky is computed for it. `None` if the scene has another environment.
///
/// * `initial` — camera with which the scene was opened.
pub fn set_sun_elevation(
    elevation: f32,
    world: &EditableWorld,
    initial: &InitialCamera,
) -> Option<SceneEdit> {
    let scene = world.scene();
    look_of(scene)?.sun_elevation()?;
    let Environment::Map { texture: id, .. } = *scene.environment() else { return None };
    let look = Look::sky(elevation);
    let mut edits = ground::change(look, scene);
    let image = environment::image(look, !edits.is_empty() && initial.frames_object());
    edits.push(SceneEdit::Texture { id, texture: Some(image.into()) });
    Some(SceneEdit::Batch(edits))
}
