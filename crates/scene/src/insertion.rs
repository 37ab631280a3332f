//! Insertion of one scene into another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::parameter::{Parameters, Value};
use crate::{
    Animation, Deformer, EditError, Instance, LightId, Material, MaterialId, MeshId, Node, NodeId, Scene,
    SceneEdit, TextureId, TextureRef,
};

/// New ids of the objects of a scene that is inserted, by their old ids.
struct NewIds {
    meshes: BTreeMap<MeshId, MeshId>,
    textures: BTreeMap<TextureId, TextureId>,
    materials: BTreeMap<MaterialId, MaterialId>,
    lights: BTreeMap<LightId, LightId>,
    nodes: BTreeMap<NodeId, NodeId>,
}

impl Scene {
    /// Returns the edit that adds a root node, [`Scene::next_node_id`], and below it all nodes of another scene with
    /// their meshes, materials, textures, lights, deformers and animations. Cameras, the environment and the exposure
    /// are left out, and so are nodes that only hold a camera and textures that no material uses.
    ///
    /// Errors: [`EditError::OutOfIds`].
    pub fn insertion(&self, added: &Scene, root: Node) -> Result<SceneEdit, EditError> {
        let root_id = self.next_node_id();
        let ids = self.new_ids(added)?;
        let mut edits = Vec::new();
        for (id, texture) in added.textures().filter(|(id, _)| ids.textures.contains_key(id)) {
            edits.push(SceneEdit::Texture { id: ids.textures[&id], texture: Some(texture.clone()) });
        }
        for (id, material) in added.materials() {
            let material = ids.material(material.clone());
            edits.push(SceneEdit::Material { id: ids.materials[&id], material: Some(material) });
        }
        for (id, light) in added.lights() {
            edits.push(SceneEdit::Light { id: ids.lights[&id], light: Some(light.clone()) });
        }
        for (id, mesh) in added.meshes() {
            edits.push(SceneEdit::Mesh { id: ids.meshes[&id], mesh: Some(mesh.clone()) });
        }
        edits.push(SceneEdit::Node { id: root_id, node: Some(root) });
        let all: Vec<NodeId> = added.nodes().map(|(id, _)| id).collect();
        // Parents before their children
        for id in added.with_descendants(&all) {
            // Nodes without a new id only hold a camera
            if let (Some(&new), Some(node)) = (ids.nodes.get(&id), added.node(id)) {
                edits.push(SceneEdit::Node { id: new, node: Some(ids.node(node, root_id)) });
            }
        }
        for (id, deformer) in added.deformers() {
            let deformer = ids.deformer(deformer.clone());
            edits.push(SceneEdit::Deformer { id: ids.meshes[&id], deformer: Some(deformer) });
        }
        for (id, (_, animation)) in numbered(self.animations.next, added.animations())? {
            let animation = Arc::new(ids.animation(Animation::clone(animation)));
            edits.push(SceneEdit::Animation { id, animation: Some(animation) });
        }
        Ok(SceneEdit::Batch(edits))
    }

    /// Returns the ids that objects of another scene get in this one. The first free node is left to their root.
    fn new_ids(&self, added: &Scene) -> Result<NewIds, EditError> {
        let used: BTreeSet<_> = added.materials().flat_map(|(_, material)| material.textures()).collect();
        let kept = added.nodes_with_content();
        let first_node = self.nodes.next.saturating_add(1);
        Ok(NewIds {
            meshes: renumbered(self.meshes.next, added.meshes().map(|(id, _)| id))?,
            textures: renumbered(self.textures.next, used.into_iter())?,
            materials: renumbered(self.materials.next, added.materials().map(|(id, _)| id))?,
            lights: renumbered(self.lights.next, added.lights().map(|(id, _)| id))?,
            nodes: renumbered(first_node, kept.into_iter())?,
        })
    }

    /// Returns all nodes but those that have a camera and nothing else, and that nothing refers to.
    fn nodes_with_content(&self) -> Vec<NodeId> {
        let parents = self.nodes().filter_map(|(_, node)| node.parent);
        let moved = self.animations().flat_map(|(_, a)| a.nodes.iter().map(|motion| motion.node));
        let skins = self.deformers().filter_map(|(_, deformer)| deformer.skin.as_ref());
        let joints = skins.flat_map(|skin| skin.joints.iter().copied());
        let referred: BTreeSet<NodeId> = parents.chain(moved).chain(joints).collect();
        let has_content = |(id, node): &(NodeId, &Node)| {
            node.camera.is_none() || node.instance.is_some() || node.light.is_some() || referred.contains(id)
        };
        self.nodes().filter(has_content).map(|(id, _)| id).collect()
    }
}

/// Numbers items consecutively from `first`. Errors: [`EditError::OutOfIds`].
fn numbered<I: From<u32> + std::fmt::Display, T>(
    first: u32,
    items: impl Iterator<Item = T>,
) -> Result<Vec<(I, T)>, EditError> {
    // The last number stays free, since a table also stores the next one
    let mut ids = first..u32::MAX;
    let id = |item| match ids.next() {
        Some(id) => Ok((I::from(id), item)),
        None => Err(EditError::OutOfIds(I::from(first).to_string())),
    };
    items.map(id).collect()
}

/// Returns consecutive new ids, by the old ones.
fn renumbered<I: From<u32> + std::fmt::Display + Ord>(
    first: u32,
    old: impl Iterator<Item = I>,
) -> Result<BTreeMap<I, I>, EditError> {
    Ok(numbered(first, old)?.into_iter().map(|(new, old)| (old, new)).collect())
}

impl NewIds {
    fn node(&self, node: &Node, root: NodeId) -> Node {
        let instance = |Instance { mesh, materials }: &Instance| Instance {
            mesh: self.meshes[mesh],
            materials: materials.iter().map(|id| self.materials[id]).collect(),
        };
        Node {
            name: node.name.clone(),
            parent: Some(node.parent.map_or(root, |parent| self.nodes[&parent])),
            parent_from_node: node.parent_from_node,
            visible: node.visible,
            instance: node.instance.as_ref().map(instance),
            light: node.light.map(|light| self.lights[&light]),
            camera: None,
        }
    }

    fn texture(&self, reference: TextureRef) -> TextureRef {
        TextureRef { texture: self.textures[&reference.texture], ..reference }
    }

    fn material(&self, mut material: Material) -> Material {
        self.parameters(&mut material.surface);
        self.parameters(&mut material.emission);
        if let Some(map) = &mut material.normal_map {
            map.texture = self.texture(map.texture);
        }
        material
    }

    /// Replaces the textures of parameters.
    fn parameters(&self, parameters: &mut dyn Parameters) {
        for (row, value) in parameters.values() {
            let value = match value {
                Value::TexturedColor(mut color) => {
                    color.texture = color.texture.map(|reference| self.texture(reference));
                    Value::TexturedColor(color)
                }
                Value::Texture(texture) => Value::Texture(texture.map(|reference| self.texture(reference))),
                Value::Boolean(_)
                | Value::Integer(_)
                | Value::Number(_)
                | Value::Color(_)
                | Value::Colors(_)
                | Value::Choice(_) => continue,
            };
            // A value of the same kind and range is accepted
            drop(parameters.set(row.name, value));
        }
    }

    fn deformer(&self, mut deformer: Deformer) -> Deformer {
        if let Some(skin) = &mut deformer.skin {
            for joint in &mut Arc::make_mut(skin).joints {
                *joint = self.nodes[joint];
            }
        }
        deformer
    }

    fn animation(&self, mut animation: Animation) -> Animation {
        for motion in &mut animation.nodes {
            motion.node = self.nodes[&motion.node];
        }
        for motion in &mut animation.weights {
            motion.mesh = self.meshes[&motion.mesh];
        }
        animation
    }
}
