use std::ops::Range;

use super::bvh2::Bvh2;
use super::bvh8::{Bvh8, Bvh8Node, ChildRef, WIDTH};
use super::index;

/// Nodes that one thread works on at a time.
pub(crate) const NODES_PER_TASK: usize = 256;

/// Converts the canonical tree but for the orders of visits, with its choice of which binary nodes become wide ones [Ylitie17, §3.1].
///
/// `make_leaf` turns the primitives of a leaf, ascending and each once, into items and returns where they are.
pub(crate) fn collapse(bvh2: &Bvh2, make_leaf: &mut dyn FnMut(&[u32]) -> ChildRef) -> Bvh8 {
    if bvh2.nodes.is_empty() {
        return Bvh8::default();
    }
    // About what there will be: counting them takes half as long as making them.
    let mut wide = Bvh8 { nodes: Vec::with_capacity(bvh2.nodes.len() / 8 + 1) };
    wide.nodes.push(Bvh8Node::EMPTY);
    fill(bvh2, 0, 0, &mut wide.nodes, &mut Vec::new(), make_leaf);
    wide.nodes.shrink_to_fit();
    wide
}

/// How many nodes, and at most how many items of `block` primitives, [`collapse`] makes.
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

/// Fills `nodes[at]` with what is below `top`; the wide children of one node are neighbours in memory.
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

/// The children of the wide node that a binary node becomes: the roots of a forest that holds everything below it, by
/// index.
pub(super) struct Collapsed<const WIDTH: usize> {
    roots: [u32; WIDTH],
    len: usize,
}

impl<const WIDTH: usize> Collapsed<WIDTH> {
    /// * `opened` — hears of each binary node between, and which of the children are below it.
    pub(super) fn of(bvh2: &Bvh2, top: u32, opened: &mut impl FnMut(u32, Range<usize>)) -> Self {
        let mut collapsed = Self { roots: [top; WIDTH], len: 0 };
        let node = bvh2.node(top);
        match (node.children(), node.choice()) {
            (Some(children), Some(choice)) if !choice.is_leaf() => {
                collapsed.split(bvh2, children, choice.share(WIDTH), opened);
            }
            // All there is
            _ => collapsed.len = 1,
        }
        collapsed
    }

    pub(super) fn roots(&self) -> &[u32] {
        &self.roots[..self.len]
    }

    /// Appends two children, each as up to so many roots.
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

    /// Appends a subtree as up to `room` roots.
    fn add(&mut self, bvh2: &Bvh2, top: u32, room: usize, opened: &mut impl FnMut(u32, Range<usize>)) {
        let node = bvh2.node(top);
        match (node.children(), node.choice()) {
            (Some(children), Some(choice)) if room > 1 && !choice.prefers_one(room) => {
                let before = self.len;
                self.split(bvh2, children, choice.share(room), opened);
                opened(top, before..self.len);
            }
            _ => {
                self.roots[self.len] = top;
                self.len += 1;
            }
        }
    }
}
