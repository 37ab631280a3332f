use std::fmt::Debug;

use sunfleck_scene::Scene;
use sunfleck_scene::parameter::{Parameter, Parameters};

use crate::{ModelError, building, conference, cornell, erw6, office, plant, sunflowers, teapot_room};

/// A built-in scene.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// As typed.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What can be chosen.
    pub parameters: &'static [Parameter],
    /// Every parameter at its default.
    pub(crate) defaults: fn() -> Box<dyn Build>,
}

/// The parameters of a scene, from which it is made.
pub(crate) trait Build: Parameters + Debug {
    /// Makes the scene. Errors: faults of this crate.
    fn build(&self) -> Result<Scene, ModelError>;
}

/// All built-in scenes, from the smallest to the largest.
pub fn models() -> &'static [Model] {
    const MODELS: &[Model] = &[
        cornell::MODEL,
        erw6::MODEL,
        teapot_room::MODEL,
        office::MODEL,
        conference::MODEL,
        building::MODEL,
        plant::MODEL,
        sunflowers::MODEL,
    ];
    MODELS
}
