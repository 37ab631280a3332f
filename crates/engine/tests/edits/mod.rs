//! Random edits of scenes.

use std::sync::Arc;

use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Environment, Material, MaterialId, MeshId, NodeId, Scene, SceneEdit};

/// Linear congruential generator, with which tests can be repeated [Press92, §7.1].
pub(crate) struct Random(pub(crate) u32);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % limit.max(1)
    }

    pub(crate) fn unit(&mut self) -> f32 {
        self.below(1 << 16) as f32 / 65_536.0
    }
}

/// Returns a random edit of a scene. Few edits are invalid.
pub(crate) fn random_edit(scene: &Scene, random: &mut Random) -> SceneEdit {
    let nodes: Vec<NodeId> = scene.nodes().map(|(id, _)| id).collect();
    let id = nodes[random.below(nodes.len())];
    let materials: Vec<MaterialId> = scene.materials().map(|(id, _)| id).collect();
    let meshes: Vec<MeshId> = scene.meshes().map(|(id, _)| id).collect();
    let color = vec3(random.unit(), random.unit(), random.unit());
    match random.below(10) {
        0 => {
            let shift = (color - Vec3::splat(0.5)) * 0.2;
            let turned = Affine3::from_translation(shift) * rotation_y(random.unit() * 0.3);
            SceneEdit::Transform { id, parent_from_node: turned * scene.node(id).unwrap().parent_from_node }
        }
        1..4 => SceneEdit::Visible { id, visible: random.below(4) > 0 },
        4 | 5 => {
            let id = materials[random.below(materials.len())];
            let material = Material::lambert("painted", color);
            let emission = scene.material(id).unwrap().emission;
            SceneEdit::Material { id, material: Some(Material { emission, ..material }) }
        }
        6 => SceneEdit::Environment { environment: Environment::Constant { radiance: color } },
        7 => {
            let id = meshes[random.below(meshes.len())];
            let mesh = scene.mesh(id).unwrap();
            SceneEdit::Mesh { id, mesh: Some(Arc::new((**mesh).clone())) }
        }
        8 => {
            let id = materials[random.below(materials.len())];
            let mut material = scene.material(id).unwrap().clone();
            material.emission.radiance = if random.below(3) == 0 { color } else { Vec3::ZERO };
            SceneEdit::Material { id, material: Some(material) }
        }
        _ => {
            let mut node = scene.node(id).unwrap().clone();
            node.name.push('+');
            node.name.truncate(20);
            SceneEdit::Node { id: scene.next_node_id(), node: Some(node) }
        }
    }
}
