//! Export of a scene as glTF 2.0 [glTF2], from which the importer reads the same scene.
//!
//! `buffer` collects binary data; `mesh`, `material`, `texture`, `node` and `motion` write the objects of these kinds;
//! `container` encodes the file. Data that glTF cannot express is written in the extension `SUNFLECK_scene`
//! (docs/gltf.md), together with the closest approximation in glTF, so that other programs show nearly the same scene.
//! Objects are in the order of their ids: the order decides between equal hits and affects the sampling of lights, so
//! an image of the reloaded scene has the same bits.

mod buffer;
mod container;
mod material;
mod mesh;
mod motion;
mod node;
pub(super) mod number;
mod texture;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use sunfleck_image::ImageError;
use sunfleck_scene::{
    CameraId, Environment, LightId, MaterialId, Mesh, MeshId, NodeId, Scene, SceneEdit, Tessellation,
    TextureId,
};

use crate::FileLocation;
use crate::report::Reporter;

use super::sunfleck;
use buffer::Buffer;
use motion::{RestPose, Skins};
use number::numbers;

pub(crate) use container::{TooLarge, embedded, glb};

/// JSON document of a file and the content of its only buffer.
#[derive(Debug)]
pub(crate) struct Document {
    root: Map<String, Value>,
    binary: Vec<u8>,
}

/// Error: a texture could not be encoded.
#[derive(Debug)]
pub(crate) struct TextureEncodeError {
    pub(crate) name: String,
    pub(crate) source: ImageError,
}

/// State of an export.
pub(super) struct Exporter<'a> {
    scene: &'a Scene,
    report: &'a mut Reporter,
    buffer: Buffer,
    pub(super) extensions: BTreeSet<&'static str>,
    indices: Indices,
    rest: RestPose,
    skins: Skins,
    /// Number of materials with media of which other programs see less.
    media_left_out: usize,
}

/// Index of each object in its glTF array: the rank of its id.
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
        // glTF has no meshes without triangles
        let with_triangles = scene.meshes().filter(|(_, mesh)| !mesh.triangles().is_empty());
        Self {
            meshes: rank(with_triangles.map(|(id, _)| id)),
            textures: rank(scene.textures().map(|(id, _)| id)),
            materials: rank(scene.materials().map(|(id, _)| id)),
            lights: rank(scene.lights().map(|(id, _)| id)),
            cameras: rank(scene.cameras().map(|(id, _)| id)),
            nodes: rank(scene.nodes().map(|(id, _)| id)),
        }
    }
}

/// Exports a scene. Everything that glTF cannot express is reported.
pub(crate) fn export(scene: &Scene, report: &mut Reporter) -> Result<Document, TextureEncodeError> {
    let scene = &with_triangles(scene, report);
    let mut exporter = Exporter {
        scene,
        report,
        buffer: Buffer::default(),
        extensions: BTreeSet::from([sunfleck::NAME]),
        indices: Indices::of(scene),
        rest: RestPose::of(scene),
        skins: Skins::default(),
        media_left_out: 0,
    };
    exporter.report_motion();
    let mut root = Map::new();
    let generator = concat!("Sunfleck ", env!("CARGO_PKG_VERSION"));
    root.insert("asset".into(), json!({ "version": "2.0", "generator": generator }));
    root.insert("scene".into(), 0.into());

    // glTF forbids empty arrays
    let mut put = |name: &str, values: Vec<Value>| {
        if !values.is_empty() {
            root.insert(name.into(), values.into());
        }
    };
    let (nodes, meshes) = exporter.nodes_and_meshes();
    let scene_extension = exporter.root_extension();
    put("scenes", vec![exporter.default_scene()]);
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
    let mut extensions = json!({ sunfleck::NAME: scene_extension });
    if !lights.is_empty() {
        extensions["KHR_lights_punctual"] = json!({ "lights": lights });
    }
    put("accessors", exporter.buffer.take_accessors());
    put("bufferViews", exporter.buffer.take_views());
    put("extensionsUsed", exporter.extensions.iter().map(|&name| name.into()).collect());
    root.insert("extensions".into(), extensions);
    Ok(Document { root, binary: exporter.buffer.into_bytes() })
}

/// Returns the scene with triangles in place of shapes, which glTF does not have.
fn with_triangles<'a>(scene: &'a Scene, report: &mut Reporter) -> Cow<'a, Scene> {
    let mut divided = Cow::Borrowed(scene);
    let (mut shapes, mut left_out, mut largest_error) = (0, 0, 0.0f32);
    for (id, mesh) in scene.meshes().filter(|(_, mesh)| !mesh.shapes().is_empty()) {
        let Tessellation { data, error, .. } = mesh.tessellated();
        let triangles = Mesh::new(data).ok().map(Arc::new);
        let is_written =
            triangles.is_some() && divided.to_mut().apply(SceneEdit::Mesh { id, mesh: triangles }).is_ok();
        // A mesh of more than 2³² vertices cannot be written
        *(if is_written { &mut shapes } else { &mut left_out }) += mesh.shapes().len();
        largest_error = largest_error.max(error);
    }
    let place = || FileLocation::Json("meshes".into());
    if shapes > 0 {
        let message = format!(
            "spheres and other shapes, which are written as triangles within {:.2} % of their radius or half size: {shapes}",
            largest_error * 100.0
        );
        report.warn(place(), message);
    }
    if left_out > 0 {
        report
            .warn(place(), format!("shapes of meshes with too many of them, which are left out: {left_out}"));
    }
    divided
}

impl Exporter<'_> {
    fn default_scene(&self) -> Value {
        let roots = self.scene.nodes().filter(|(_, node)| node.parent.is_none());
        let roots: Vec<usize> = roots.map(|(id, _)| self.indices.nodes[&id]).collect();
        if roots.is_empty() { json!({}) } else { json!({ "nodes": roots }) }
    }

    /// Returns the extension of the file as a whole: its version, the environment, the exposure and the
    /// origin.
    fn root_extension(&mut self) -> Value {
        let environment = match *self.scene.environment() {
            Environment::Black => None,
            Environment::Constant { radiance } => Some(json!({ "radiance": numbers(radiance.to_array()) })),
            Environment::Map { texture, rotation_y_radians, scale, rows_at_poles } => Some(json!({
                "texture": self.indices.textures[&texture],
                "rotation": number::number(rotation_y_radians),
                "scale": numbers(scale.to_array()),
                "rowsAtPoles": rows_at_poles,
            })),
        };
        let mut extension = json!({ "version": sunfleck::VERSION });
        if let Some(environment) = environment {
            let message = "glTF has no environment light: other programs will not see it";
            self.report
                .note(FileLocation::Json(format!("extensions.{}.environment", sunfleck::NAME)), message);
            extension["environment"] = environment;
        }
        if let Some(stops) = self.scene.exposure_stops() {
            extension["exposure"] = number::number(stops);
        }
        let origin = self.scene.origin().to_array();
        if origin != [0.0; 3] {
            let message =
                format!("positions are relative to the origin {origin:?}: other programs do not add it");
            self.report.note(FileLocation::Json(format!("extensions.{}.origin", sunfleck::NAME)), message);
            extension["origin"] = json!(origin);
        }
        extension
    }
}

/// Returns a JSON object with the member `name`, unless the name is empty.
fn named(name: &str) -> Value {
    if name.is_empty() { json!({}) } else { json!({ "name": name }) }
}

/// Returns the extension `SUNFLECK_scene` of an object, which is created if missing.
pub(super) fn extension(object: &mut Value) -> &mut Value {
    &mut object["extensions"][sunfleck::NAME]
}

/// Sets an extension of an object.
pub(super) fn extend(object: &mut Value, extension: &str, value: Value) {
    object["extensions"][extension] = value;
}
