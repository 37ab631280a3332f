//! Subtrees that are built by different threads, and their concatenation into one array of nodes.

use super::Context;
use super::prim_ref::SimdAabb;
use crate::layout::{Bvh2Node, CollapseCosts, index, push_pair};

/// Finished subtree: an array of nodes, or a node over two subtrees that were built in parallel.
pub(super) enum Subtree {
    Nodes(Vec<Bvh2Node>),
    Pair(Bvh2Node, Box<[Subtree; 2]>),
}

impl Subtree {
    /// Joins two subtrees under a new node, and returns the result with its collapse costs.
    pub(super) fn pair(
        bounds: &SimdAabb,
        left: (Self, CollapseCosts),
        right: (Self, CollapseCosts),
        context: &Context<'_>,
    ) -> (Self, CollapseCosts) {
        let area = bounds.half_area(context.scale);
        let (costs, decision) = context.join(area, &left.1, &right.1);
        let node = Bvh2Node::inner(bounds.aabb(), 0, decision);
        (Self::Pair(node, Box::new([left.0, right.0])), costs)
    }

    /// Concatenates all nodes into one array.
    pub(super) fn into_nodes(self) -> Vec<Bvh2Node> {
        match self {
            Self::Nodes(nodes) => nodes,
            pair @ Self::Pair(..) => {
                let mut nodes = Vec::with_capacity(pair.len());
                nodes.push(Bvh2Node::VACANT);
                pair.place(0, &mut nodes);
                nodes
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Nodes(nodes) => nodes.len(),
            Self::Pair(_, parts) => 1 + parts.iter().map(Self::len).sum::<usize>(),
        }
    }

    /// Writes the root to `nodes[slot]` and appends the other nodes.
    fn place(self, slot: usize, nodes: &mut Vec<Bvh2Node>) {
        match self {
            Self::Nodes(part) => {
                let offset = index(nodes.len()).wrapping_sub(1);
                nodes[slot] = part[0].moved(offset);
                nodes.extend(part[1..].iter().map(|node| node.moved(offset)));
            }
            Self::Pair(node, parts) => {
                let children = push_pair(nodes);
                nodes[slot] = node.moved(index(children));
                let [left, right] = *parts;
                left.place(children, nodes);
                right.place(children + 1, nodes);
            }
        }
    }
}
