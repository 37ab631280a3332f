//! Binary trees with both child boxes in one node: what trees for a GPU are made from. Wide nodes are cut in two again and
//! again; a leaf becomes one item, or two that are better kept together.

use sunfleck_math::Aabb;

use super::bvh8::{Bvh8, ChildRef, WIDTH};
use super::couples::{Couple, couples};

/// A binary tree; node 0 is the root. Leaves refer to ranges of items that belong to somebody else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairTree {
    /// Inner nodes. There is at least one if there is anything to hit.
    pub nodes: Vec<PairNode>,
    /// The most inner nodes on the way to a leaf: how large a stack has to be.
    pub depth: u32,
}

/// The two children of an inner node. 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct PairNode {
    /// In no order. The second is [`PairChild::NONE`] if the whole tree is one leaf.
    pub children: [PairChild; 2],
}

/// A child and its box.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct PairChild {
    /// Lower corner of the box.
    pub min: [f32; 3],
    /// Index of the node, or of the first item of a leaf.
    pub first: u32,
    /// Upper corner.
    pub max: [f32; 3],
    /// Items of a leaf; 0 for an inner node.
    pub count: u32,
}

impl PairChild {
    /// Nothing, which no ray meets.
    pub const NONE: Self = Self::new(&Aabb::EMPTY, 0, 0);

    const fn new(bounds: &Aabb, first: u32, count: u32) -> Self {
        Self { min: bounds.min.to_array(), first, max: bounds.max.to_array(), count }
    }
}

/// A part of a node that is to be cut in two.
#[derive(Clone, Copy)]
struct Part {
    bounds: Aabb,
    /// Items below.
    items: f32,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    /// A wide node.
    Node(usize),
    /// One item or two, by number.
    Leaf(u32, Option<u32>),
}

/// What is in the leaves of a wide tree.
pub(crate) trait Leaves {
    /// Appends boxes and numbers of what a leaf holds, given the leaf's box.
    fn items(&self, leaf: ChildRef, bounds: &Aabb, found: &mut Vec<(Aabb, u32)>);

    /// Whether two items are tested for less than one and another.
    fn are_a_couple(&self, item: u32, other: u32) -> bool;
}

/// Converts a wide tree.
///
/// * `emit` — takes the items of the new leaves, in order.
pub(crate) fn pairs(wide: &Bvh8, leaves: &dyn Leaves, emit: &mut dyn FnMut(u32)) -> PairTree {
    let mut cutter = Cutter {
        wide,
        items: count_items(wide, leaves),
        leaves,
        emit,
        emitted: 0,
        tree: PairTree { nodes: Vec::with_capacity(wide.nodes.len() * WIDTH), depth: 0 },
    };
    if !wide.nodes.is_empty() {
        cutter.tree.nodes.push(PairNode { children: [PairChild::NONE; 2] });
        let mut parts = cutter.parts_of(0);
        cutter.root(&mut parts);
        cutter.tree.nodes.shrink_to_fit();
    }
    cutter.tree
}

/// How many items there are below each wide node. Children come after their parents.
fn count_items(wide: &Bvh8, leaves: &dyn Leaves) -> Vec<f32> {
    let mut counts = vec![0.0; wide.nodes.len()];
    let mut found = Vec::new();
    for (i, node) in wide.nodes.iter().enumerate().rev() {
        for (slot, child) in node.slots() {
            counts[i] += if child.is_leaf() {
                found.clear();
                leaves.items(child, &node.bounds(slot), &mut found);
                found.len() as f32
            } else {
                counts[child.node_index()]
            };
        }
    }
    counts
}

struct Cutter<'a> {
    wide: &'a Bvh8,
    items: Vec<f32>,
    leaves: &'a dyn Leaves,
    emit: &'a mut dyn FnMut(u32),
    emitted: u32,
    tree: PairTree,
}

impl Cutter<'_> {
    /// The children of a wide node, of those that are leaves all items, two together where they are a couple.
    fn parts_of(&self, node: usize) -> Vec<Part> {
        let (mut parts, mut found) = (Vec::with_capacity(4 * WIDTH), Vec::with_capacity(4 * WIDTH));
        for (slot, child) in self.wide.nodes[node].slots() {
            let bounds = self.wide.nodes[node].bounds(slot);
            if child.is_leaf() {
                self.leaves.items(child, &bounds, &mut found);
            } else {
                let child = child.node_index();
                parts.push(Part { bounds, items: self.items[child], what: What::Node(child) });
            }
        }
        let together = couples(&found, &|item, other| self.leaves.are_a_couple(item, other));
        parts.extend(together.into_iter().map(|Couple { bounds, item, other }| Part {
            bounds,
            items: if other.is_some() { 2.0 } else { 1.0 },
            what: What::Leaf(item, other),
        }));
        parts
    }

    fn root(&mut self, parts: &mut [Part]) {
        match self.cut(parts) {
            Some(at) => self.fill(0, parts, at, 1),
            None => self.tree.nodes[0].children[0] = self.child(parts, 1),
        }
    }

    /// A node or a leaf of some parts.
    fn child(&mut self, parts: &mut [Part], depth: u32) -> PairChild {
        let bounds = whole(parts);
        if let [Part { what: What::Node(node), .. }] = *parts {
            let mut parts = self.parts_of(node);
            return self.child_of(&mut parts, &bounds, depth);
        }
        self.child_of(parts, &bounds, depth)
    }

    fn child_of(&mut self, parts: &mut [Part], bounds: &Aabb, depth: u32) -> PairChild {
        let Some(at) = self.cut(parts) else {
            let first = self.emitted;
            for part in parts.iter() {
                if let What::Leaf(item, other) = part.what {
                    for item in std::iter::once(item).chain(other) {
                        (self.emit)(item);
                        self.emitted += 1;
                    }
                }
            }
            return PairChild::new(bounds, first, self.emitted - first);
        };
        let node = self.tree.nodes.len();
        self.tree.nodes.push(PairNode { children: [PairChild::NONE; 2] });
        self.fill(node, parts, at, depth + 1);
        PairChild::new(bounds, u32::try_from(node).unwrap_or(u32::MAX), 0)
    }

    fn fill(&mut self, node: usize, parts: &mut [Part], at: usize, depth: u32) {
        self.tree.depth = self.tree.depth.max(depth);
        let (left, right) = parts.split_at_mut(at);
        let children = [self.child(left, depth), self.child(right, depth)];
        self.tree.nodes[node].children = children;
    }

    /// Sorts the parts so that they are best cut at the place that is returned, by the surface area heuristic; `None` if there is
    /// one only.
    fn cut(&self, parts: &mut [Part]) -> Option<usize> {
        if parts.len() < 2 {
            return None;
        }
        let (mut best, mut axis_of_best, mut at) = (f32::INFINITY, 0, parts.len() / 2);
        for axis in 0..3 {
            sort(parts, axis);
            let mut after = vec![0.0; parts.len()];
            let (mut bounds, mut items) = (Aabb::EMPTY, 0.0);
            for (i, part) in parts.iter().enumerate().skip(1).rev() {
                (bounds, items) = (bounds.union(part.bounds), items + part.items);
                after[i] = half_area(&bounds) * items;
            }
            (bounds, items) = (Aabb::EMPTY, 0.0);
            for (i, part) in parts.iter().enumerate().take(parts.len() - 1) {
                (bounds, items) = (bounds.union(part.bounds), items + part.items);
                let cost = half_area(&bounds) * items + after[i + 1];
                if cost < best {
                    (best, axis_of_best, at) = (cost, axis, i + 1);
                }
            }
        }
        sort(parts, axis_of_best);
        Some(at)
    }
}

/// Along an axis by the middles of the boxes; equal ones by what they are, so that the order is the same always.
fn sort(parts: &mut [Part], axis: usize) {
    let number = |part: &Part| match part.what {
        What::Node(node) => (0, node),
        What::Leaf(item, _) => (1, item as usize),
    };
    let middle = |part: &Part| 0.5 * part.bounds.min[axis] + 0.5 * part.bounds.max[axis];
    parts.sort_unstable_by(|a, b| middle(a).total_cmp(&middle(b)).then_with(|| number(a).cmp(&number(b))));
}

fn whole(parts: &[Part]) -> Aabb {
    parts.iter().fold(Aabb::EMPTY, |bounds, part| bounds.union(part.bounds))
}

/// At most the largest number, so that costs can be compared.
pub(super) fn half_area(bounds: &Aabb) -> f32 {
    bounds.half_area().min(1e30)
}
