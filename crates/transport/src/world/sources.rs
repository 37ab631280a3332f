use std::sync::Arc;

use sunfleck_scene::{Environment, Light, Material, MaterialId, Scene, Texture, TextureId, WorldLight};

/// What of a scene the tables of a world were made from, to tell whether they can be kept.
#[derive(Debug)]
pub(super) struct Sources {
    materials: Vec<(MaterialId, Material)>,
    textures: Vec<(TextureId, Arc<Texture>)>,
    lights: Vec<(WorldLight, Option<Light>)>,
    environment: Environment,
}

impl Sources {
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

    /// Whether materials are the same, with their textures.
    pub(super) fn look_like(&self, other: &Self) -> bool {
        self.materials == other.materials && self.has_textures_of(other)
    }

    /// Whether lights without extent and the environment are the same.
    pub(super) fn shine_like(&self, other: &Self) -> bool {
        self.lights == other.lights && self.environment == other.environment && self.has_textures_of(other)
    }

    /// Whether the environment is the same.
    pub(super) fn have_the_sky_of(&self, other: &Self) -> bool {
        let textures = |sources: &Self| match sources.environment {
            Environment::Map { texture, .. } => sources
                .textures
                .iter()
                .find(|(id, _)| *id == texture)
                .map(|(_, texture)| Arc::as_ptr(texture)),
            Environment::Black | Environment::Constant { .. } => None,
        };
        self.environment == other.environment && textures(self) == textures(other)
    }

    fn has_textures_of(&self, other: &Self) -> bool {
        let pairs = self.textures.iter().zip(&other.textures);
        self.textures.len() == other.textures.len()
            && pairs.into_iter().all(|((a, x), (b, y))| a == b && Arc::ptr_eq(x, y))
    }
}
