//! Wide trees back to binary ones with small leaves, which trees for a GPU are made from. Wide nodes are cut in two again and
//! again; a leaf becomes one item, or two that are better kept together.

use sunfleck_math::Aabb;

use super::bvh2::{Bvh2, Bvh2Node, push_pair};
use super::bvh8::{Bvh8, ChildRef, WIDTH};
use super::couples::{Couple, couples};
use super::forest::Choice;
use super::index;
use super::reinsertion::Reinsertion;

/// A GPU's trees are worth more than the builder's.
const REINSERTION: Reinsertion = Reinsertion { share: 3, most: 1 << 23 };

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

/// Converts a wide tree. Primitives of the binary one are numbers of items.
///
/// * `reinserts` — whether subtrees are then put where they cost least.
pub(crate) fn pairs(wide: &Bvh8, leaves: &dyn Leaves, reinserts: bool) -> Bvh2 {
    let mut cutter = Cutter { wide, items: count_items(wide, leaves), leaves, tree: Bvh2::default() };
    if wide.nodes.is_empty() {
        return cutter.tree;
    }
    cutter.tree.nodes.reserve(wide.nodes.len() * WIDTH * 2);
    cutter.tree.nodes.push(Bvh2Node::VACANT);
    cutter.child(0, &mut cutter.parts_of(0));
    let mut tree = cutter.tree;
    tree.nodes.shrink_to_fit();
    tree.prims.shrink_to_fit();
    if reinserts {
        let deepest = 2 * tree.depth();
        tree.nodes = REINSERTION.optimize(tree.nodes, deepest, true);
    }
    tree
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
    tree: Bvh2,
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

    /// Makes a node or a leaf of some parts.
    fn child(&mut self, at: usize, parts: &mut [Part]) {
        let bounds = whole(parts);
        match *parts {
            [Part { what: What::Node(node), .. }] => self.fill(at, &bounds, &mut self.parts_of(node)),
            _ => self.fill(at, &bounds, parts),
        }
    }

    fn fill(&mut self, at: usize, bounds: &Aabb, parts: &mut [Part]) {
        let Some(cut) = self.cut(parts) else {
            let first = self.tree.prims.len();
            for part in parts.iter() {
                if let What::Leaf(item, other) = part.what {
                    self.tree.prims.extend(std::iter::once(item).chain(other));
                }
            }
            let count = self.tree.prims.len() - first;
            self.tree.nodes[at] = Bvh2Node::leaf(*bounds, index(first), index(count));
            return;
        };
        let children = push_pair(&mut self.tree.nodes);
        self.tree.nodes[at] = Bvh2Node::inner(*bounds, index(children), Choice::NONE);
        let (left, right) = parts.split_at_mut(cut);
        self.child(children, left);
        self.child(children + 1, right);
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
                after[i] = bounds.half_area() * items;
            }
            (bounds, items) = (Aabb::EMPTY, 0.0);
            for (i, part) in parts.iter().enumerate().take(parts.len() - 1) {
                (bounds, items) = (bounds.union(part.bounds), items + part.items);
                let cost = bounds.half_area() * items + after[i + 1];
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
