//! Collapse of the binary tree into wide nodes, following the decisions stored in its nodes.

use std::ops::Range;

use super::bvh2::Bvh2;
use super::bvh8::{Bvh8, Bvh8Node, ChildRef, WIDTH};
use super::index;

/// Minimum number of nodes per parallel task.
pub(crate) const NODES_PER_TASK: usize = 256;

/// Collapses the canonical binary tree into an eight-wide one, by its collapse decisions [Ylitie17, §3.1].
///
/// Traversal orders are not computed. `make_leaf` receives the primitives of a leaf, in ascending order and without
/// duplicates, stores them as items and returns the reference to them.
pub(crate) fn collapse(bvh2: &Bvh2, make_leaf: &mut dyn FnMut(&[u32]) -> ChildRef) -> Bvh8 {
    if bvh2.nodes.is_empty() {
        return Bvh8::default();
    }
    // An estimate: counting the nodes would take half as long as creating them.
    let mut wide = Bvh8 { nodes: Vec::with_capacity(bvh2.nodes.len() / 8 + 1) };
    wide.nodes.push(Bvh8Node::EMPTY);
    fill(bvh2, 0, 0, &mut wide.nodes, &mut Vec::new(), make_leaf);
    wide.nodes.shrink_to_fit();
    wide
}

/// Returns the number of nodes that [`collapse`] creates, and an upper bound of the number of items of `block`
/// primitives.
pub(crate) fn count_items(bvh2: &Bvh2, block: usize) -> (usize, usize) {
    if bvh2.nodes.is_empty() { (0, 0) } else { count_below(bvh2, 0, block) }
}

fn count_below(bvh2: &Bvh2, top: u32, block: usize) -> (usize, usize) {
    Collapsed::<WIDTH>::of(bvh2, top, &mut |_, _| {}).roots().iter().fold((1, 0), |(nodes, items), &root| {
        let child = bvh2.node(root);
        if child.is_leaf() {
            return (nodes, items + bvh2.references(child).div_ceil(block));
        }
        let (n, i) = count_below(bvh2, root, block);
        (nodes + n, items + i)
    })
}

/// Fills the wide node `nodes[at]` from the binary node `top`, and appends its descendants. Inner children of a node
/// are neighbours in memory.
fn fill(
    bvh2: &Bvh2,
    top: u32,
    at: usize,
    nodes: &mut Vec<Bvh8Node>,
    prims: &mut Vec<u32>,
    make_leaf: &mut dyn FnMut(&[u32]) -> ChildRef,
) {
    let collapsed = Collapsed::<WIDTH>::of(bvh2, top, &mut |_, _| {});
    let roots = collapsed.roots();
    let mut next = nodes.len();
    let inner = roots.iter().filter(|&&root| !bvh2.node(root).is_leaf()).count();
    nodes.resize(next + inner, Bvh8Node::EMPTY);
    for (slot, &root) in roots.iter().enumerate() {
        let child = bvh2.node(root);
        let reference = if child.is_leaf() {
            bvh2.gather(child, prims);
            make_leaf(prims)
        } else {
            fill(bvh2, root, next, nodes, prims, make_leaf);
            next += 1;
            ChildRef::node(index(next - 1))
        };
        nodes[at].set(slot, &child.bounds, reference);
    }
}

/// Children of the wide node that replaces a binary node: indices of the roots of a forest over everything below it.
pub(super) struct Collapsed<const WIDTH: usize> {
    roots: [u32; WIDTH],
    len: usize,
}

impl<const WIDTH: usize> Collapsed<WIDTH> {
    /// Collapses the binary node `top`.
    ///
    /// * `opened` — called with each binary node that vanishes between `top` and the children, and the range of
    ///   children below it.
    pub(super) fn of(bvh2: &Bvh2, top: u32, opened: &mut impl FnMut(u32, Range<usize>)) -> Self {
        let mut collapsed = Self { roots: [top; WIDTH], len: 0 };
        let node = bvh2.node(top);
        match (node.children(), node.decision()) {
            (Some(children), Some(decision)) if !decision.is_leaf() => {
                collapsed.split(bvh2, children, decision.share(WIDTH), opened);
            }
            // The root is a leaf: it becomes the only child.
            _ => collapsed.len = 1,
        }
        collapsed
    }

    pub(super) fn roots(&self) -> &[u32] {
        &self.roots[..self.len]
    }

    /// Appends the forests of two children, each of at most the given number of roots.
    #[inline]
    fn split(
        &mut self,
        bvh2: &Bvh2,
        [left, right]: [u32; 2],
        [to_left, to_right]: [usize; 2],
        opened: &mut impl FnMut(u32, Range<usize>),
    ) {
        self.add(bvh2, left, to_left, opened);
        self.add(bvh2, right, to_right, opened);
    }

    /// Appends the forest of a subtree, of at most `room` roots.
    fn add(&mut self, bvh2: &Bvh2, top: u32, room: usize, opened: &mut impl FnMut(u32, Range<usize>)) {
        let node = bvh2.node(top);
        match (node.children(), node.decision()) {
            (Some(children), Some(decision)) if room > 1 && !decision.prefers_one(room) => {
                let before = self.len;
                self.split(bvh2, children, decision.share(room), opened);
                opened(top, before..self.len);
            }
            _ => {
                self.roots[self.len] = top;
                self.len += 1;
            }
        }
    }
}
