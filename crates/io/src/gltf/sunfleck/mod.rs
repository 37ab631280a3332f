//! Extension `SUNFLECK_scene`: data of a scene that glTF cannot express (docs/gltf.md). In a file that has it, all
//! objects are read, used or not, in the order of their arrays, and no names or defaults are added, so a saved scene is
//! loaded without change.

mod mesh;
pub(super) mod model;
mod principled;
mod surface;
mod texture;

use sunfleck_math::Vec3;
use sunfleck_scene::Environment;

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};

use super::Importer;

/// Name of the extension.
pub(super) const NAME: &str = "SUNFLECK_scene";
/// Version of the extension that is written and read.
pub(super) const VERSION: u32 = 1;

impl<'a> Importer<'a> {
    /// Returns the extension of the file as a whole, if the file has it in a supported version.
    pub(super) fn sunfleck_root(&mut self) -> Option<&'a model::Root> {
        let sunfleck = self.root.extensions.sunfleck.as_ref()?;
        if sunfleck.version == VERSION {
            return Some(sunfleck);
        }
        let message =
            format!("version {} of {NAME} is not supported: the extension is ignored", sunfleck.version);
        self.report.warn(FileLocation::Json(format!("extensions.{NAME}.version")), message);
        None
    }

    /// Adds all objects except nodes.
    pub(super) fn add_sunfleck_objects(&mut self, sunfleck: &model::Root) -> Result<(), ParseError> {
        let root = self.root;
        for index in 0..root.textures.len() {
            self.add_sunfleck_texture(index)?;
        }
        for index in 0..root.materials.len() {
            self.material(Some(index))?;
        }
        for index in 0..root.extensions.lights_punctual.lights.len() {
            self.light(index, "extensions")?;
        }
        for index in 0..root.cameras.len() {
            self.camera(index, "extensions")?;
        }
        for index in 0..root.meshes.len() {
            self.add_sunfleck_mesh(index)?;
        }
        if let Some(environment) = &sunfleck.environment {
            self.add_sunfleck_environment(environment)?;
        }
        let location = || FileLocation::Json(format!("extensions.{NAME}.exposure"));
        if sunfleck.exposure.is_some() {
            self.scene.set_exposure(sunfleck.exposure).at(location)?;
        }
        let location = || FileLocation::Json(format!("extensions.{NAME}.origin"));
        self.scene.set_origin(sunfleck.origin.into()).at(location)?;
        Ok(())
    }

    fn add_sunfleck_environment(&mut self, environment: &model::Environment) -> Result<(), ParseError> {
        let path = format!("extensions.{NAME}.environment");
        let location = || FileLocation::Json(path.clone());
        let environment = match (environment.texture, environment.radiance) {
            (Some(index), _) => match self.sunfleck_texture(index, &path)? {
                Some(texture) => Environment::Map {
                    texture,
                    rotation_y_radians: environment.rotation,
                    scale: Vec3::from_array(environment.scale),
                    rows_at_poles: environment.rows_at_poles,
                },
                None => return Ok(()),
            },
            (None, Some(radiance)) => Environment::Constant { radiance: Vec3::from_array(radiance) },
            (None, None) => Environment::Black,
        };
        self.scene.set_environment(environment).at(location)
    }
}
