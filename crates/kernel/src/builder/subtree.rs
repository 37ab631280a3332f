use super::Context;
use super::prim_ref::Lanes;
use crate::layout::{Bvh2Node, Forest, index, push_pair};

/// A finished part of the tree: the nodes of a small one, or two that were built side by side under a new node.
pub(super) enum Subtree {
    Nodes(Vec<Bvh2Node>),
    Pair(Bvh2Node, Box<[Subtree; 2]>),
}

impl Subtree {
    pub(super) fn pair(
        bounds: &Lanes,
        left: (Self, Forest),
        right: (Self, Forest),
        context: &Context<'_>,
    ) -> (Self, Forest) {
        let area = bounds.half_area(context.scale);
        let (forest, choice) = context.join(area, &left.1, &right.1);
        let node = Bvh2Node::inner(bounds.aabb(), 0, choice);
        (Self::Pair(node, Box::new([left.0, right.0])), forest)
    }

    /// All nodes in one array.
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

    /// Appends the parts of the tree to `nodes`, its root at `slot`.
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
