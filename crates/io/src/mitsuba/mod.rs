//! Scenes of the renderer Mitsuba [Jakob22] in XML, of version 3 and of the versions since 0.4.
//!
//! `read` turns the XML into objects (`tree`), `Importer` converts them: `shapes` and `meshes`, `bsdfs`, `textures`,
//! `emitters`, `sensors`. What is left out or replaced is collected in `omissions`. docs/mitsuba.md lists what is read.

mod bounds;
mod bsdf;
mod bump;
pub(crate) mod envmap;
mod instances;
mod light;
mod medium;
mod mesh;
mod parameter;
mod read;
mod refraction;
mod search;
mod sensor;
mod serialized;
mod shape;
#[cfg(test)]
mod tests;
mod texture;
mod transform;
mod tree;
mod values;

use std::collections::BTreeMap;
use std::rc::Rc;

use sunfleck_math::{Affine3, Vec3};
use sunfleck_scene::{MaterialId, Medium, Scene};

use crate::Resolver;
use crate::error::ParseError;
use crate::images::Images;
use crate::report::Reporter;

use crate::renderer::look::{BumpMap, Look};
use crate::renderer::omissions::Omissions;
use crate::renderer::spectrum::Quantity;
use bsdf::{MaterialKey, Painted};
use instances::PlacedShape;
use mesh::MeshCache;
use read::SceneFile;
use texture::{TexturedValue, UvSpace};
use tree::{Class, Object, Parameter, Value};

/// Reads a scene and the files that it refers to.
pub(crate) fn load(bytes: &[u8], files: &dyn Resolver, report: &mut Reporter) -> Result<Scene, ParseError> {
    let mut file = read::read(bytes, files)?;
    let omissions = std::mem::take(&mut file.omissions);
    let mut importer = Importer {
        file: &file,
        report,
        scene: Scene::default(),
        images: Images::default(),
        omissions,
        meshes: MeshCache::default(),
        materials: BTreeMap::new(),
        looks: BTreeMap::new(),
        values: BTreeMap::new(),
        media: BTreeMap::new(),
        bumps: BTreeMap::new(),
        groups: BTreeMap::new(),
        parts: 0,
        nodes: 0,
        is_two_sided: false,
    };
    importer.root()?;
    let Importer { scene, mut omissions, .. } = importer;
    note_unused(&file.root, &mut omissions);
    omissions.report(report);
    Ok(scene)
}

/// Conversion of a scene that was read.
struct Importer<'a, 'r> {
    file: &'a SceneFile<'a>,
    report: &'r mut Reporter,
    scene: Scene,
    images: Images,
    omissions: Omissions,
    meshes: MeshCache,
    materials: BTreeMap<MaterialKey, Rc<[Painted]>>,
    /// Looks of scattering models by their number, within a two-sided one or not.
    looks: BTreeMap<(u32, UvSpace, bool), Look>,
    /// Values of textures by their number.
    values: BTreeMap<(u32, Quantity), TexturedValue>,
    /// Participating media by their number; `None` of those that are left out.
    media: BTreeMap<u32, Option<Medium>>,
    /// Bump maps of materials.
    bumps: BTreeMap<MaterialId, BumpMap>,
    /// Shapes of the groups that have instances, by the number of the group.
    groups: BTreeMap<u32, Rc<Vec<PlacedShape>>>,
    /// Number of shapes that were converted so far.
    parts: usize,
    /// Number of nodes so far.
    nodes: usize,
    /// Whether the scattering model that is being converted is within a two-sided one.
    is_two_sided: bool,
}

impl Importer<'_, '_> {
    fn root(&mut self) -> Result<(), ParseError> {
        let file = self.file;
        file.root.is_used.set(true);
        crate::origin::place(self.bounds_of_shapes()?, &mut self.scene)?;
        for parameter in &file.root.parameters {
            parameter.is_used.set(true);
            let Value::Object(object) = &parameter.value else { continue };
            match object.class {
                Class::Shape => self.shape_of_scene(object)?,
                Class::Emitter => self.emitter_of_scene(object)?,
                Class::Sensor => self.sensor(object)?,
                // Only objects that refer to them use these
                Class::Bsdf | Class::Texture | Class::Spectrum => {}
                Class::Scene | Class::Film | Class::Medium | Class::Subsurface | Class::Rendering => {}
            }
        }
        Ok(())
    }

    /// Returns the object of a parameter, which may refer to one; `None` if its value is something else.
    ///
    /// Errors: there is no object with the id.
    fn object(&self, parameter: &Parameter) -> Result<Option<Rc<Object>>, ParseError> {
        match &parameter.value {
            Value::Object(object) => Ok(Some(Rc::clone(object))),
            Value::Reference(id) => {
                let missing = || parameter.place.error(format!("there is no object with the id {id:?}"));
                self.file.ids.get(id).cloned().ok_or_else(missing).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the objects of a class within an object, with or without a name, which are then used.
    ///
    /// Errors: a reference to an object that does not exist.
    fn inner(&self, object: &Object, class: Class) -> Result<Vec<Rc<Object>>, ParseError> {
        let mut found = Vec::new();
        for parameter in &object.parameters {
            if let Some(inner) = self.object(parameter)?
                && inner.class == class
            {
                parameter.is_used.set(true);
                found.push(inner);
            }
        }
        Ok(found)
    }
}

/// Adds the parameters of an object and of those within it that were not used. Objects that were not converted are
/// left out: whatever left them out has been named.
fn note_unused(object: &Object, omissions: &mut Omissions) {
    for parameter in &object.parameters {
        if let Value::Object(inner) = &parameter.value {
            match inner.class {
                // Media without a shape, which nothing shows
                Class::Medium | Class::Subsurface if !inner.is_used.get() => continue,
                Class::Rendering => {
                    let message = "the integrator, the sampler and the filter are not part of a scene: they are \
                                   options of rendering";
                    omissions.note(&parameter.place, message);
                    continue;
                }
                _ => note_unused(inner, omissions),
            }
        }
        if object.is_used.get() && !parameter.is_used.get() {
            let name = match (&parameter.value, parameter.name.as_str()) {
                (Value::Object(inner), "") => inner.title(),
                (Value::Reference(id), "") => format!("ref {id:?}"),
                (_, name) => format!("{name:?}"),
            };
            omissions.warn(&parameter.place, format!("{name} of the {} is not used", object.title()));
        }
    }
}

/// Turns the axes of Mitsuba, where sensors and spots look along +z with +x to the left, to ours, where they look along
/// −z with +x to the right.
const TURN: Affine3 = Affine3::from_cols(Vec3::NEG_X, Vec3::Y, Vec3::NEG_Z, Vec3::ZERO);
