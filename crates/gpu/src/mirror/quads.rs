//! Trees as walks read them: binary nodes are united into nodes with up to four children, so that rays pay least by the surface area heuristic, and lie so that
//! one word leads to all children of a node.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use sunfleck_constants::tree::NODE_PRICE;
use sunfleck_kernel::{PairChild, PairStart, PairTree};
use sunfleck_shaders::layout::{Corners, Leaf, Node, Unit};

use super::odds::{Odds, odds};

/// A tree whose root is unit 0.
#[derive(Debug, Default)]
pub(super) struct Quads {
    pub(super) units: Vec<Unit>,
    /// Its nodes, each before those below it, those of a node side by side.
    pub(super) nodes: Vec<Quad>,
    /// The most nodes on the way to a leaf.
    pub(super) depth: u32,
    /// Where the tree may be entered.
    pub(super) starts: BTreeMap<PairStart, Start>,
    /// Nodes that are there once more, for places where the tree may be entered.
    copies: Vec<u32>,
}

/// Where a tree may be entered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Start {
    /// What references to it say.
    pub(super) at: u32,
    /// Of a ray that meets it.
    pub(super) odds: Odds,
}

/// What a leaf of a binary tree becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Below {
    /// A leaf.
    Leaf(Leaf),
    /// A node that leads elsewhere.
    Node([Unit; Node::UNITS]),
}

/// A node of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Quad {
    /// Where it is among the units.
    pub(super) at: u32,
    /// Which of its children are nodes, by number.
    pub(super) below: (usize, usize),
    /// Half of the area of its box.
    pub(super) area: f32,
    /// Of each of its leaves that times its items.
    pub(super) leaves: f32,
}

/// A binary node that is none any more.
struct Gone {
    binary: u32,
    /// The node that it was opened in, and which of its children are below.
    quad: usize,
    slots: Vec<usize>,
}

/// What is below a binary node where it becomes one with up to four children.
#[derive(Default)]
struct Opened {
    children: Vec<PairChild>,
    /// Binary nodes between, and which children are below each.
    between: Vec<(u32, Range<usize>)>,
}

impl Quads {
    /// The same leaves as those of a binary tree, which is not empty.
    ///
    /// * `leaf` — what becomes of a leaf, by its first item and their number. * `leaf_odds` — those of the same leaf, by half of the area of its box besides.
    /// * `starts` — where it shall be possible to enter the tree.
    pub(super) fn new(
        tree: &PairTree,
        leaf: impl Fn(u32, u32) -> Below,
        leaf_odds: impl Fn(u32, u32, f32) -> Odds,
        starts: impl IntoIterator<Item = PairStart>,
    ) -> Self {
        let wanted: BTreeSet<PairStart> = starts.into_iter().collect();
        let node_start = |binary| PairStart { first: binary, count: 0 };
        let costs = costs(tree);
        let odds = odds(tree, &leaf_odds);
        let odds_of = |child: &PairChild| match *child {
            PairChild { first, count: 0, .. } => odds[first as usize],
            PairChild { first, count, .. } => leaf_odds(first, count, half_area([corners(child)])),
        };
        let mut made = Self::default();
        let mut gone = Vec::new();
        // Nodes by number, what binary ones they are made of, and how deep they are
        let mut waiting = vec![(made.room(), 0, 1)];
        while let Some((quad, binary, depth)) = waiting.pop() {
            made.depth = made.depth.max(depth);
            let mut opened = Opened::default();
            open(tree, &costs, binary, Node::WIDTH, &mut opened);
            let Opened { children, between } = opened;
            let becomes: Vec<Option<Below>> = children
                .iter()
                .map(|&PairChild { first, count, .. }| (count > 0).then(|| leaf(first, count)))
                .collect();
            let is_leaf = |i: usize| matches!(becomes[i], Some(Below::Leaf(_)));
            // Walks that are content with any hit visit the last child first: leaves, and what brings a hit soonest
            let mut order: Vec<usize> = (0..children.len()).collect();
            let worth = |i: usize| odds_of(&children[i]).worth();
            order.sort_by(|&a, &b| is_leaf(a).cmp(&is_leaf(b)).then(worth(a).total_cmp(&worth(b))));
            let inner = order.iter().filter(|&&i| !is_leaf(i)).count();
            let (first, number) = (made.units.len(), made.nodes.len());
            for &i in &order[..inner] {
                match becomes[i] {
                    Some(Below::Node(node)) => made.units.extend(node),
                    _ => waiting.push((made.room(), children[i].first, depth + 1)),
                }
            }
            let below = (number, made.nodes.len());
            let own: Vec<Corners> = order.iter().map(|&i| [children[i].min, children[i].max]).collect();
            let at = made.nodes[quad].at;
            let mut of_leaves = 0.0;
            for (slot, &i) in order.iter().enumerate().skip(inner) {
                let PairChild { first, count, .. } = children[i];
                if wanted.contains(&PairStart { first, count }) {
                    let at = Node::LEAF_BIT | index(made.units.len());
                    let start = Start { at, odds: odds_of(&children[i]) };
                    made.starts.insert(PairStart { first, count }, start);
                }
                if let Some(Below::Leaf(leaf)) = becomes[i] {
                    made.units.extend(leaf.units());
                }
                of_leaves += half_area([own[slot]]) * count as f32;
            }
            made.put(at, &Node::new(&own, Node::reference(index(inner), index(first))));
            if wanted.contains(&node_start(binary)) {
                made.starts.insert(node_start(binary), Start { at, odds: odds[binary as usize] });
            }
            made.nodes[quad] = Quad { at, below, area: half_area(own), leaves: of_leaves };
            gone.extend(between.into_iter().filter(|&(binary, _)| wanted.contains(&node_start(binary))).map(
                |(binary, below)| {
                    let slots = (0..order.len()).filter(|&slot| below.contains(&order[slot])).collect();
                    Gone { binary, quad, slots }
                },
            ));
        }
        for gone in gone {
            let start = Start { at: made.copy(&gone), odds: odds[gone.binary as usize] };
            made.starts.insert(node_start(gone.binary), start);
        }
        made
    }

    /// A root without children.
    pub(super) fn nothing() -> Self {
        Self { units: Node::new(&[], 0).units().into(), ..Self::default() }
    }

    /// A root that leads elsewhere.
    pub(super) fn of_node(node: [Unit; Node::UNITS]) -> Self {
        Self { units: node.into(), ..Self::default() }
    }

    /// What is at a place of the tree.
    pub(super) fn below(&self, at: u32) -> Option<Below> {
        let units = &self.units[(at & !Node::LEAF_BIT) as usize..];
        let units: &[Unit; Node::UNITS] = units.first_chunk()?;
        Some(match at & Node::LEAF_BIT {
            0 => Below::Node(*units),
            _ => Below::Leaf(bytemuck::cast(*units)),
        })
    }

    /// Room for another node, which gets a number.
    fn room(&mut self) -> usize {
        self.nodes.push(Quad { at: index(self.units.len()), ..Quad::default() });
        self.units.extend([[0; 4]; Node::UNITS]);
        self.nodes.len() - 1
    }

    fn put(&mut self, at: u32, node: &Node) {
        self.units[at as usize..][..Node::UNITS].copy_from_slice(&node.units());
    }

    /// A node for some of the children of another one. They are there once more, since those of a node lie side by side.
    fn copy(&mut self, Gone { quad, slots, .. }: &Gone) -> u32 {
        let Quad { at, below, .. } = self.nodes[*quad];
        let inner = below.1 - below.0;
        let node = Node::from_units(&self.units[at as usize..]);
        let first = node.first_child();
        let place = self.units.len();
        let nodes = slots.iter().filter(|&&slot| slot < inner).count();
        let reference = Node::reference(index(nodes), index(place + Node::UNITS));
        self.units.extend(node.with_children(slots, reference).units());
        self.copies.push(index(place));
        for &slot in slots {
            let from = first as usize + Node::UNITS * slot;
            if slot < inner {
                self.copies.push(index(self.units.len()));
            }
            self.units.extend_from_within(from..from + Node::UNITS);
        }
        index(place)
    }

    /// References are changed so that unit 0 may come to be at `first`.
    pub(super) fn move_to(&mut self, first: u32) {
        for at in self.nodes.iter().map(|node| node.at).chain(self.copies.iter().copied()) {
            let reference = &mut self.units[at as usize][3];
            *reference = reference.wrapping_add(first);
        }
    }

    /// What a ray costs that meets the root: so many nodes and items.
    pub(super) fn cost(&self) -> f32 {
        let Some(root) = self.nodes.first().filter(|root| root.area > 0.0) else { return 0.0 };
        let nodes: f32 = self.nodes[1..].iter().map(|node| node.area).sum();
        let leaves: f32 = self.nodes.iter().map(|node| node.leaves).sum();
        (NODE_PRICE * nodes + leaves) / root.area
    }
}

/// For each binary node what rays pay for it, of a node of its own and where it is opened in one of which two to four children are left for it.
///
/// By half sizes of boxes; [Wald08, §3] in the way of [Ylitie17, §3.1], which finds the best of all.
fn costs(tree: &PairTree) -> Vec<[f32; 4]> {
    let mut costs = vec![[f32::INFINITY; 4]; tree.nodes.len()];
    // Children come after their parents
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        let [left, right] = &node.children;
        for room in 2..=Node::WIDTH {
            costs[i][room - 1] = (1..room)
                .map(|part| split_cost(&costs, left, right, part, room))
                .fold(f32::INFINITY, f32::min);
        }
        costs[i][0] = costs[i][3] + NODE_PRICE * half_area(node.children.iter().map(corners));
    }
    costs
}

fn split_cost(costs: &[[f32; 4]], left: &PairChild, right: &PairChild, part: usize, room: usize) -> f32 {
    cost(costs, left, part) + cost(costs, right, room - part)
}

/// What rays pay for a child that may become so many.
fn cost(costs: &[[f32; 4]], child: &PairChild, room: usize) -> f32 {
    match child {
        child if *child == PairChild::NONE => 0.0,
        PairChild { count: 0, first, .. } => {
            let of_child = &costs[*first as usize];
            of_child[0].min(of_child[room - 1])
        }
        PairChild { count, .. } => half_area([corners(child)]) * *count as f32,
    }
}

/// The children of the node that a binary node becomes, or in which it is opened.
fn open(tree: &PairTree, costs: &[[f32; 4]], binary: u32, room: usize, opened: &mut Opened) {
    let [left, right] = &tree.nodes[binary as usize].children;
    let cheapest = |a: &usize, b: &usize| {
        let [a, b] = [a, b].map(|&part| split_cost(costs, left, right, part, room));
        a.total_cmp(&b)
    };
    let part = (1..room).min_by(cheapest).unwrap_or(1);
    for (child, room) in [(left, part), (right, room - part)] {
        let is_opened = child.count == 0 && room > 1 && {
            let costs = &costs[child.first as usize];
            costs[room - 1] < costs[0]
        };
        if *child == PairChild::NONE {
            continue;
        }
        if is_opened {
            let before = opened.children.len();
            open(tree, costs, child.first, room, opened);
            opened.between.push((child.first, before..opened.children.len()));
        } else {
            opened.children.push(*child);
        }
    }
}

pub(super) fn corners(child: &PairChild) -> Corners {
    [child.min, child.max]
}

/// Of the box around some.
pub(super) fn half_area(boxes: impl IntoIterator<Item = Corners>) -> f32 {
    let nothing = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    let [low, high] = boxes.into_iter().fold(nothing, |[low, high], [own_low, own_high]| {
        [
            [0, 1, 2].map(|axis| own_low[axis].min(low[axis])),
            [0, 1, 2].map(|axis| own_high[axis].max(high[axis])),
        ]
    });
    let [x, y, z] = [0, 1, 2].map(|axis| high[axis] - low[axis]);
    (x * y + y * z + z * x).min(1e30)
}

fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use sunfleck_kernel::{Blas, BuildOptions, Crown, Quality};
    use sunfleck_math::{Vec3, vec3};

    use super::*;

    /// Triangles here and there.
    fn tree(triangles: u32) -> PairTree {
        let corner = |i: u32, k: u32| {
            let at = |axis: u32| sunfleck_math::sin((7 * i + 3 * k + 5 * axis) as f32 * 1.7);
            vec3(at(0), at(1), at(2)) * 10.0 + vec3(0.3, 0.0, 0.7) * k as f32
        };
        let positions: Vec<_> = (0..triangles).flat_map(|i| [0, 1, 2].map(|k| corner(i, k))).collect();
        let indices: Vec<_> = (0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let options = BuildOptions { quality: Quality::Best, ..BuildOptions::default() };
        Blas::build(&positions, &indices, &options).unwrap().paired().tree
    }

    /// A leaf that tells its items.
    fn leaf(first: u32, count: u32) -> Below {
        Below::Leaf(Leaf { a: [first, count, 0, 0], b: [0; 4], c: [0; 4], d: [0; 4] })
    }

    fn leaf_odds(_: u32, count: u32, _: f32) -> Odds {
        Odds { hit: 0.5, cost: count as f32 }
    }

    /// Leaves below a binary node, or the leaf itself, with their boxes.
    fn leaves_of(tree: &PairTree, start: PairStart, bounds: Corners) -> Vec<(PairStart, Corners)> {
        if start.count > 0 {
            return vec![(start, bounds)];
        }
        let children = tree.nodes[start.first as usize].children.iter();
        let below = children.filter(|child| **child != PairChild::NONE).flat_map(|child| {
            leaves_of(tree, PairStart { first: child.first, count: child.count }, corners(child))
        });
        let mut below: Vec<_> = below.collect();
        below.sort_by_key(|(start, _)| *start);
        below
    }

    /// Leaves below a place of the units, with the smallest boxes around them that a walk reads.
    fn found_from(units: &[Unit], what: u32, most: u32) -> Vec<(PairStart, Corners)> {
        let mut found = Vec::new();
        let mut waiting = vec![(what, [[f32::NEG_INFINITY; 3], [f32::INFINITY; 3]], 1)];
        while let Some((what, [low, high], depth)) = waiting.pop() {
            if what & Node::LEAF_BIT != 0 {
                let [first, count, ..] = units[(what & !Node::LEAF_BIT) as usize];
                found.push((PairStart { first, count }, [low, high]));
                continue;
            }
            assert!(depth <= most, "no node is below the depth");
            let Node { whole, first, second, third } = Node::from_units(&units[what as usize..]);
            let (inner, at) = (4 - (whole[3] >> Node::FIRST_BITS), whole[3] & ((1 << Node::FIRST_BITS) - 1));
            let boxes = [first, second, third].map(|child| [child[0], child[1], child[2]]);
            for (slot, words) in (0..).zip(boxes.into_iter().chain([[first[3], second[3], third[3]]])) {
                let read = |axis: usize| {
                    let [center, middle, half] =
                        [whole[axis], words[axis], words[axis] << 16].map(f32::from_bits);
                    [center + middle - half, center + middle + half]
                };
                let [x, y, z] = [read(0), read(1), read(2)];
                if x[0] > x[1] {
                    continue;
                }
                let own = [[x[0], y[0], z[0]], [x[1], y[1], z[1]]].map(Vec3::from_array);
                let low = own[0].max(Vec3::from_array(low)).to_array();
                let high = own[1].min(Vec3::from_array(high)).to_array();
                let what = match slot < inner {
                    true => at + 4 * slot,
                    false => Node::LEAF_BIT | (at + 4 * slot),
                };
                waiting.push((what, [low, high], depth + 1));
            }
        }
        found.sort_by_key(|(start, _)| *start);
        found
    }

    #[test]
    fn leaves_are_kept_in_boxes_around_them_wherever_the_tree_is_entered() {
        for triangles in [1, 2, 3, 9, 100, 3000] {
            let tree = tree(triangles);
            let crown = Crown::of(&tree);
            let mut quads = Quads::new(&tree, leaf, leaf_odds, crown.starts());
            quads.move_to(1000);
            let mut units = vec![[u32::MAX; 4]; 1000];
            units.extend(&quads.units);
            assert!(crown.starts().count() >= 1, "{triangles} triangles: the root is a start");
            for start in crown.starts() {
                let what = quads.starts[&start].at + 1000;
                let all = [[f32::NEG_INFINITY; 3], [f32::INFINITY; 3]];
                let expected = leaves_of(&tree, start, all);
                let found = found_from(&units, what, quads.depth);
                assert_eq!(found.len(), expected.len(), "{triangles} triangles from {start:?}");
                for ((what, [low, high]), (leaf, [inner_low, inner_high])) in found.iter().zip(&expected) {
                    assert_eq!(what, leaf, "{triangles} triangles: the same leaves");
                    if start.count == 0 {
                        let holds =
                            (0..3).all(|axis| low[axis] <= inner_low[axis] && high[axis] >= inner_high[axis]);
                        assert!(holds, "{low:?}, {high:?} are around {inner_low:?}, {inner_high:?}");
                    }
                }
            }
        }
    }

    /// Four cubes with two items each in a row.
    fn row() -> PairTree {
        let leaf_at = |i: u32| {
            let low = 2.0 * i as f32;
            PairChild { min: [low, 0.0, 0.0], first: i, max: [low + 1.0, 1.0, 1.0], count: 2 }
        };
        let inner = |first, min: f32, max: f32| PairChild {
            min: [min, 0.0, 0.0],
            first,
            max: [max, 1.0, 1.0],
            count: 0,
        };
        let node = |left, right| sunfleck_kernel::PairNode { children: [left, right] };
        let nodes = vec![
            node(inner(1, 0.0, 3.0), inner(2, 4.0, 7.0)),
            node(leaf_at(0), leaf_at(1)),
            node(leaf_at(2), leaf_at(3)),
        ];
        PairTree { nodes, depth: 2 }
    }

    #[test]
    fn what_brings_a_hit_soonest_is_last() {
        let hits = [0.3, 0.9, 0.1, 0.5];
        let odds = |first, _, _| Odds { hit: hits[first as usize], cost: 1.0 };
        let quads = Quads::new(&row(), leaf, odds, []);
        let leaves = quads.units[Node::UNITS..].chunks(Node::UNITS);
        assert_eq!(leaves.map(|leaf| leaf[0][0]).collect::<Vec<_>>(), [2, 0, 3, 1]);
    }

    #[test]
    fn nodes_that_lead_elsewhere_are_children() {
        let elsewhere = |i: u32| [[i; 4]; Node::UNITS];
        let below = |first, count| match first {
            2 => leaf(first, count),
            _ => Below::Node(elsewhere(first)),
        };
        let odds = |first, _, _| Odds { hit: 0.5, cost: 1.0 + first as f32 };
        let mut quads = Quads::new(&row(), below, odds, []);
        quads.move_to(100);
        let expected: Vec<Unit> = [3, 1, 0].into_iter().flat_map(elsewhere).collect();
        assert_eq!(quads.units[4..16], expected, "they stay as they are, those that pay soonest last");
        assert_eq!(quads.units[16][0], 2, "then leaves");
        assert_eq!(quads.units[0][3], Node::reference(3, 104), "of four children three are nodes");
    }

    #[test]
    fn four_leaves_are_one_node_and_cost_what_they_are() {
        let quads = Quads::new(&row(), leaf, leaf_odds, []);
        assert_eq!((quads.nodes.len(), quads.depth, quads.units.len()), (1, 1, 4 + 4 * 4));
        // In a box of 7 by 1 by 1
        assert_eq!(quads.cost(), 4.0 * 2.0 * 3.0 / 15.0);
    }
}
