use super::bvh8::{Bvh8, Bvh8Node, ChildRef, WIDTH};
use crate::builder::{Bvh2, Bvh2Node};

/// Nodes that one thread works on at a time.
pub(crate) const NODES_PER_TASK: usize = 256;

/// Converts the canonical tree but for the orders of visits, with the builder's choice of which binary nodes become wide ones [Ylitie17, §3.1].
///
/// `make_leaf` turns the primitives of a leaf, ascending and each once, into items and returns where they are.
pub(crate) fn collapse(bvh2: &Bvh2, make_leaf: &mut dyn FnMut(&[u32]) -> ChildRef) -> Bvh8 {
    let Some(root) = bvh2.nodes.first() else { return Bvh8::default() };
    // About what there will be: counting them takes half as long as making them.
    let mut wide = Bvh8 { nodes: Vec::with_capacity(bvh2.nodes.len() / 8 + 1) };
    wide.nodes.push(Bvh8Node::EMPTY);
    fill(bvh2, root, 0, &mut wide.nodes, &mut Vec::new(), make_leaf);
    wide.nodes.shrink_to_fit();
    wide
}

/// How many nodes, and at most how many items of `block` primitives, [`collapse`] makes.
pub(crate) fn count_items(bvh2: &Bvh2, block: usize) -> (usize, usize) {
    bvh2.nodes.first().map_or((0, 0), |root| count_below(bvh2, root, block))
}

fn count_below(bvh2: &Bvh2, top: &Bvh2Node, block: usize) -> (usize, usize) {
    Slots::of(bvh2, top).nodes().iter().fold((1, 0), |(nodes, items), child| match child.is_leaf() {
        true => (nodes, items + bvh2.references(child).div_ceil(block)),
        false => {
            let (n, i) = count_below(bvh2, child, block);
            (nodes + n, items + i)
        }
    })
}

/// Fills `nodes[at]` with what is below `top`; the wide children of one node are neighbours in memory.
fn fill(
    bvh2: &Bvh2,
    top: &Bvh2Node,
    at: usize,
    nodes: &mut Vec<Bvh8Node>,
    prims: &mut Vec<u32>,
    make_leaf: &mut dyn FnMut(&[u32]) -> ChildRef,
) {
    let slots = Slots::of(bvh2, top);
    let children = slots.nodes();
    let mut next = nodes.len();
    nodes.resize(next + children.iter().filter(|c| !c.is_leaf()).count(), Bvh8Node::EMPTY);
    for (slot, child) in children.iter().enumerate() {
        let reference = if child.is_leaf() {
            bvh2.gather(child, prims);
            make_leaf(prims)
        } else {
            fill(bvh2, child, next, nodes, prims, make_leaf);
            next += 1;
            ChildRef::node(u32::try_from(next - 1).unwrap_or(u32::MAX))
        };
        nodes[at].set(slot, &child.bounds, reference);
    }
}

/// Up to eight descendants of a node that together hold everything below it.
struct Slots {
    nodes: [Bvh2Node; WIDTH],
    len: usize,
}

impl Slots {
    fn of(bvh2: &Bvh2, top: &Bvh2Node) -> Self {
        let mut slots = Self { nodes: [*top; WIDTH], len: 0 };
        match top.choice() {
            Some(choice) if !choice.is_leaf() => {
                let [left, right] = bvh2.children(top);
                let [to_left, to_right] = choice.share(WIDTH);
                slots.add(bvh2, &left, to_left);
                slots.add(bvh2, &right, to_right);
            }
            _ => slots.len = 1,
        }
        slots
    }

    fn nodes(&self) -> &[Bvh2Node] {
        &self.nodes[..self.len]
    }

    /// Appends a subtree as up to `roots` descendants.
    fn add(&mut self, bvh2: &Bvh2, node: &Bvh2Node, roots: usize) {
        match node.choice() {
            Some(choice) if roots > 1 && !choice.prefers_one(roots) => {
                let [left, right] = bvh2.children(node);
                let [to_left, to_right] = choice.share(roots);
                self.add(bvh2, &left, to_left);
                self.add(bvh2, &right, to_right);
            }
            _ => {
                self.nodes[self.len] = *node;
                self.len += 1;
            }
        }
    }
}
