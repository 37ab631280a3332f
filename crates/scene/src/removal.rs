use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{Animation, MeshId, NodeId, Scene, SceneEdit};

impl Scene {
    /// The edit that removes a node and all below it, and before that whatever needs them: their movements, the skins whose
    /// joints they are (the meshes keep the shape that they have), and animations that nothing is left of.
    pub fn removal(&self, id: NodeId) -> SceneEdit {
        let gone = self.with_descendants(id);
        let has_gone = |joints: &[NodeId]| joints.iter().any(|joint| gone.contains(joint));
        let deformed = self.deformers();
        let stiff: BTreeSet<MeshId> = deformed
            .filter(|(_, deformer)| deformer.skin.as_ref().is_some_and(|skin| has_gone(&skin.joints)))
            .map(|(id, _)| id)
            .collect();
        let mut edits = Vec::new();
        for (id, animation) in self.animations() {
            let mut left = Animation::clone(animation);
            left.nodes.retain(|motion| !gone.contains(&motion.node));
            left.weights.retain(|motion| !stiff.contains(&motion.mesh));
            if left != **animation {
                let nothing = left.nodes.is_empty() && left.weights.is_empty();
                edits.push(SceneEdit::Animation { id, animation: (!nothing).then(|| Arc::new(left)) });
            }
        }
        edits.extend(stiff.into_iter().map(|id| SceneEdit::Deformer { id, deformer: None }));
        // Children go before their parents
        edits.extend(gone.into_iter().rev().map(|id| SceneEdit::Node { id, node: None }));
        SceneEdit::Batch(edits)
    }

    /// The node and all below it, parents before their children.
    fn with_descendants(&self, id: NodeId) -> Vec<NodeId> {
        let mut found = vec![id];
        let mut next = 0;
        while let Some(&parent) = found.get(next) {
            found.extend(self.nodes().filter(|(_, node)| node.parent == Some(parent)).map(|(id, _)| id));
            next += 1;
        }
        found
    }
}
