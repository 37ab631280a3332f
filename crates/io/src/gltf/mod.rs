//! glTF 2.0 [glTF2], as .gltf with its files and as .glb.
//!
//! `container` opens the file and checks versions and extensions, `model` is its JSON, `buffers` and `accessor` are its
//! bytes, `primitive` and `mesh` make meshes of them, `material` and `texture` what they look like, `nodes` the scene;
//! `movable`, `deformer` and `animation` say how it moves. `own` reads what only files of ours have, `export` writes them.
//!
//! The JSON model is ours and not that of the `gltf` crate, whose validation indexes out of bounds on some bad files,
//! reads indices modulo 2³² and refuses scenes without nodes.

mod accessor;
mod animation;
mod buffers;
mod container;
mod deformer;
pub(crate) mod export;
mod material;
mod mesh;
mod model;
mod movable;
mod nodes;
mod own;
mod primitive;
#[cfg(test)]
mod tests;
mod texture;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sunfleck_scene::{
    CameraId, Influences, Instance, LightId, MaterialId, MeshId, NodeId, Scene, Skin, TextureId,
};

use crate::error::Fault;
use crate::images::Images;
use crate::mesh_file::report_degenerate;
use crate::report::Reporter;
use crate::{FileLocation, Resolver};

use accessor::Accessors;
use buffers::Buffers;
use deformer::Deformable;
use model::Root;
use movable::Movable;

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
    /// Our word about the file, if it is one of ours.
    own: Option<&'a own::model::Root>,
    own_textures: Vec<Option<TextureId>>,
    own_meshes: BTreeMap<usize, MeshId>,
    /// Triangles that were left out because they name a vertex twice.
    degenerate: usize,
    /// The scene's node for each of the file's that is shown.
    nodes: BTreeMap<usize, NodeId>,
    movables: BTreeMap<usize, Movable>,
    /// Meshes that nodes show; those of them that are deformed.
    shown: BTreeSet<MeshId>,
    deformed: BTreeSet<MeshId>,
    deformables: Vec<Deformable>,
    /// By the file's index, and the address of what says how they take vertices along.
    skins: BTreeMap<(usize, *const Vec<Influences>), Arc<Skin>>,
    /// The weights of deformed meshes without animations.
    rest_weights: BTreeMap<MeshId, Vec<f32>>,
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
        own: None,
        own_textures: Vec::new(),
        own_meshes: BTreeMap::new(),
        degenerate: 0,
        nodes: BTreeMap::new(),
        movables: BTreeMap::new(),
        shown: BTreeSet::new(),
        deformed: BTreeSet::new(),
        deformables: Vec::new(),
        skins: BTreeMap::new(),
        rest_weights: BTreeMap::new(),
    };
    importer.own = importer.own_root();
    if let Some(own) = importer.own {
        importer.add_own(own)?;
    }
    importer.add_nodes()?;
    report_degenerate(importer.degenerate, FileLocation::Json("meshes".to_string()), importer.report);
    importer.add_deformers()?;
    importer.add_animations();
    Ok(importer.scene)
}
