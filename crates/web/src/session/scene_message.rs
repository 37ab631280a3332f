//! The message `scene`: everything but vertices and texels, in the form that edits use.

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use sunfleck_engine::{SkySun, VisibleContent, sky_sun};
use sunfleck_math::Vec3;
use sunfleck_scene::{
    AnimationId, Environment, Light, LightId, Material, MaterialId, MeshId, Node, NodeId, Scene, Texels,
    TextureId,
};

use super::edit_history::EditHistory;
use crate::ViewerScene;
use crate::protocol::Pose;

/// Maximum number of objects of each kind in the message.
const MAX_ROWS: usize = 4000;

/// Content of the message.
#[derive(Serialize)]
#[serde(tag = "type", rename = "scene")]
struct SceneMessage<'a> {
    name: &'a str,
    /// Number of the opened scene: ids of one are never those of another.
    document: u64,
    notes: Vec<&'a String>,
    /// Revision that images show; the exposure does not change it.
    revision: u64,
    /// Steps that can be undone and redone, the opening of scenes included.
    steps: [usize; 2],
    /// Whether there are edits that are in no file.
    unsaved: bool,
    triangles: u64,
    shapes: u64,
    instances: usize,
    bounds: [Vec3; 2],
    cameras: Vec<CameraRow<'a>>,
    nodes: Vec<NodeRow<'a>>,
    /// Number of nodes that are not listed.
    more_nodes: usize,
    meshes: Vec<MeshRow>,
    materials: Vec<MaterialRow<'a>>,
    textures: Vec<TextureRow<'a>>,
    lights: Vec<LightRow<'a>>,
    environment: &'a Environment,
    /// Direction to the sun of the stage sky, if that is the environment.
    sky_sun: Option<SunRow>,
    animations: Vec<AnimationRow<'a>>,
    /// Ids for objects to be added.
    next: NextIds,
}

#[derive(Serialize)]
struct CameraRow<'a> {
    name: &'a str,
    pose: Pose,
}

#[derive(Serialize)]
struct NodeRow<'a> {
    id: NodeId,
    node: &'a Node,
}

#[derive(Serialize)]
struct MeshRow {
    id: MeshId,
    triangles: usize,
    shapes: usize,
    /// Whether its points have texture coordinates.
    has_uv: bool,
    bounds: [Vec3; 2],
}

#[derive(Serialize)]
struct MaterialRow<'a> {
    id: MaterialId,
    material: &'a Material,
}

#[derive(Serialize)]
struct TextureRow<'a> {
    id: TextureId,
    name: &'a str,
    width: u32,
    height: u32,
    /// Encoding of the texels: `srgb`, `linear` or `float`.
    encoding: &'static str,
}

#[derive(Serialize)]
struct LightRow<'a> {
    id: LightId,
    light: &'a Light,
}

/// Angles in degrees.
#[derive(Serialize)]
struct SunRow {
    elevation: f32,
    azimuth: f32,
}

#[derive(Serialize)]
struct AnimationRow<'a> {
    id: AnimationId,
    name: &'a str,
    duration_secs: f32,
}

#[derive(Serialize)]
struct NextIds {
    node: NodeId,
    material: MaterialId,
    light: LightId,
}

/// Serialises the message.
///
/// * `document` — number of the opened scene.
/// * `steps` — number of steps that can be undone and redone.
/// * `aspect` — aspect ratio of the image, to which the cameras are fitted.
pub(super) fn scene_message(
    opened: &ViewerScene,
    document: u64,
    history: &EditHistory,
    steps: [usize; 2],
    aspect: f32,
) -> Utf8Bytes {
    let scene: &Scene = opened.world.scene();
    let own = opened.world.cameras().iter().take(MAX_ROWS).map(|placed| placed.fitted(aspect));
    let own: Vec<_> = own.collect();
    let VisibleContent { bounds, instances, triangles, shapes } = VisibleContent::of(scene);
    let message = SceneMessage {
        name: &opened.name,
        document,
        notes: opened.notes.iter().chain(history.notes()).collect(),
        revision: opened.world.committed().revision(),
        steps,
        unsaved: history.is_unsaved(),
        triangles,
        shapes,
        instances,
        bounds: if bounds.is_empty() { [Vec3::ZERO; 2] } else { [bounds.min, bounds.max] },
        cameras: own.iter().map(|c| CameraRow { name: &c.name, pose: Pose::from(c) }).collect(),
        nodes: scene.nodes().take(MAX_ROWS).map(|(id, node)| NodeRow { id, node }).collect(),
        more_nodes: scene.nodes().len().saturating_sub(MAX_ROWS),
        meshes: scene.meshes().take(MAX_ROWS).map(|(id, mesh)| mesh_row(id, mesh)).collect(),
        materials: scene
            .materials()
            .take(MAX_ROWS)
            .map(|(id, material)| MaterialRow { id, material })
            .collect(),
        textures: scene.textures().take(MAX_ROWS).map(|(id, texture)| texture_row(id, texture)).collect(),
        lights: scene.lights().take(MAX_ROWS).map(|(id, light)| LightRow { id, light }).collect(),
        environment: scene.environment(),
        sky_sun: sky_sun(scene).map(|SkySun { elevation, azimuth }| SunRow { elevation, azimuth }),
        animations: scene
            .animations()
            .take(MAX_ROWS)
            .map(|(id, animation)| AnimationRow {
                id,
                name: &animation.name,
                duration_secs: animation.duration_secs(),
            })
            .collect(),
        next: NextIds {
            node: scene.next_node_id(),
            material: scene.next_material_id(),
            light: scene.next_light_id(),
        },
    };
    // Serialisation of strings, numbers and ids cannot fail
    serde_json::to_string(&message).unwrap_or_default().into()
}

fn mesh_row(id: MeshId, mesh: &sunfleck_scene::Mesh) -> MeshRow {
    let bounds = mesh.bounds();
    let bounds = if bounds.is_empty() { [Vec3::ZERO; 2] } else { [bounds.min, bounds.max] };
    let (triangles, shapes) = (mesh.triangles().len(), mesh.shapes().len());
    MeshRow { id, triangles, shapes, has_uv: shapes > 0 || !mesh.data().uv0.is_empty(), bounds }
}

fn texture_row(id: TextureId, texture: &sunfleck_scene::Texture) -> TextureRow<'_> {
    let encoding = match texture.texels() {
        Texels::Srgb8(_) => "srgb",
        Texels::Linear8(_) | Texels::Linear16(_) => "linear",
        Texels::Float(_) => "float",
    };
    TextureRow { id, name: texture.name(), width: texture.width(), height: texture.height(), encoding }
}
