//! Four-wide tree of the GPU: the children of a node are neighbours in memory, so that one word refers to all of them.
//!
//! The binary tree is collapsed by the same dynamic programming as for eight-wide trees, with the costs of the GPU.
//! Any-hit queries visit the last child first: leaves come last, and among them those that find a hit at the lowest
//! cost.

use std::collections::BTreeMap;
use std::ops::Range;

use sunfleck_constants::tree::NODE_COST;
use sunfleck_math::Aabb;

use super::bvh2::{Bvh2, Bvh2Node};
use super::collapse::Collapsed;
use super::collapse_costs::{CostModel, decide_collapse};
use super::entry_points::{EntryPoint, EntryPoints};
use super::hit_probability::{HitProbabilities, hit_probabilities};
use super::index;

/// Maximum number of children per node.
const WIDTH: usize = sunfleck_constants::tree::WIDTH as usize;

/// Costs on the GPU. No inner node becomes a leaf: the leaves are those of the binary tree.
const COST_MODEL: CostModel<WIDTH> = CostModel { node: NODE_COST, block_log2: 0, max_leaf: 0 };

/// Four-wide BVH of the GPU as one plain array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bvh4 {
    /// Nodes and leaves. The root, which is always an inner node, is the first; children come after their parents.
    /// Empty if nothing can be hit.
    pub slots: Vec<Bvh4Slot>,
    /// Maximum number of nodes on the path to a leaf.
    pub depth: u32,
    /// Entry points of the tree, in the order of its [`EntryPoints`].
    pub entries: Vec<Bvh4Entry>,
}

/// Node or leaf of a [`Bvh4`], with its box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bvh4Slot {
    /// Box around everything below.
    pub bounds: Aabb,
    /// The node or leaf.
    pub content: Bvh4Content,
}

/// Node or leaf of a [`Bvh4Slot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bvh4Content {
    /// Inner node.
    Node {
        /// Index of the slot of the first child, which the other children follow.
        first: u32,
        /// Number of children.
        children: u32,
        /// Number of children that are inner nodes or leaves that lead to nodes of another tree; they come first.
        inner: u32,
    },
    /// Leaf.
    Leaf {
        /// Index of the first item.
        first: u32,
        /// Number of items.
        count: u32,
    },
}

/// Entry point of a [`Bvh4`]: a slot at which traversal may start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bvh4Entry {
    /// Index of the slot.
    pub slot: u32,
    /// Estimate for a ray that hits the box of the slot.
    pub hit_probabilities: HitProbabilities,
}

/// Entry point whose binary node vanished inside a wide node, when the tree was collapsed.
struct OpenedNode {
    /// Index of the entry point.
    point: usize,
    /// Slots of the children of the wide node that are below the binary node.
    children: Vec<usize>,
    /// Number of these children that are inner nodes or lead to nodes; see [`Bvh4Content::Node`].
    inner: usize,
}

impl Bvh4 {
    /// Collapses a binary tree; its leaves are kept.
    ///
    /// * `leads_to_node` — whether a leaf, given its first item, refers to an inner node of another tree.
    /// * `leaf_probabilities` — returns the estimate of a leaf.
    /// * `entry_points` — entry points of the binary tree. Each becomes an entry of the result.
    pub(crate) fn new(
        mut tree: Bvh2,
        leads_to_node: &dyn Fn(u32) -> bool,
        leaf_probabilities: &dyn Fn(&Bvh2Node) -> HitProbabilities,
        entry_points: &EntryPoints,
    ) -> Self {
        if tree.nodes.is_empty() {
            return Self::default();
        }
        decide_collapse(&mut tree.nodes, &COST_MODEL, half_area);
        let hit_probabilities = hit_probabilities(&tree, leaf_probabilities);
        let point_of: BTreeMap<u32, usize> = entry_points
            .points
            .iter()
            .enumerate()
            .map(|(point, &EntryPoint { node, .. })| (node, point))
            .collect();
        let mut entries = vec![Bvh4Entry::default(); entry_points.points.len()];
        let mut set_entry = |point: usize, slot: usize| {
            entries[point] = Bvh4Entry {
                slot: index(slot),
                hit_probabilities: hit_probabilities[entry_points.points[point].node as usize],
            };
        };
        let mut wide = Self::default();
        wide.push(&tree, 0);
        let mut opened = Vec::new();
        // Slots of nodes to be filled in, with their binary nodes and depths
        let mut stack = vec![(0, 0, 1)];
        while let Some((at, node, depth)) = stack.pop() {
            wide.depth = wide.depth.max(depth);
            point_of.get(&node).into_iter().for_each(|&point| set_entry(point, at));
            let mut between: Vec<(usize, Range<usize>)> = Vec::new();
            let children = Collapsed::<WIDTH>::of(&tree, node, &mut |node, below| {
                between.extend(point_of.get(&node).map(|&point| (point, below)));
            });
            let children = children.roots();
            let leaf = |i: usize| tree.node(children[i]).leaf_range();
            let is_last = |i: usize| leaf(i).is_some_and(|(first, _)| !leads_to_node(first));
            let hits_per_cost = |i: usize| hit_probabilities[children[i] as usize].hits_per_cost();
            let mut order: Vec<usize> = (0..children.len()).collect();
            order.sort_by(|&a, &b| {
                is_last(a).cmp(&is_last(b)).then(hits_per_cost(a).total_cmp(&hits_per_cost(b)))
            });
            let (first, inner) = (wide.slots.len(), order.iter().filter(|&&i| !is_last(i)).count());
            wide.slots[at].content = content(first, order.len(), inner);
            for (slot, &i) in (first..).zip(&order) {
                wide.push(&tree, children[i]);
                if leaf(i).is_none() {
                    stack.push((slot, children[i], depth + 1));
                } else if children[i] != node {
                    point_of.get(&children[i]).into_iter().for_each(|&point| set_entry(point, slot));
                }
            }
            opened.extend(between.into_iter().map(|(point, below)| {
                let is_below = |&slot: &usize| below.contains(&order[slot]);
                let inner = (0..inner).filter(is_below).count();
                let children = (0..order.len()).filter(is_below).map(|slot| first + slot).collect();
                OpenedNode { point, children, inner }
            }));
        }
        for opened in opened {
            set_entry(opened.point, wide.slots.len());
            wide.copy(&opened, entry_points.points[opened.point].bounds);
        }
        wide.entries = entries;
        wide
    }

    /// Appends the slot of a binary node: a leaf, or an inner node to be filled in.
    fn push(&mut self, tree: &Bvh2, node: u32) {
        let node = tree.node(node);
        let leaf = node.leaf_range().map(|(first, count)| Bvh4Content::Leaf { first, count });
        self.slots.push(Bvh4Slot { bounds: node.bounds, content: leaf.unwrap_or(content(0, 0, 0)) });
    }

    /// Appends a node over some of the children of another node. The children are duplicated, since those of a node
    /// must be neighbours.
    fn copy(&mut self, OpenedNode { children, inner, .. }: &OpenedNode, bounds: Aabb) {
        let content = content(self.slots.len() + 1, children.len(), *inner);
        self.slots.push(Bvh4Slot { bounds, content });
        for &child in children {
            self.slots.push(self.slots[child]);
        }
    }

    /// Returns the children of a node; empty for a leaf.
    pub fn children(&self, content: Bvh4Content) -> &[Bvh4Slot] {
        match content {
            Bvh4Content::Node { first, children, .. } => &self.slots[first as usize..][..children as usize],
            Bvh4Content::Leaf { .. } => &[],
        }
    }

    /// Returns the SAH cost, in tests of an item, of a ray that hits the root. The tree must have no entry points other
    /// than the root.
    pub fn cost(&self) -> f32 {
        let children_area = |slot: &Bvh4Slot| {
            self.children(slot.content)
                .iter()
                .fold(Aabb::EMPTY, |all, child| all.union(child.bounds))
                .half_area()
        };
        let root = self.slots.first().map_or(0.0, children_area);
        if root <= 0.0 {
            return 0.0;
        }
        let cost = |slot: &Bvh4Slot| match slot.content {
            Bvh4Content::Node { .. } => NODE_COST * children_area(slot),
            Bvh4Content::Leaf { count, .. } => slot.bounds.half_area() * count as f32,
        };
        self.slots[1..].iter().map(cost).sum::<f32>() / root
    }
}

fn content(first: usize, children: usize, inner: usize) -> Bvh4Content {
    Bvh4Content::Node { first: index(first), children: index(children), inner: index(inner) }
}

/// Returns half of the surface area of a binary node. Boxes of split wide nodes may be too large, so inner nodes take
/// the union of their children.
fn half_area(nodes: &[Bvh2Node], at: usize) -> f32 {
    let own = nodes[at].bounds;
    let whole = nodes[at]
        .children()
        .map(|[left, right]| nodes[left as usize].bounds.union(nodes[right as usize].bounds));
    whole.unwrap_or(own).half_area()
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;

    use super::super::{CollapseDecision, push_pair};
    use super::*;

    /// Tree over a row of four cubes with two items each.
    fn row() -> Bvh2 {
        let bounds =
            |low: u16, high: u16| Aabb { min: vec3(low.into(), 0.0, 0.0), max: vec3(high.into(), 1.0, 1.0) };
        let mut nodes = vec![Bvh2Node::inner(bounds(0, 7), 1, CollapseDecision::NONE)];
        push_pair(&mut nodes);
        for (side, low) in [(1, 0), (2, 4)] {
            let children = push_pair(&mut nodes);
            nodes[side] = Bvh2Node::inner(bounds(low, low + 3), index(children), CollapseDecision::NONE);
            nodes[children] = Bvh2Node::leaf(bounds(low, low + 1), low.into(), 2);
            nodes[children + 1] = Bvh2Node::leaf(bounds(low + 2, low + 3), u32::from(low) + 2, 2);
        }
        Bvh2 { nodes, prims: (0..8).collect(), parallel: false }
    }

    /// Returns the first items of all leaves in the order of slots.
    fn firsts(tree: &Bvh4) -> Vec<u32> {
        let first = |slot: &Bvh4Slot| match slot.content {
            Bvh4Content::Leaf { first, .. } => Some(first),
            Bvh4Content::Node { .. } => None,
        };
        tree.slots.iter().filter_map(first).collect()
    }

    #[test]
    fn children_are_in_ascending_order_of_hits_per_cost() {
        let hits = [0.3, 0.9, 0.1, 0.5];
        let hit_probabilities = |leaf: &Bvh2Node| HitProbabilities {
            hit: hits[leaf.leaf_range().unwrap().0 as usize / 2],
            cost: 1.0,
        };
        let tree = Bvh4::new(row(), &|_| false, &hit_probabilities, &EntryPoints::default());
        assert_eq!(firsts(&tree), [4, 0, 6, 2]);
    }

    #[test]
    fn leaves_that_lead_to_nodes_come_before_others() {
        let hit_probabilities =
            |leaf: &Bvh2Node| HitProbabilities { hit: 0.5, cost: 1.0 + leaf.leaf_range().unwrap().0 as f32 };
        let tree = Bvh4::new(row(), &|first| first != 4, &hit_probabilities, &EntryPoints::default());
        assert_eq!(firsts(&tree), [6, 2, 0, 4], "leaves with the most hits per cost come last");
        assert_eq!(tree.slots[0].content, content(1, 4, 3), "three of four children are nodes");
    }

    #[test]
    fn four_leaves_become_one_node_with_their_cost() {
        let tree = Bvh4::new(row(), &|_| false, &|_| HitProbabilities::default(), &EntryPoints::default());
        assert_eq!((tree.slots.len(), tree.depth), (1 + 4, 1));
        // Half of the area is 3 for a cube and 15 for the whole box of 7 by 1 by 1.
        assert_eq!(tree.cost(), 4.0 * 2.0 * 3.0 / 15.0);
    }
}
