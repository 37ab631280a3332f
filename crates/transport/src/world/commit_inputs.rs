//! Change detection between commits.

use std::sync::Arc;

use sunfleck_scene::{Environment, Light, Material, MaterialId, Scene, Texture, TextureId, WorldLight};

/// The parts of a scene from which the tables of a world were made, to find whether the tables can be reused.
#[derive(Debug)]
pub(super) struct CommitInputs {
    materials: Vec<(MaterialId, Material)>,
    textures: Vec<(TextureId, Arc<Texture>)>,
    lights: Vec<(WorldLight, Option<Light>)>,
    environment: Environment,
}

impl CommitInputs {
    pub(super) fn of(scene: &Scene) -> Self {
        Self {
            materials: scene.materials().map(|(id, material)| (id, material.clone())).collect(),
            textures: scene.textures().map(|(id, texture)| (id, texture.clone())).collect(),
            lights: scene
                .world_lights()
                .into_iter()
                .map(|placed| (placed, scene.light(placed.light).cloned()))
                .collect(),
            environment: *scene.environment(),
        }
    }

    /// Returns whether the materials and their textures are equal.
    pub(super) fn has_same_materials(&self, other: &Self) -> bool {
        self.materials == other.materials && self.has_same_textures(other)
    }

    /// Returns whether the punctual lights and the environment are equal.
    pub(super) fn has_same_lights(&self, other: &Self) -> bool {
        self.lights == other.lights && self.environment == other.environment && self.has_same_textures(other)
    }

    /// Returns whether the environment is equal.
    pub(super) fn has_same_environment(&self, other: &Self) -> bool {
        let textures = |inputs: &Self| match inputs.environment {
            Environment::Map { texture, .. } => {
                inputs.textures.iter().find(|(id, _)| *id == texture).map(|(_, texture)| Arc::as_ptr(texture))
            }
            Environment::Black | Environment::Constant { .. } => None,
        };
        self.environment == other.environment && textures(self) == textures(other)
    }

    fn has_same_textures(&self, other: &Self) -> bool {
        let pairs = self.textures.iter().zip(&other.textures);
        self.textures.len() == other.textures.len()
            && pairs.into_iter().all(|((a, x), (b, y))| a == b && Arc::ptr_eq(x, y))
    }
}
