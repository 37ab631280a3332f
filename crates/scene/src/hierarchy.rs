use std::collections::{BTreeMap, BTreeSet};

use crate::{NodeId, Scene};

impl Scene {
    /// Returns the ancestors of a node, its parent first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let parent = |id: NodeId| self.node(id)?.parent;
        std::iter::successors(parent(id), move |&id| parent(id))
    }

    /// Returns the nodes of a list that are not below another one of it, each once.
    pub fn roots_of(&self, ids: &[NodeId]) -> BTreeSet<NodeId> {
        let unique: BTreeSet<NodeId> = ids.iter().copied().collect();
        let is_root = |id: &NodeId| !self.ancestors(*id).any(|ancestor| unique.contains(&ancestor));
        unique.iter().copied().filter(is_root).collect()
    }

    /// Returns nodes and their descendants, each once, parents before their children.
    pub fn with_descendants(&self, ids: &[NodeId]) -> Vec<NodeId> {
        let mut children: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for (id, node) in self.nodes() {
            if let Some(parent) = node.parent {
                children.entry(parent).or_default().push(id);
            }
        }
        let mut nodes: Vec<NodeId> = self.roots_of(ids).into_iter().collect();
        let mut next = 0;
        while let Some(parent) = nodes.get(next) {
            nodes.extend(children.remove(parent).unwrap_or_default());
            next += 1;
        }
        nodes
    }
}
