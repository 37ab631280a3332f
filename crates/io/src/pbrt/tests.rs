mod lights;
mod materials;
mod shapes;
mod syntax;

use std::collections::BTreeMap;

use sunfleck_math::Vec3;
use sunfleck_scene::{Camera, Material, Mesh, Node, Scene};

use crate::{LoadedScene, MemoryFiles, NoFiles, load_bytes};

/// Camera that sees the world without a reflection of its mirror image: coordinates are kept.
const KEPT: &str = "Scale -1 1 1 Camera \"perspective\"\n";

/// Loads a scene with files, in the coordinates of the text.
fn loaded_with(text: &str, files: &[(&str, &[u8])]) -> LoadedScene {
    let files = files.iter().map(|(name, bytes)| ((*name).to_string(), bytes.to_vec())).collect();
    load_bytes("a.pbrt".as_ref(), format!("{KEPT}{text}").as_bytes(), &MemoryFiles(files)).unwrap()
}

fn loaded(text: &str) -> LoadedScene {
    loaded_with(text, &[])
}

/// Returns the error of a file.
fn error(text: &str) -> String {
    load_bytes("a.pbrt".as_ref(), text.as_bytes(), &NoFiles).unwrap_err().to_string()
}

fn error_with(text: &str, files: &[(&str, &str)]) -> String {
    let files = files.iter().map(|(name, text)| ((*name).to_string(), text.as_bytes().to_vec()));
    let files = MemoryFiles(files.collect::<BTreeMap<_, _>>());
    load_bytes("a.pbrt".as_ref(), text.as_bytes(), &files).unwrap_err().to_string()
}

fn messages(loaded: &LoadedScene) -> String {
    let entries: Vec<String> = loaded.report.entries.iter().map(ToString::to_string).collect();
    entries.join("\n")
}

/// Returns the only material.
fn material_of(loaded: &LoadedScene) -> Material {
    let materials: Vec<Material> = loaded.scene.materials().map(|(_, material)| material.clone()).collect();
    let [material] = <[Material; 1]>::try_from(materials).unwrap();
    material
}

/// Returns the only mesh.
fn mesh_of(loaded: &LoadedScene) -> Mesh {
    let meshes: Vec<Mesh> = loaded.scene.meshes().map(|(_, mesh)| Mesh::clone(mesh)).collect();
    let [mesh] = <[Mesh; 1]>::try_from(meshes).unwrap();
    mesh
}

/// Returns the camera and its node.
fn camera_of(scene: &Scene) -> (Camera, Node) {
    let node = scene.nodes().map(|(_, node)| node).find(|node| node.camera.is_some()).unwrap();
    (scene.camera(node.camera.unwrap()).unwrap().clone(), node.clone())
}

/// Returns where a point of a camera's space is in the world.
fn from_camera(node: &Node, point: Vec3) -> Vec3 {
    node.parent_from_node.transform_point3(point)
}
