use super::bvh8::{Bvh8, Bvh8Node, ChildRef, WIDTH};
use crate::builder::{Bvh2, Bvh2Node, half_area};

/// Converts the canonical tree: each wide node takes a binary node and opens its child of the largest surface area
/// until eight slots are full [Wald08].
///
/// `make_leaf` turns the primitives of a leaf into items and returns where they are.
pub(crate) fn collapse(bvh2: &Bvh2, make_leaf: &mut dyn FnMut(&[u32]) -> ChildRef) -> Bvh8 {
    let mut wide = Bvh8::default();
    if let Some(root) = bvh2.nodes.first() {
        wide.nodes.push(Bvh8Node::EMPTY);
        fill(bvh2, root, 0, &mut wide.nodes, make_leaf);
    }
    wide
}

/// Fills `nodes[slot]` with what is below `top`; the wide children of one node are neighbours in memory.
fn fill(
    bvh2: &Bvh2,
    top: &Bvh2Node,
    slot: usize,
    nodes: &mut Vec<Bvh8Node>,
    make_leaf: &mut dyn FnMut(&[u32]) -> ChildRef,
) {
    let children = open(bvh2, top);
    let mut next = nodes.len();
    nodes.resize(next + children.iter().filter(|c| !c.is_leaf()).count(), Bvh8Node::EMPTY);
    for (i, child) in children.iter().enumerate() {
        let reference = if child.is_leaf() {
            make_leaf(&bvh2.prims[child.first as usize..][..child.count as usize])
        } else {
            fill(bvh2, child, next, nodes, make_leaf);
            next += 1;
            ChildRef::node(u32::try_from(next - 1).unwrap_or(u32::MAX))
        };
        nodes[slot].set(i, &child.bounds, reference);
    }
    nodes[slot].set_order();
}

/// Up to eight descendants of `top` that together hold everything below it.
fn open(bvh2: &Bvh2, top: &Bvh2Node) -> Vec<Bvh2Node> {
    let pair = |node: &Bvh2Node| [bvh2.nodes[node.first as usize], bvh2.nodes[node.first as usize + 1]];
    if top.is_leaf() {
        return vec![*top];
    }
    let mut open = Vec::with_capacity(WIDTH);
    open.extend(pair(top));
    while open.len() < WIDTH {
        let largest = (0..open.len()).filter(|&i| !open[i].is_leaf()).max_by(|&a, &b| {
            half_area(&open[a].bounds).total_cmp(&half_area(&open[b].bounds)).then(b.cmp(&a))
        });
        let Some(largest) = largest else { break };
        let [left, right] = pair(&open[largest]);
        open[largest] = left;
        open.push(right);
    }
    open
}
