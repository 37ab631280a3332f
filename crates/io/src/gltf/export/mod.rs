//! A scene as glTF 2.0 [glTF2]: what the importer reads, in a form that it reads back the same.
//!
//! `buffer` holds the bytes, `mesh`, `material`, `texture`, `node` and `motion` write what they are called after, `container` makes a file of all. What glTF
//! cannot say stands in the extension `SUNFLECK_scene` (docs/gltf.md), beside the nearest thing that it can, so that
//! other programs show nearly the same. Things stand in the order of their ids: it decides equal hits and the choice
//! of lights, so the reloaded scene gives the same picture, bit for bit.

mod buffer;
mod container;
mod material;
mod mesh;
mod motion;
mod node;
pub(super) mod number;
mod texture;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use sunfleck_image::ImageError;
use sunfleck_scene::{CameraId, Environment, LightId, MaterialId, MeshId, NodeId, Scene, TextureId};

use crate::FileLocation;
use crate::report::Reporter;

use super::own;
use buffer::Buffer;
use motion::{Rest, Skins};
use number::numbers;

pub(crate) use container::{TooLarge, embedded, glb};

/// The JSON of a file and the bytes of its one buffer.
#[derive(Debug)]
pub(crate) struct Document {
    root: Map<String, Value>,
    binary: Vec<u8>,
}

/// A texture that could not be encoded.
#[derive(Debug)]
pub(crate) struct BadTexture {
    pub(crate) name: String,
    pub(crate) source: ImageError,
}

/// A scene on its way into a file.
pub(super) struct Exporter<'a> {
    scene: &'a Scene,
    report: &'a mut Reporter,
    buffer: Buffer,
    pub(super) extensions: BTreeSet<&'static str>,
    indices: Indices,
    rest: Rest,
    skins: Skins,
}

/// Where each thing stands in its array: its rank among the ids.
struct Indices {
    meshes: BTreeMap<MeshId, usize>,
    textures: BTreeMap<TextureId, usize>,
    materials: BTreeMap<MaterialId, usize>,
    lights: BTreeMap<LightId, usize>,
    cameras: BTreeMap<CameraId, usize>,
    nodes: BTreeMap<NodeId, usize>,
}

impl Indices {
    fn of(scene: &Scene) -> Self {
        fn rank<I: Ord>(ids: impl Iterator<Item = I>) -> BTreeMap<I, usize> {
            ids.zip(0..).collect()
        }
        // A mesh without triangles cannot be said in glTF
        let shown = scene.meshes().filter(|(_, mesh)| !mesh.triangles().is_empty());
        Self {
            meshes: rank(shown.map(|(id, _)| id)),
            textures: rank(scene.textures().map(|(id, _)| id)),
            materials: rank(scene.materials().map(|(id, _)| id)),
            lights: rank(scene.lights().map(|(id, _)| id)),
            cameras: rank(scene.cameras().map(|(id, _)| id)),
            nodes: rank(scene.nodes().map(|(id, _)| id)),
        }
    }
}

/// Writes a scene; what is not written as it is meant is in the report.
pub(crate) fn export(scene: &Scene, report: &mut Reporter) -> Result<Document, BadTexture> {
    let mut exporter = Exporter {
        scene,
        report,
        buffer: Buffer::default(),
        extensions: BTreeSet::from([own::NAME]),
        indices: Indices::of(scene),
        rest: Rest::of(scene),
        skins: Skins::default(),
    };
    exporter.report_motion();
    let mut root = Map::new();
    let generator = concat!("Sunfleck ", env!("CARGO_PKG_VERSION"));
    root.insert("asset".into(), json!({ "version": "2.0", "generator": generator }));
    root.insert("scene".into(), 0.into());

    // Arrays may not be empty in glTF
    let mut put = |name: &str, values: Vec<Value>| {
        if !values.is_empty() {
            root.insert(name.into(), values.into());
        }
    };
    let (nodes, meshes) = exporter.nodes_and_meshes();
    let scene_extension = exporter.root_extension();
    put("scenes", vec![exporter.tops()]);
    put("nodes", nodes);
    put("meshes", meshes);
    put("skins", std::mem::take(&mut exporter.skins.json));
    put("animations", exporter.animations());
    put("materials", exporter.materials());
    let textures = exporter.textures()?;
    put("textures", textures.textures);
    put("images", textures.images);
    put("samplers", textures.samplers);
    put("cameras", exporter.cameras());
    let lights = exporter.lights();
    let mut extensions = json!({ own::NAME: scene_extension });
    if !lights.is_empty() {
        extensions["KHR_lights_punctual"] = json!({ "lights": lights });
    }
    put("accessors", exporter.buffer.take_accessors());
    put("bufferViews", exporter.buffer.take_views());
    put("extensionsUsed", exporter.extensions.iter().map(|&name| name.into()).collect());
    root.insert("extensions".into(), extensions);
    Ok(Document { root, binary: exporter.buffer.into_bytes() })
}

impl Exporter<'_> {
    fn tops(&self) -> Value {
        let tops = self.scene.nodes().filter(|(_, node)| node.parent.is_none());
        let tops: Vec<usize> = tops.map(|(id, _)| self.indices.nodes[&id]).collect();
        if tops.is_empty() { json!({}) } else { json!({ "nodes": tops }) }
    }

    /// What holds for the file as a whole: that it is one of ours, and the light from outside.
    fn root_extension(&mut self) -> Value {
        let environment = match *self.scene.environment() {
            Environment::Black => None,
            Environment::Constant { radiance } => Some(json!({ "radiance": numbers(radiance.to_array()) })),
            Environment::Map { texture, rotation_y_radians, scale } => Some(json!({
                "texture": self.indices.textures[&texture],
                "rotation": number::number(rotation_y_radians),
                "scale": numbers(scale.to_array()),
            })),
        };
        let mut extension = json!({ "version": own::VERSION });
        if let Some(environment) = environment {
            let message = "glTF has no light from outside: other programs will not see it";
            self.report.note(FileLocation::Json(format!("extensions.{}.environment", own::NAME)), message);
            extension["environment"] = environment;
        }
        extension
    }
}

/// A JSON object with a name, if there is one.
fn named(name: &str) -> Value {
    if name.is_empty() { json!({}) } else { json!({ "name": name }) }
}

/// Our extension of an object.
pub(super) fn extension(object: &mut Value) -> &mut Value {
    &mut object["extensions"][own::NAME]
}

/// Adds an extension to an object.
pub(super) fn extend(object: &mut Value, extension: &str, value: Value) {
    object["extensions"][extension] = value;
}
