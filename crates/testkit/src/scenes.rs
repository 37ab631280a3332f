//! Scenes that tests of several crates use.

use std::sync::Arc;

use sunfleck_math::{vec2, vec3};
use sunfleck_scene::{Material, Mesh, MeshData, Node, NormalMap, Scene, Texels, Texture, TextureRef};

/// Returns a floor of one triangle whose normal map tilts all normals by 37° towards +x.
///
/// * `material` — its normal map is replaced.
pub fn tilted_floor(material: Material) -> Scene {
    try_tilted_floor(material).unwrap_or_else(|error| panic!("the floor is valid: {error}"))
}

fn try_tilted_floor(material: Material) -> Result<Scene, Box<dyn std::error::Error>> {
    let mut scene = Scene::default();
    let texels = Texels::Linear8(Arc::new(vec![[204, 128, 230, 255]]));
    let texture = TextureRef::new(scene.add_texture(Texture::new("tilted", 1, 1, texels)?)?);
    let normal_map = Some(NormalMap { texture, scale: 1.0 });
    let material = scene.add_material(Material { normal_map, ..material })?;
    let data = MeshData {
        positions: vec![vec3(-9.0, 0.0, 9.0), vec3(9.0, 0.0, 9.0), vec3(0.0, 0.0, -9.0)],
        uv0: vec![vec2(0.0, 1.0), vec2(1.0, 1.0), vec2(0.5, 0.0)],
        triangles: vec![[0, 1, 2]],
        ..MeshData::default()
    };
    let mesh = scene.add_mesh(Mesh::new(data)?)?;
    scene.add_node(Node::new("floor").with_mesh(mesh, vec![material]))?;
    Ok(scene)
}
