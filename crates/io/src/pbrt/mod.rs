//! Scenes of pbrt [PBRT4, appendix C], of version 4 and of version 3.
//!
//! `read` turns the directives of the text into a description of the scene, `Importer` converts it: `shape` and `mesh`,
//! `material`, `texture`, `light`, `camera`. What is left out or replaced is collected in `omissions`. docs/pbrt.md
//! lists what is read.
//!
//! pbrt's cameras have x to the right, y up and z forward, so that a world that they see without a reflection is
//! left-handed, and its mirror image is the scene. Programs that write pbrt's files reflect the camera instead: their
//! world is right-handed, and the scene is the same.

mod camera;
mod color;
mod description;
mod envmap;
mod files;
mod instances;
mod light;
mod material;
mod mesh;
mod parameter;
mod patches;
mod read;
mod shape;
mod state;
mod subdivision;
#[cfg(test)]
mod tests;
mod texture;
mod tokens;
mod transform;

use std::collections::BTreeMap;
use std::rc::Rc;

use glam::{DAffine3, DVec3};
use sunfleck_scene::{MaterialId, Medium, MeshId, Scene};

use crate::Resolver;
use crate::error::ParseError;
use crate::faults::Faults;
use crate::images::Images;
use crate::origin::Bounds;
use crate::renderer::look::Look;
use crate::renderer::omissions::Omissions;
use crate::renderer::spectrum::Quantity;
use crate::report::Reporter;

use description::Description;
use files::SceneFiles;
use material::MaterialKey;
use mesh::PlyKey;
use parameter::Directive;
use state::MaterialName;
use texture::{Paint, UvSpace};

/// Reads a scene and the files that it refers to.
pub(crate) fn load(bytes: &[u8], files: &dyn Resolver, report: &mut Reporter) -> Result<Scene, ParseError> {
    let files = SceneFiles(files);
    let mut description = read::read(bytes, &files)?;
    let omissions = std::mem::take(&mut description.omissions);
    let mut importer = Importer {
        files: &files,
        report,
        scene: Scene::default(),
        images: Images::default(),
        omissions,
        faults: Faults::default(),
        scene_from_world: scene_from_world(&description),
        description,
        materials: BTreeMap::new(),
        looks: BTreeMap::new(),
        paints: BTreeMap::new(),
        media: BTreeMap::new(),
        ply_meshes: BTreeMap::new(),
        nodes: 0,
    };
    importer.convert()?;
    let Importer { scene, omissions, faults, .. } = importer;
    let has_no_shapes = scene.meshes().len() == 0;
    faults.report(has_no_shapes, report)?;
    omissions.report(report);
    Ok(scene)
}

/// Conversion of a scene that was read.
struct Importer<'a, 'r> {
    files: &'a SceneFiles<'a>,
    report: &'r mut Reporter,
    scene: Scene,
    images: Images,
    omissions: Omissions,
    faults: Faults,
    /// Identity or reflection, and then the translation to the origin of the scene.
    scene_from_world: DAffine3,
    description: Description,
    materials: BTreeMap<MaterialKey, Rc<[MaterialId]>>,
    /// Materials that were converted, with their names for users.
    looks: BTreeMap<(MaterialName, UvSpace), (String, Look)>,
    /// Values of textures, of numbers (`true`) and of colours.
    paints: BTreeMap<((bool, String), Quantity), Paint>,
    /// Participating media by name; `None` of those that are left out.
    media: BTreeMap<Rc<str>, Option<Medium>>,
    ply_meshes: BTreeMap<PlyKey, MeshId>,
    /// Number of nodes so far.
    nodes: usize,
}

impl Importer<'_, '_> {
    fn convert(&mut self) -> Result<(), ParseError> {
        if let Some(place) = self.description.rendering.take() {
            let message = "the integrator, the sampler and the filter are not part of a scene: they are options of \
                           rendering";
            self.omissions.note(&place, message);
        }
        let origin = crate::origin::place(self.bounds_of_shapes(), &mut self.scene)?;
        self.scene_from_world = DAffine3::from_translation(-origin) * self.scene_from_world;
        self.camera()?;
        self.lights()?;
        self.shapes()?;
        let description = &mut self.description;
        let materials = std::mem::take(&mut description.materials);
        let named = std::mem::take(&mut description.named_materials);
        let textures = std::mem::take(&mut description.textures);
        let area_lights = std::mem::take(&mut description.area_lights);
        let used = materials.iter().chain(named.values()).chain(textures.values()).chain(&area_lights);
        used.for_each(|directive| self.unused(directive));
        Ok(())
    }

    /// Returns the bounds of the places of the shapes.
    fn bounds_of_shapes(&self) -> Bounds {
        let shapes = self.description.shapes.iter().map(|shape| shape.transform);
        let instances = self.description.instances.iter().map(|instance| instance.transform);
        shapes.chain(instances).map(|place| (self.scene_from_world * place).translation).collect()
    }

    /// Adds a warning for each parameter of a directive that was not used, unless none was.
    fn unused(&mut self, directive: &Directive) {
        let is_converted = directive.parameters.iter().any(|p| p.is_used.get() && p.name != "type");
        for parameter in directive.parameters.iter().filter(|parameter| !parameter.is_used.get()) {
            if is_converted {
                let message = format!("{:?} of {} is not used", parameter.name, directive.title());
                self.omissions.warn(&parameter.place, message);
            }
        }
    }
}

/// Returns the reflection that makes a left-handed world right-handed; the identity if it is right-handed. The
/// handedness of a world is that in which the camera sees it.
fn scene_from_world(description: &Description) -> DAffine3 {
    let camera = description.camera.as_ref();
    let is_left_handed = camera.is_none_or(|camera| camera.transform.matrix3.determinant() > 0.0);
    if is_left_handed { DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0)) } else { DAffine3::IDENTITY }
}
