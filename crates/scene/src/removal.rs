use std::collections::BTreeSet;
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
}
