use std::ops::Range;

use super::bvh8::Bvh8;
use crate::error::ValidateError;
use sunfleck_math::Aabb;

impl Bvh8 {
    /// Checks that the nodes are a tree, that references stay inside, and that each box holds what is below it.
    ///
    /// `item_bounds` gives the box around some items, or none when there are no such items.
    pub(crate) fn validate(
        &self,
        item_bounds: &dyn Fn(Range<usize>) -> Option<Aabb>,
    ) -> Result<(), ValidateError> {
        let mut times = vec![0u32; self.nodes.len()];
        if let Some(root) = times.first_mut() {
            *root = 1;
        }
        for (index, node) in (0u32..).zip(&self.nodes) {
            for (slot, child) in node.slots() {
                let dangling = ValidateError::DanglingChild { node: index, slot };
                let below = if child.is_leaf() {
                    item_bounds(child.items()).ok_or(dangling)?
                } else {
                    *times.get_mut(child.node_index()).ok_or(dangling)? += 1;
                    let child = &self.nodes[child.node_index()];
                    child.slots().fold(Aabb::EMPTY, |b, (slot, _)| b.union(child.bounds(slot)))
                };
                if !holds(&node.bounds(slot), &below) {
                    return Err(ValidateError::LooseBox { node: index, slot });
                }
            }
        }
        // Each node has one parent, and with the boxes nested a cycle would need equal boxes all around: count from the root.
        match (0u32..).zip(&times).find(|&(_, &times)| times != 1) {
            Some((node, &times)) => Err(ValidateError::NotATree { node, times }),
            None => self.check_reachable(),
        }
    }

    fn check_reachable(&self) -> Result<(), ValidateError> {
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = if self.nodes.is_empty() { vec![] } else { vec![0] };
        while let Some(node) = todo.pop() {
            seen[node] = true;
            todo.extend(self.nodes[node].slots().filter(|(_, c)| !c.is_leaf()).map(|(_, c)| c.node_index()));
        }
        match (0u32..).zip(&seen).find(|&(_, &seen)| !seen) {
            Some((node, _)) => Err(ValidateError::NotATree { node, times: 0 }),
            None => Ok(()),
        }
    }
}

fn holds(outer: &Aabb, inner: &Aabb) -> bool {
    outer.min.cmple(inner.min).all() && outer.max.cmpge(inner.max).all()
}
