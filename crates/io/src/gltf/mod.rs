//! glTF 2.0 [glTF2], as .gltf with its files and as .glb.
//!
//! `container` opens the file and checks versions and extensions, `model` is its JSON, `buffers` and `accessor` are its
//! bytes, `primitive` and `mesh` make meshes of them, `material` and `texture` what they look like, `nodes` the scene.
//!
//! The JSON model is ours and not that of the `gltf` crate, whose validation indexes out of bounds on some bad files,
//! reads indices modulo 2³² and refuses scenes without nodes.

mod accessor;
mod buffers;
mod container;
mod material;
mod mesh;
mod model;
mod nodes;
mod primitive;
#[cfg(test)]
mod tests;
mod texture;

use std::collections::BTreeMap;

use sunfleck_scene::{CameraId, Instance, LightId, MaterialId, Scene};

use crate::error::Fault;
use crate::images::Images;
use crate::mesh_file::report_degenerate;
use crate::report::Reporter;
use crate::{Place, Resolver};

use accessor::Accessors;
use buffers::Buffers;
use model::Root;

pub(crate) use container::is_glb;

/// A glTF scene on its way into ours. Only what the shown scene uses is read, each thing once.
struct Importer<'a> {
    root: &'a Root,
    buffers: &'a Buffers<'a>,
    accessors: Accessors<'a>,
    files: &'a dyn Resolver,
    report: &'a mut Reporter,
    scene: Scene,
    images: Images,
    meshes: BTreeMap<usize, Option<Instance>>,
    materials: BTreeMap<Option<usize>, MaterialId>,
    cameras: BTreeMap<usize, CameraId>,
    lights: BTreeMap<usize, LightId>,
    /// Triangles that were left out because they name a vertex twice.
    degenerate: usize,
    skinned: bool,
    morphed: bool,
}

/// Reads a .gltf or .glb file.
pub(crate) fn load(bytes: &[u8], files: &dyn Resolver, report: &mut Reporter) -> Result<Scene, Fault> {
    let container = container::open(bytes, report)?;
    let root = &container.root;
    let buffers = &Buffers::read(root, container.binary, files)?;
    let mut importer = Importer {
        root,
        buffers,
        accessors: Accessors::new(root, buffers),
        files,
        report,
        scene: Scene::default(),
        images: Images::default(),
        meshes: BTreeMap::new(),
        materials: BTreeMap::new(),
        cameras: BTreeMap::new(),
        lights: BTreeMap::new(),
        degenerate: 0,
        skinned: false,
        morphed: false,
    };
    importer.add_nodes()?;
    report_degenerate(importer.degenerate, Place::Json("meshes".to_string()), importer.report);
    importer.report_motion();
    Ok(importer.scene)
}

impl Importer<'_> {
    fn report_motion(&mut self) {
        if self.skinned {
            self.report.warn(
                Place::Json("skins".to_string()),
                "skins are not applied: meshes are shown in bind pose",
            );
        }
        if self.morphed {
            let message = "morph targets are not applied: meshes are shown without them";
            self.report.warn(Place::Json("meshes".to_string()), message);
        }
        if !self.root.animations.is_empty() {
            let message = "animations are not played: nodes stand where they are without them";
            self.report.warn(Place::Json("animations".to_string()), message);
        }
    }
}
