//! glTF 2.0 [glTF2]: import of .gltf files with their external files and of .glb files, and export.
//!
//! `container` opens the file and checks versions and extensions; `model` is the JSON document; `buffers` and
//! `accessor` read binary data. `primitive` and `mesh` import meshes, `material`, `transmission` and `texture`
//! materials, `nodes` the node hierarchy, cameras and lights; `deformation`, `deformer` and `animation` import skins,
//! morph targets and animations. `placement` subtracts the origin of scenes that are far from zero; `repair` replaces
//! faulty values, `faults` leaves out faulty objects, and `unused` lists what is not imported. `sunfleck` is the
//! extension `SUNFLECK_scene`; `export` writes files.
//!
//! The JSON model is not that of the `gltf` crate, whose validation indexes out of bounds on some malformed files,
//! reads indices modulo 2³² and refuses scenes without nodes.

mod accessor;
mod animation;
mod buffers;
mod container;
mod deformation;
mod deformer;
pub(crate) mod export;
mod faults;
mod lenient;
mod material;
mod mesh;
mod model;
mod nodes;
mod placement;
mod primitive;
mod repair;
mod sunfleck;
#[cfg(test)]
mod tests;
mod texture;
mod transmission;
mod unused;
mod uv_sets;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sunfleck_scene::{
    CameraId, Influences, Instance, LightId, MaterialId, MeshId, NodeId, Scene, Skin, TextureId,
};

use crate::error::ParseError;
use crate::faults::Faults;
use crate::images::Images;
use crate::mesh_file::report_degenerate;
use crate::report::Reporter;
use crate::{FileLocation, Resolver};

use accessor::Accessors;
use buffers::Buffers;
use deformation::DeformationData;
use deformer::PendingDeformer;
use model::Root;
use placement::Placement;

pub(crate) use container::is_glb;

/// State of an import. Only objects that the imported scene uses are read, each of them once.
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
    /// Extension `SUNFLECK_scene` of the file as a whole.
    sunfleck: Option<&'a sunfleck::model::Root>,
    sunfleck_textures: Vec<Option<TextureId>>,
    sunfleck_meshes: BTreeMap<usize, MeshId>,
    /// Number of triangles that use a vertex twice and were removed.
    degenerate: usize,
    faults: Faults,
    /// Numbers of the sets of texture coordinates that are imported.
    uv_sets: [u32; 2],
    placement: Placement,
    /// Node of the scene for each imported node of the file.
    nodes: BTreeMap<usize, NodeId>,
    deformations: BTreeMap<usize, DeformationData>,
    /// Meshes that nodes instantiate.
    instantiated: BTreeSet<MeshId>,
    /// The subset of `instantiated` that is deformed.
    deformed: BTreeSet<MeshId>,
    pending_deformers: Vec<PendingDeformer>,
    /// Skins by their index in the file and the address of their influences.
    skins: BTreeMap<(usize, *const Vec<Influences>), Arc<Skin>>,
    /// Weights of morph targets in the rest pose.
    rest_weights: BTreeMap<MeshId, Vec<f32>>,
}

/// Reads a .gltf or .glb file.
pub(crate) fn load(bytes: &[u8], files: &dyn Resolver, report: &mut Reporter) -> Result<Scene, ParseError> {
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
        sunfleck: None,
        sunfleck_textures: Vec::new(),
        sunfleck_meshes: BTreeMap::new(),
        degenerate: 0,
        faults: Faults::default(),
        uv_sets: uv_sets::uv_sets(root),
        placement: Placement::default(),
        nodes: BTreeMap::new(),
        deformations: BTreeMap::new(),
        instantiated: BTreeSet::new(),
        deformed: BTreeSet::new(),
        pending_deformers: Vec::new(),
        skins: BTreeMap::new(),
        rest_weights: BTreeMap::new(),
    };
    importer.sunfleck = importer.sunfleck_root();
    if let Some(sunfleck) = importer.sunfleck {
        importer.add_sunfleck_objects(sunfleck)?;
    }
    importer.add_nodes()?;
    report_degenerate(importer.degenerate, FileLocation::Json("meshes".to_string()), importer.report);
    importer.add_deformers()?;
    importer.add_animations();
    importer.report_unused();
    importer.report_faults()?;
    Ok(importer.scene)
}
