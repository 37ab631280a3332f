//! Memory of opened scenes.

use sunfleck_engine::EditableWorld;
use sunfleck_scene::{Mesh, Scene, Texture};

/// Returns an estimate of the memory of a world in bytes: its meshes, textures, nodes and acceleration structures. What
/// only the journal of its edits still has is not counted.
pub(super) fn world_bytes(world: &EditableWorld) -> u64 {
    (scene_bytes(world.scene()) + world.committed().bvh_bytes()) as u64
}

fn scene_bytes(scene: &Scene) -> usize {
    let meshes: usize = scene.meshes().map(|(_, mesh)| mesh_bytes(mesh)).sum();
    let textures: usize = scene.textures().map(|(_, texture)| texture_bytes(texture)).sum();
    let nodes: usize = scene.nodes().map(|(_, node)| size_of_val(node) + node.name.len()).sum();
    meshes + textures + nodes
}

fn mesh_bytes(mesh: &Mesh) -> usize {
    let data = mesh.data();
    size_of_val(&*data.positions)
        + size_of_val(&*data.normals)
        + size_of_val(&*data.tangents)
        + size_of_val(&*data.uv0)
        + size_of_val(&*data.uv1)
        + size_of_val(&*data.colors)
        + size_of_val(&*data.triangles)
        + size_of_val(&*data.slots)
}

/// The texels, and a third of them for the levels of filtering.
fn texture_bytes(texture: &Texture) -> usize {
    let texels = texture.texels().byte_count();
    texels + texels / 3
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sunfleck_scene::Texels;

    use super::*;

    #[test]
    fn textures_and_triangles_count() {
        let mut scene = sunfleck_models::build("cornell").unwrap();
        let before = EditableWorld::new(scene.clone()).unwrap();
        let texels = Texels::Float(Arc::new(vec![[0.0; 4]; 300]));
        scene.add_texture(Texture::new("grey", 30, 10, texels).unwrap()).unwrap();
        let after = EditableWorld::new(scene).unwrap();
        assert_eq!(world_bytes(&after) - world_bytes(&before), 300 * 16 * 4 / 3);
        let triangles: usize = before.scene().meshes().map(|(_, mesh)| mesh.triangles().len()).sum();
        let per_triangle = world_bytes(&before) / triangles as u64;
        assert!((20..10_000).contains(&per_triangle), "{per_triangle} bytes per triangle of a small scene");
    }
}
