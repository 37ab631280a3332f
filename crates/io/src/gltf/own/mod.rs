//! `SUNFLECK_scene`, our extension: what a scene holds and glTF cannot say (docs/gltf.md). In a file that has it every thing
//! is read, shown or not, in the order of the arrays, and nothing is made up; so what was saved comes back the same.

mod mesh;
pub(super) mod model;
mod surface;
mod texture;

use sunfleck_math::Vec3;
use sunfleck_scene::Environment;

use crate::FileLocation;
use crate::error::{At, Fault};

use super::Importer;

/// The name of the extension.
pub(super) const NAME: &str = "SUNFLECK_scene";
/// The only version there is.
pub(super) const VERSION: u32 = 1;

impl<'a> Importer<'a> {
    /// Our word about the file, if it is one of ours and of a version that we know.
    pub(super) fn own_root(&mut self) -> Option<&'a model::Root> {
        let own = self.root.extensions.own.as_ref()?;
        if own.version == VERSION {
            return Some(own);
        }
        let message = format!("version {} of {NAME} is not known: only what glTF says is read", own.version);
        self.report.warn(FileLocation::Json(format!("extensions.{NAME}.version")), message);
        None
    }

    /// Everything but the nodes.
    pub(super) fn add_own(&mut self, own: &model::Root) -> Result<(), Fault> {
        let root = self.root;
        for index in 0..root.textures.len() {
            self.add_own_texture(index)?;
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
            self.add_own_mesh(index)?;
        }
        own.environment.as_ref().map_or(Ok(()), |environment| self.add_own_environment(environment))
    }

    fn add_own_environment(&mut self, environment: &model::Environment) -> Result<(), Fault> {
        let path = format!("extensions.{NAME}.environment");
        let place = || FileLocation::Json(path.clone());
        let environment = match (environment.texture, environment.radiance) {
            (Some(index), _) => match self.own_texture(index, &path)? {
                Some(texture) => Environment::Map {
                    texture,
                    rotation_y_radians: environment.rotation,
                    scale: Vec3::from_array(environment.scale),
                },
                None => return Ok(()),
            },
            (None, Some(radiance)) => Environment::Constant { radiance: Vec3::from_array(radiance) },
            (None, None) => Environment::Black,
        };
        self.scene.set_environment(environment).at(place)
    }
}
