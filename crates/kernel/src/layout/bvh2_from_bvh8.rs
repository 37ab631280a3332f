//! Conversion of an eight-wide tree to a binary one with small leaves, the first step towards the tree of a GPU.
//!
//! Wide nodes are split in two recursively. The items of a leaf become leaves of one item or of a pair.

use sunfleck_math::Aabb;

use super::bvh2::{Bvh2, Bvh2Node, push_pair};
use super::bvh8::{Bvh8, ChildRef, WIDTH};
use super::collapse_costs::CollapseDecision;
use super::index;
use super::reinsertion::Reinsertion;
use super::triangle_pairs::{PairLeaf, pair_items};

/// Reinsertion visits more candidates than in the builder: the GPU's trees are worth the time.
const REINSERTION: Reinsertion = Reinsertion { nodes_per_candidate: 3, max_candidates: 1 << 23 };

/// Reference to a wide node or to a leaf, to be distributed over the binary tree.
#[derive(Clone, Copy)]
struct BuildRef {
    bounds: Aabb,
    /// Number of items below.
    items: f32,
    content: RefContent,
}

#[derive(Clone, Copy)]
enum RefContent {
    /// Index of a wide node.
    Node(usize),
    /// One item or a pair.
    Leaf(u32, Option<u32>),
}

/// Items in the leaves of a wide tree. An item is identified by a number.
pub(crate) trait LeafItems {
    /// Appends boxes and numbers of the items of a leaf, given the leaf's box.
    fn items(&self, leaf: ChildRef, bounds: &Aabb, found: &mut Vec<(Aabb, u32)>);

    /// Returns whether two items can form a pair, which costs less to test than two single items.
    fn can_pair(&self, item: u32, other: u32) -> bool;
}

/// Converts a wide tree to a binary one, whose primitives are the numbers of items.
///
/// * `reinserts` — whether the result is optimised by reinsertion.
pub(crate) fn bvh2_from_bvh8(wide: &Bvh8, leaves: &dyn LeafItems, reinserts: bool) -> Bvh2 {
    let mut converter = Converter { wide, items: count_items(wide, leaves), leaves, tree: Bvh2::default() };
    if wide.nodes.is_empty() {
        return converter.tree;
    }
    converter.tree.nodes.reserve(wide.nodes.len() * WIDTH * 2);
    converter.tree.nodes.push(Bvh2Node::VACANT);
    converter.add_child(0, &mut converter.refs_of(0));
    let mut tree = converter.tree;
    tree.nodes.shrink_to_fit();
    tree.prims.shrink_to_fit();
    if reinserts {
        let max_depth = 2 * tree.depth();
        tree.nodes = REINSERTION.optimize(tree.nodes, max_depth, true);
    }
    tree
}

/// Returns the number of items below each wide node. Children come after their parents.
fn count_items(wide: &Bvh8, leaves: &dyn LeafItems) -> Vec<f32> {
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

struct Converter<'a> {
    wide: &'a Bvh8,
    items: Vec<f32>,
    leaves: &'a dyn LeafItems,
    tree: Bvh2,
}

impl Converter<'_> {
    /// Returns references to the children of a wide node; leaves are replaced by their items, in pairs where possible.
    fn refs_of(&self, node: usize) -> Vec<BuildRef> {
        let (mut refs, mut found) = (Vec::with_capacity(4 * WIDTH), Vec::with_capacity(4 * WIDTH));
        for (slot, child) in self.wide.nodes[node].slots() {
            let bounds = self.wide.nodes[node].bounds(slot);
            if child.is_leaf() {
                self.leaves.items(child, &bounds, &mut found);
            } else {
                let child = child.node_index();
                refs.push(BuildRef { bounds, items: self.items[child], content: RefContent::Node(child) });
            }
        }
        let leaves = pair_items(&found, &|item, other| self.leaves.can_pair(item, other));
        refs.extend(leaves.into_iter().map(|PairLeaf { bounds, item, other }| BuildRef {
            bounds,
            items: if other.is_some() { 2.0 } else { 1.0 },
            content: RefContent::Leaf(item, other),
        }));
        refs
    }

    /// Builds the binary node `at` over `refs`; a single reference to a wide node is replaced by its children.
    fn add_child(&mut self, at: usize, refs: &mut [BuildRef]) {
        let bounds = union_of(refs);
        match *refs {
            [BuildRef { content: RefContent::Node(node), .. }] => {
                self.fill(at, &bounds, &mut self.refs_of(node));
            }
            _ => self.fill(at, &bounds, refs),
        }
    }

    /// Builds the binary node `at` over `refs`: a leaf, or an inner node and its subtrees.
    fn fill(&mut self, at: usize, bounds: &Aabb, refs: &mut [BuildRef]) {
        let Some(middle) = self.split(refs) else {
            let first = self.tree.prims.len();
            for build_ref in refs.iter() {
                if let RefContent::Leaf(item, other) = build_ref.content {
                    self.tree.prims.extend(std::iter::once(item).chain(other));
                }
            }
            let count = self.tree.prims.len() - first;
            self.tree.nodes[at] = Bvh2Node::leaf(*bounds, index(first), index(count));
            return;
        };
        let children = push_pair(&mut self.tree.nodes);
        self.tree.nodes[at] = Bvh2Node::inner(*bounds, index(children), CollapseDecision::NONE);
        let (left, right) = refs.split_at_mut(middle);
        self.add_child(children, left);
        self.add_child(children + 1, right);
    }

    /// Sorts the references along the axis of the split with the lowest SAH cost, and returns the number of references
    /// on its left side; `None` if there is only one reference.
    fn split(&self, refs: &mut [BuildRef]) -> Option<usize> {
        if refs.len() < 2 {
            return None;
        }
        let (mut best, mut axis_of_best, mut at) = (f32::INFINITY, 0, refs.len() / 2);
        for axis in 0..3 {
            sort(refs, axis);
            let mut after = vec![0.0; refs.len()];
            let (mut bounds, mut items) = (Aabb::EMPTY, 0.0);
            for (i, build_ref) in refs.iter().enumerate().skip(1).rev() {
                (bounds, items) = (bounds.union(build_ref.bounds), items + build_ref.items);
                after[i] = bounds.half_area() * items;
            }
            (bounds, items) = (Aabb::EMPTY, 0.0);
            for (i, build_ref) in refs.iter().enumerate().take(refs.len() - 1) {
                (bounds, items) = (bounds.union(build_ref.bounds), items + build_ref.items);
                let cost = bounds.half_area() * items + after[i + 1];
                if cost < best {
                    (best, axis_of_best, at) = (cost, axis, i + 1);
                }
            }
        }
        sort(refs, axis_of_best);
        Some(at)
    }
}

/// Sorts references by the centres of their boxes along an axis. Ties are broken by kind and index, so that the order
/// is deterministic.
fn sort(refs: &mut [BuildRef], axis: usize) {
    let number = |build_ref: &BuildRef| match build_ref.content {
        RefContent::Node(node) => (0, node),
        RefContent::Leaf(item, _) => (1, item as usize),
    };
    let center = |build_ref: &BuildRef| 0.5 * build_ref.bounds.min[axis] + 0.5 * build_ref.bounds.max[axis];
    refs.sort_unstable_by(|a, b| center(a).total_cmp(&center(b)).then_with(|| number(a).cmp(&number(b))));
}

/// Returns the box around all references.
fn union_of(refs: &[BuildRef]) -> Aabb {
    refs.iter().fold(Aabb::EMPTY, |bounds, build_ref| bounds.union(build_ref.bounds))
}
