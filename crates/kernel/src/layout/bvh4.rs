//! The layout of GPUs: nodes with up to four children, which lie side by side, so that one word leads to all of them.
//!
//! Which binary nodes become wide ones is the choice of the same dynamic programme that lays out eight-wide trees, at the GPU's prices. Any hits look at the
//! last child first: leaves, and what brings a hit soonest.

use std::collections::BTreeMap;
use std::ops::Range;

use sunfleck_constants::tree::NODE_PRICE;
use sunfleck_math::Aabb;

use super::bvh2::{Bvh2, Bvh2Node};
use super::collapse::Collapsed;
use super::crown::{EntryPoints, Place};
use super::forest::{Prices, choose};
use super::index;
use super::odds::{HitProbabilities, odds};

/// Children per node.
const WIDTH: usize = sunfleck_constants::tree::WIDTH as usize;

/// Leaves are those of the binary tree.
const PRICES: Prices<WIDTH> = Prices { node: NODE_PRICE, block_log2: 0, max_leaf: 0 };

/// A tree of up to four children per node as one plain array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bvh4 {
    /// The root, which is a node, first; empty if there is nothing to hit. Children come after their parents.
    pub slots: Vec<Bvh4Slot>,
    /// The most nodes on the way to a leaf.
    pub depth: u32,
    /// Where the tree may be entered: the places of its crown.
    pub entries: Vec<Bvh4Entry>,
}

/// A node or a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bvh4Slot {
    /// Around what is below.
    pub bounds: Aabb,
    /// What is there.
    pub content: Bvh4Content,
}

/// What is in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bvh4Content {
    /// A node.
    Node {
        /// The slot of the first child; the others follow it.
        first: u32,
        /// How many children there are.
        children: u32,
        /// How many of them are nodes, or leaves that lead on to nodes: those come first.
        inner: u32,
    },
    /// A leaf.
    Leaf {
        /// Its first item.
        first: u32,
        /// How many there are.
        count: u32,
    },
}

/// Where a tree may be entered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bvh4Entry {
    /// What is there.
    pub slot: u32,
    /// Of a ray that meets its box.
    pub odds: HitProbabilities,
}

/// A place of the crown whose binary node was opened in a wide one.
struct Opened {
    place: usize,
    /// Those of the wide node's children that are below it, and how many of them are nodes.
    children: Vec<usize>,
    inner: usize,
}

impl Bvh4 {
    /// The same leaves as those of a binary tree.
    ///
    /// * `leads_on` — whether a leaf, by its first item, is a node elsewhere. * `leaf_odds` — those of a leaf. * `crown` — of the tree: where it shall be possible to
    ///   enter it.
    pub(crate) fn new(
        mut tree: Bvh2,
        leads_on: &dyn Fn(u32) -> bool,
        leaf_odds: &dyn Fn(&Bvh2Node) -> HitProbabilities,
        crown: &EntryPoints,
    ) -> Self {
        if tree.nodes.is_empty() {
            return Self::default();
        }
        choose(&mut tree.nodes, &PRICES, half_area);
        let odds = odds(&tree, leaf_odds);
        let place_of: BTreeMap<u32, usize> =
            crown.places.iter().enumerate().map(|(place, &Place { node, .. })| (node, place)).collect();
        let mut entries = vec![Bvh4Entry::default(); crown.places.len()];
        let mut enter = |place: usize, slot: usize| {
            entries[place] = Bvh4Entry { slot: index(slot), odds: odds[crown.places[place].node as usize] };
        };
        let mut wide = Self::default();
        wide.push(&tree, 0);
        let mut opened = Vec::new();
        // Slots of nodes, what binary ones they are, and how deep they are
        let mut waiting = vec![(0, 0, 1)];
        while let Some((at, node, depth)) = waiting.pop() {
            wide.depth = wide.depth.max(depth);
            place_of.get(&node).into_iter().for_each(|&place| enter(place, at));
            let mut between: Vec<(usize, Range<usize>)> = Vec::new();
            let children = Collapsed::<WIDTH>::of(&tree, node, &mut |node, below| {
                between.extend(place_of.get(&node).map(|&place| (place, below)));
            });
            let children = children.roots();
            let leaf = |i: usize| tree.node(children[i]).leaf_range();
            let is_last = |i: usize| leaf(i).is_some_and(|(first, _)| !leads_on(first));
            let worth = |i: usize| odds[children[i] as usize].worth();
            let mut order: Vec<usize> = (0..children.len()).collect();
            order.sort_by(|&a, &b| is_last(a).cmp(&is_last(b)).then(worth(a).total_cmp(&worth(b))));
            let (first, inner) = (wide.slots.len(), order.iter().filter(|&&i| !is_last(i)).count());
            wide.slots[at].content = content(first, order.len(), inner);
            for (slot, &i) in (first..).zip(&order) {
                wide.push(&tree, children[i]);
                if leaf(i).is_none() {
                    waiting.push((slot, children[i], depth + 1));
                } else if children[i] != node {
                    place_of.get(&children[i]).into_iter().for_each(|&place| enter(place, slot));
                }
            }
            opened.extend(between.into_iter().map(|(place, below)| {
                let is_below = |&slot: &usize| below.contains(&order[slot]);
                let inner = (0..inner).filter(is_below).count();
                let children = (0..order.len()).filter(is_below).map(|slot| first + slot).collect();
                Opened { place, children, inner }
            }));
        }
        for opened in opened {
            enter(opened.place, wide.slots.len());
            wide.copy(&opened, crown.places[opened.place].bounds);
        }
        wide.entries = entries;
        wide
    }

    /// A slot for a binary node: a leaf, or a node to be filled in.
    fn push(&mut self, tree: &Bvh2, node: u32) {
        let node = tree.node(node);
        let leaf = node.leaf_range().map(|(first, count)| Bvh4Content::Leaf { first, count });
        self.slots.push(Bvh4Slot { bounds: node.bounds, content: leaf.unwrap_or(content(0, 0, 0)) });
    }

    /// A node for some of the children of another one. They are there once more, since those of a node lie side by side.
    fn copy(&mut self, Opened { children, inner, .. }: &Opened, bounds: Aabb) {
        let content = content(self.slots.len() + 1, children.len(), *inner);
        self.slots.push(Bvh4Slot { bounds, content });
        for &child in children {
            self.slots.push(self.slots[child]);
        }
    }

    /// The children of a node; none of a leaf.
    pub fn children(&self, content: Bvh4Content) -> &[Bvh4Slot] {
        match content {
            Bvh4Content::Node { first, children, .. } => &self.slots[first as usize..][..children as usize],
            Bvh4Content::Leaf { .. } => &[],
        }
    }

    /// What a ray costs that meets the root of a tree that is entered there only, by the surface area heuristic: so many items.
    pub fn cost(&self) -> f32 {
        let around = |slot: &Bvh4Slot| {
            self.children(slot.content)
                .iter()
                .fold(Aabb::EMPTY, |all, child| all.union(child.bounds))
                .half_area()
        };
        let root = self.slots.first().map_or(0.0, around);
        if root <= 0.0 {
            return 0.0;
        }
        let cost = |slot: &Bvh4Slot| match slot.content {
            Bvh4Content::Node { .. } => NODE_PRICE * around(slot),
            Bvh4Content::Leaf { count, .. } => slot.bounds.half_area() * count as f32,
        };
        self.slots[1..].iter().map(cost).sum::<f32>() / root
    }
}

fn content(first: usize, children: usize, inner: usize) -> Bvh4Content {
    Bvh4Content::Node { first: index(first), children: index(children), inner: index(inner) }
}

/// Of a binary node: boxes of those that were cut from wide ones may be larger than need be.
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

    use super::super::{Choice, push_pair};
    use super::*;

    /// Four cubes with two items each in a row.
    fn row() -> Bvh2 {
        let bounds =
            |low: u16, high: u16| Aabb { min: vec3(low.into(), 0.0, 0.0), max: vec3(high.into(), 1.0, 1.0) };
        let mut nodes = vec![Bvh2Node::inner(bounds(0, 7), 1, Choice::NONE)];
        push_pair(&mut nodes);
        for (side, low) in [(1, 0), (2, 4)] {
            let children = push_pair(&mut nodes);
            nodes[side] = Bvh2Node::inner(bounds(low, low + 3), index(children), Choice::NONE);
            nodes[children] = Bvh2Node::leaf(bounds(low, low + 1), low.into(), 2);
            nodes[children + 1] = Bvh2Node::leaf(bounds(low + 2, low + 3), u32::from(low) + 2, 2);
        }
        Bvh2 { nodes, prims: (0..8).collect(), parallel: false }
    }

    /// The first items of leaves in the order of slots.
    fn firsts(tree: &Bvh4) -> Vec<u32> {
        let first = |slot: &Bvh4Slot| match slot.content {
            Bvh4Content::Leaf { first, .. } => Some(first),
            Bvh4Content::Node { .. } => None,
        };
        tree.slots.iter().filter_map(first).collect()
    }

    #[test]
    fn what_brings_a_hit_soonest_is_last() {
        let hits = [0.3, 0.9, 0.1, 0.5];
        let odds = |leaf: &Bvh2Node| HitProbabilities {
            hit: hits[leaf.leaf_range().unwrap().0 as usize / 2],
            cost: 1.0,
        };
        let tree = Bvh4::new(row(), &|_| false, &odds, &EntryPoints::default());
        assert_eq!(firsts(&tree), [4, 0, 6, 2]);
    }

    #[test]
    fn leaves_that_lead_on_come_before_others() {
        let odds =
            |leaf: &Bvh2Node| HitProbabilities { hit: 0.5, cost: 1.0 + leaf.leaf_range().unwrap().0 as f32 };
        let tree = Bvh4::new(row(), &|first| first != 4, &odds, &EntryPoints::default());
        assert_eq!(firsts(&tree), [6, 2, 0, 4], "those that pay soonest last");
        assert_eq!(tree.slots[0].content, content(1, 4, 3), "of four children three are nodes");
    }

    #[test]
    fn four_leaves_are_one_node_and_cost_what_they_are() {
        let tree = Bvh4::new(row(), &|_| false, &|_| HitProbabilities::default(), &EntryPoints::default());
        assert_eq!((tree.slots.len(), tree.depth), (1 + 4, 1));
        // In a box of 7 by 1 by 1
        assert_eq!(tree.cost(), 4.0 * 2.0 * 3.0 / 15.0);
    }
}
