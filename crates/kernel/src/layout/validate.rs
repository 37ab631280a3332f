//! Checks of the invariants of eight-wide trees.

use std::ops::Range;

use super::bvh8::Bvh8;
use crate::error::ValidateError;
use sunfleck_math::Aabb;

impl Bvh8 {
    /// Checks that the nodes are a tree, that references are in range, and that each box encloses the boxes below it.
    ///
    /// `item_bounds` returns the box around a range of items, or `None` if it is out of range.
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
                if !encloses(&node.bounds(slot), &below) {
                    return Err(ValidateError::BoxTooSmall { node: index, slot });
                }
            }
        }
        match (0u32..).zip(&times).find(|&(_, &times)| times != 1) {
            Some((node, &times)) => Err(ValidateError::NotATree { node, times }),
            None => self.check_reachable(),
        }
    }

    /// Checks that all nodes are reachable from the root: nodes with one parent each may still form a separate cycle.
    fn check_reachable(&self) -> Result<(), ValidateError> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = if self.nodes.is_empty() { vec![] } else { vec![0] };
        while let Some(node) = stack.pop() {
            seen[node] = true;
            stack.extend(self.nodes[node].slots().filter(|(_, c)| !c.is_leaf()).map(|(_, c)| c.node_index()));
        }
        match (0u32..).zip(&seen).find(|&(_, &seen)| !seen) {
            Some((node, _)) => Err(ValidateError::NotATree { node, times: 0 }),
            None => Ok(()),
        }
    }
}

fn encloses(outer: &Aabb, inner: &Aabb) -> bool {
    outer.min.cmple(inner.min).all() && outer.max.cmpge(inner.max).all()
}

#[cfg(test)]
mod tests {
    use super::super::{Bvh8Node, ChildRef};
    use super::*;
    use sunfleck_math::Vec3;

    const UNIT: Aabb = Aabb { min: Vec3::ZERO, max: Vec3::ONE };

    /// Tree of a root, one inner node and one leaf with item 0, a unit cube.
    fn chain() -> Bvh8 {
        let mut nodes = vec![Bvh8Node::EMPTY; 2];
        nodes[0].set(0, &UNIT, ChildRef::node(1));
        nodes[1].set(0, &UNIT, ChildRef::leaf(0, 1));
        Bvh8 { nodes }
    }

    fn validate(bvh: &Bvh8) -> Result<(), ValidateError> {
        bvh.validate(&|items| (items.end <= 1).then_some(UNIT))
    }

    #[test]
    fn valid_trees_pass() {
        assert_eq!(validate(&chain()), Ok(()), "a chain");
        assert_eq!(validate(&Bvh8::default()), Ok(()), "an empty tree");
    }

    #[test]
    fn damage_is_found() {
        let smaller = Aabb { max: Vec3::new(1.0, 0.9, 1.0), ..UNIT };
        for node in 0..2u32 {
            let mut bvh = chain();
            let child = bvh.nodes[node as usize].children[0];
            bvh.nodes[node as usize].set(0, &smaller, child);
            assert_eq!(validate(&bvh), Err(ValidateError::BoxTooSmall { node, slot: 0 }), "too small a box");
        }
        let mut bvh = chain();
        bvh.nodes[1].set(3, &UNIT, ChildRef::leaf(1, 1));
        assert_eq!(validate(&bvh), Err(ValidateError::DanglingChild { node: 1, slot: 3 }), "no such item");
        bvh.nodes[1].set(3, &UNIT, ChildRef::node(7));
        assert_eq!(validate(&bvh), Err(ValidateError::DanglingChild { node: 1, slot: 3 }), "no such node");
        bvh.nodes[1].set(3, &UNIT, ChildRef::node(1));
        assert_eq!(validate(&bvh), Err(ValidateError::NotATree { node: 1, times: 2 }), "a cycle");
        let mut bvh = chain();
        bvh.nodes.push(bvh.nodes[1]);
        assert_eq!(validate(&bvh), Err(ValidateError::NotATree { node: 2, times: 0 }), "an orphan");
        // Two nodes that refer to each other and are not reachable from the root
        bvh.nodes[1].set(0, &UNIT, ChildRef::leaf(0, 1));
        bvh.nodes.push(bvh.nodes[1]);
        bvh.nodes[2].set(0, &UNIT, ChildRef::node(3));
        bvh.nodes[3].set(0, &UNIT, ChildRef::node(2));
        assert_eq!(validate(&bvh), Err(ValidateError::NotATree { node: 2, times: 0 }), "an island");
    }
}
