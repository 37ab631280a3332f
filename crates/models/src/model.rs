use std::fmt::Debug;

use sunfleck_scene::Scene;
use sunfleck_scene::parameter::{Parameter, Parameters};

use crate::{ModelError, building, conference, cornell, erw6, office, plant, sunflowers, teapot_room};

/// A built-in scene.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Name of the scene in a spec.
    pub name: &'static str,
    /// Description of the scene in one phrase.
    pub summary: &'static str,
    /// Table of the parameters of the scene.
    pub parameters: &'static [Parameter],
    /// Returns the parameters with their default values.
    pub(crate) defaults: fn() -> Box<dyn Build>,
}

/// Parameters of a built-in scene, from which the scene is built.
pub(crate) trait Build: Parameters + Debug {
    /// Builds the scene. An error is a bug of this crate.
    fn build(&self) -> Result<Scene, ModelError>;
}

/// Returns all built-in scenes, from the smallest to the largest.
pub fn models() -> &'static [Model] {
    const MODELS: &[Model] = &[
        cornell::MODEL,
        erw6::MODEL,
        teapot_room::PATCHES_MODEL,
        teapot_room::MODEL,
        office::MODEL,
        conference::MODEL,
        building::MODEL,
        plant::MODEL,
        sunflowers::MODEL,
    ];
    MODELS
}
