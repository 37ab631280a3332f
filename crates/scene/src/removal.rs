use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{Animation, MeshId, NodeId, Scene, SceneEdit};

impl Scene {
    /// Returns the edit that removes nodes and their descendants. It first removes what refers to them: their motions in
    /// animations, animations that become empty, and the deformers whose skins use them as joints. The meshes
    /// of these deformers keep their current vertices.
    pub fn removal(&self, ids: &[NodeId]) -> SceneEdit {
        let removed = self.with_descendants(ids);
        let uses_removed = |joints: &[NodeId]| joints.iter().any(|joint| removed.contains(joint));
        let deformers = self.deformers();
        let without_deformer: BTreeSet<MeshId> = deformers
            .filter(|(_, deformer)| deformer.skin.as_ref().is_some_and(|skin| uses_removed(&skin.joints)))
            .map(|(id, _)| id)
            .collect();
        let mut edits = Vec::new();
        for (id, animation) in self.animations() {
            let mut remaining = Animation::clone(animation);
            remaining.nodes.retain(|motion| !removed.contains(&motion.node));
            remaining.weights.retain(|motion| !without_deformer.contains(&motion.mesh));
            if remaining != **animation {
                let is_empty = remaining.nodes.is_empty() && remaining.weights.is_empty();
                edits.push(SceneEdit::Animation { id, animation: (!is_empty).then(|| Arc::new(remaining)) });
            }
        }
        edits.extend(without_deformer.into_iter().map(|id| SceneEdit::Deformer { id, deformer: None }));
        // Children are removed before their parents
        edits.extend(removed.into_iter().rev().map(|id| SceneEdit::Node { id, node: None }));
        SceneEdit::Batch(edits)
    }

    /// Returns the ancestors of a node, its parent first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let parent = |id: NodeId| self.node(id)?.parent;
        std::iter::successors(parent(id), move |&id| parent(id))
    }

    /// Returns nodes and their descendants, each once, parents before their children.
    pub fn with_descendants(&self, ids: &[NodeId]) -> Vec<NodeId> {
        let mut children: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for (id, node) in self.nodes() {
            if let Some(parent) = node.parent {
                children.entry(parent).or_default().push(id);
            }
        }
        let unique: BTreeSet<NodeId> = ids.iter().copied().collect();
        let is_root = |id: &NodeId| !self.ancestors(*id).any(|ancestor| unique.contains(&ancestor));
        let mut nodes: Vec<NodeId> = unique.iter().copied().filter(is_root).collect();
        let mut next = 0;
        while let Some(parent) = nodes.get(next) {
            nodes.extend(children.remove(parent).unwrap_or_default());
            next += 1;
        }
        nodes
    }
}
