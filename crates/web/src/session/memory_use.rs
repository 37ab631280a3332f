//! Memory of opened scenes.

use std::collections::BTreeSet;
use std::sync::Arc;

use sunfleck_engine::EditableWorld;
use sunfleck_scene::{Mesh, Scene, SceneEdit, Texels, Texture};

/// Returns an estimate of the memory of a world in bytes: its meshes, textures, nodes and acceleration structures, and
/// what the edits that can be undone or redone still have of them.
pub(super) fn world_bytes(world: &EditableWorld) -> u64 {
    let mut memory = SharedMemory::default();
    memory.add_scene(world.scene());
    world.journal().recorded().for_each(|edit| memory.add_edit(edit));
    (memory.bytes + world.committed().bvh_bytes()) as u64
}

/// Sum of memory that may be used in several places.
#[derive(Debug, Default)]
struct SharedMemory {
    bytes: usize,
    /// Addresses of the arrays that are counted.
    counted: BTreeSet<usize>,
}

impl SharedMemory {
    fn add_scene(&mut self, scene: &Scene) {
        scene.meshes().for_each(|(_, mesh)| self.add_mesh(mesh));
        scene.textures().for_each(|(_, texture)| self.add_texture(texture));
        self.bytes += scene.nodes().map(|(_, node)| size_of_val(node) + node.name.len()).sum::<usize>();
    }

    fn add_edit(&mut self, edit: &SceneEdit) {
        self.bytes += size_of_val(edit);
        match edit {
            SceneEdit::Mesh { mesh: Some(mesh), .. } => self.add_mesh(mesh),
            SceneEdit::Texture { texture: Some(texture), .. } => self.add_texture(texture),
            SceneEdit::Batch(edits) => edits.iter().for_each(|edit| self.add_edit(edit)),
            _ => {}
        }
    }

    fn add_mesh(&mut self, mesh: &Arc<Mesh>) {
        self.add(Arc::as_ptr(mesh).addr(), mesh.data().byte_count());
    }

    /// Adds the texels, and a third of them for the levels of filtering.
    fn add_texture(&mut self, texture: &Texture) {
        let texels = texture.texels();
        let address = match texels {
            Texels::Srgb8(texels) | Texels::Linear8(texels) => texels.as_ptr().addr(),
            Texels::Linear16(texels) => texels.as_ptr().addr(),
            Texels::Float(texels) => texels.as_ptr().addr(),
        };
        self.add(address, texels.byte_count() + texels.byte_count() / 3);
    }

    fn add(&mut self, address: usize, bytes: usize) {
        if self.counted.insert(address) {
            self.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey() -> Texture {
        Texture::new("grey", 30, 10, Texels::Float(Arc::new(vec![[0.0; 4]; 300]))).unwrap()
    }

    #[test]
    fn textures_and_triangles_count() {
        let mut scene = sunfleck_models::build("cornell").unwrap();
        let before = EditableWorld::new(scene.clone()).unwrap();
        let texture = grey();
        scene.add_texture(texture.clone()).unwrap();
        let after = EditableWorld::new(scene.clone()).unwrap();
        let texels = 300 * 16 * 4 / 3;
        assert_eq!(world_bytes(&after) - world_bytes(&before), texels);
        scene.add_texture(texture).unwrap();
        let shared = EditableWorld::new(scene).unwrap();
        assert_eq!(world_bytes(&shared), world_bytes(&after), "the same texels with another filter");
        let triangles: usize = before.scene().meshes().map(|(_, mesh)| mesh.triangles().len()).sum();
        let per_triangle = world_bytes(&before) / triangles as u64;
        assert!((20..10_000).contains(&per_triangle), "{per_triangle} bytes per triangle of a small scene");
    }

    #[test]
    fn what_can_be_undone_and_redone_counts_once() {
        let mut world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let before = world_bytes(&world);
        let id = world.scene().next_texture_id();
        let texels = 300 * 16 * 4 / 3;
        // Edits are small beside the texels
        let is_counted = |world: &EditableWorld| {
            let more = world_bytes(world) - before;
            (texels..2 * texels).contains(&more)
        };
        let set = |texture: Option<Texture>| SceneEdit::Texture { id, texture: texture.map(Arc::new) };
        world.edit(SceneEdit::Batch(vec![set(Some(grey()))])).unwrap();
        assert!(is_counted(&world), "the scene has the texture, too");
        world.edit(set(None)).unwrap();
        assert!(is_counted(&world), "undo brings it back");
        (0..2).for_each(|_| assert!(world.undo().unwrap(), "two edits"));
        assert!(is_counted(&world), "redo brings it back");
    }
}
