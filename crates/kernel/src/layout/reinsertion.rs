//! Reinsertion: subtrees of a binary tree where rays pay least for them [Bittner13, insertion-based optimization], found by the search of [Meister18, §3.1].
//!
//! Builders cut from above, and never correct what an early cut has done: boxes that overlap, since what they hold lies together in another place. Here
//! subtrees are taken out, one after the other, and put back where the surface area heuristic likes them best. Candidates are chosen by the area of their parent's box.
//! (The papers visit all subtrees again and again; a few of them, twice, bring most of the gain.)

use rayon::prelude::*;
use sunfleck_math::Aabb;

use super::bvh2::{Bvh2Node, push_pair};
use super::forest::Choice;
use super::index;

/// How often.
const PASSES: usize = 2;
/// Subtrees that are taken out at least, if there are so many.
const FEWEST: usize = 128;
/// Whose places are searched at the same time.
const TOGETHER: usize = 512;

/// The first node.
const ROOT: u32 = 0;
/// No node.
const NONE: u32 = u32::MAX;

/// Memory that [`Reinsertion::optimize`] needs meanwhile for each node, bytes.
pub(crate) const REINSERTING: usize = size_of::<LinkedNode>();

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reinsertion {
    /// In each pass one node in so many is a candidate, at least [`FEWEST`] …
    pub(crate) share: usize,
    /// … and at most so many.
    pub(crate) most: usize,
}

impl Reinsertion {
    /// The same leaves under better inner nodes, for which layouts have to be chosen anew; the nodes as they are if the tree would become too deep.
    ///
    /// * `nodes` — of a [`Bvh2`](super::Bvh2). * `deepest` — most inner nodes on the way to a leaf. * `parallel` — whether in the current rayon pool; the tree becomes the same.
    pub(crate) fn optimize(self, nodes: Vec<Bvh2Node>, deepest: usize, parallel: bool) -> Vec<Bvh2Node> {
        // Nobody has anywhere to go
        if nodes.len() < 5 {
            return nodes;
        }
        let mut tree = LinkedTree::new(&nodes);
        for _ in 0..PASSES {
            tree.improve(self, parallel);
        }
        if tree.depth() > deepest {
            return nodes;
        }
        // Three copies would take more memory than the builder
        drop(nodes);
        tree.into_nodes()
    }
}

/// A binary tree that can be changed: its nodes know their parents.
struct LinkedTree {
    /// The root first: it stays there.
    nodes: Vec<LinkedNode>,
}

#[derive(Clone, Copy)]
struct LinkedNode {
    bounds: Aabb,
    /// NONE of the root.
    parent: u32,
    /// NONE of a leaf.
    children: [u32; 2],
    /// The items of a leaf; none of an inner node.
    first: u32,
    count: u32,
}

impl LinkedNode {
    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

/// A node that the search has looked at, and below which it has still to look.
struct Place {
    /// What is gained above its children, with the subtree somewhere below it.
    below: f32,
    node: u32,
}

impl LinkedTree {
    fn new(nodes: &[Bvh2Node]) -> Self {
        let link = |node: &Bvh2Node| {
            let (first, count) = node.leaf_range().unwrap_or_default();
            let children = node.children().unwrap_or([NONE; 2]);
            LinkedNode { bounds: node.bounds, parent: NONE, children, first, count }
        };
        let mut linked: Vec<LinkedNode> = nodes.iter().map(link).collect();
        for (at, node) in nodes.iter().enumerate() {
            for child in node.children().into_iter().flatten() {
                linked[child as usize].parent = index(at);
            }
        }
        Self { nodes: linked }
    }

    /// As builders make them, parents before their children.
    fn into_nodes(self) -> Vec<Bvh2Node> {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        nodes.push(Bvh2Node::VACANT);
        // Linked nodes, and where they are to be written
        let mut waiting = vec![(ROOT, 0)];
        while let Some((link, at)) = waiting.pop() {
            let &LinkedNode { bounds, children: [left, right], first, count, .. } = self.node(link);
            if left == NONE {
                nodes[at] = Bvh2Node::leaf(bounds, first, count);
                continue;
            }
            let children = push_pair(&mut nodes);
            nodes[at] = Bvh2Node::inner(bounds, index(children), Choice::NONE);
            waiting.extend([(right, children + 1), (left, children)]);
        }
        nodes
    }

    /// As [`Bvh2::depth`](super::Bvh2::depth).
    fn depth(&self) -> usize {
        let (mut deepest, mut waiting) = (0, vec![(ROOT, 0)]);
        while let Some((at, above)) = waiting.pop() {
            deepest = deepest.max(above);
            if !self.node(at).is_leaf() {
                waiting.extend(self.node(at).children.map(|child| (child, above + 1)));
            }
        }
        deepest
    }

    fn node(&self, at: u32) -> &LinkedNode {
        &self.nodes[at as usize]
    }

    fn area(&self, at: u32) -> f32 {
        self.node(at).bounds.half_area()
    }

    fn sibling(&self, at: u32) -> u32 {
        let [left, right] = self.node(self.node(at).parent).children;
        if left == at { right } else { left }
    }

    /// Takes the children of the nodes with the largest boxes out, and puts each back where it is best. It is those boxes that become smaller, or are no more needed: how
    /// large the subtree itself is does not matter, since its own box has to be paid everywhere.
    ///
    /// Places of many are searched at the same time, in the tree as it is before any of them moves; then they move in their order, those for which
    /// it still pays.
    fn improve(&mut self, Reinsertion { share, most }: Reinsertion, parallel: bool) {
        let around = |at: u32| match self.node(at).parent {
            NONE => 0.0,
            parent => self.area(parent),
        };
        let mut largest: Vec<(f32, u32)> = (0..index(self.nodes.len())).map(|at| (around(at), at)).collect();
        let count = (largest.len() / share).clamp(FEWEST, most).min(largest.len());
        let by_area = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        largest.select_nth_unstable_by(count - 1, by_area);
        largest.truncate(count);
        largest.sort_unstable_by(by_area);
        for together in largest.chunks(TOGETHER) {
            let place = |waiting: &mut _, &(_, at): &(f32, u32)| Some((at, self.best_place(at, waiting)?));
            let moves: Vec<Option<(u32, u32)>> = if parallel {
                together.par_iter().map_init(Vec::new, place).collect()
            } else {
                let mut waiting = Vec::new();
                together.iter().map(|subtree| place(&mut waiting, subtree)).collect()
            };
            for (at, target) in moves.into_iter().flatten() {
                self.put_if_it_pays(at, target);
            }
        }
    }

    /// Where a subtree is best put: beside which node. `None` if it is best where it is.
    ///
    /// Without it and its parent the boxes above become smaller: that is gained, once for all places. What a place costs is the box around it and the
    /// subtree, and what the boxes above it grow by. Places are left out below which nothing can be cheaper, since the subtree's own box has to be paid everywhere.
    fn best_place(&self, at: u32, waiting: &mut Vec<Place>) -> Option<u32> {
        if self.stays(at) {
            return None;
        }
        let own = self.node(at).bounds;
        let own_area = own.half_area();
        let parent = self.node(at).parent;
        // How much is gained there, and beside which node
        let mut best = (0.0, None);
        let mut gained = self.area(parent);
        let (mut pivot, mut side) = (parent, self.sibling(at));
        // What is left of the boxes above without the subtree
        let mut rest = self.node(side).bounds;
        loop {
            waiting.push(self.looked_at(side, gained, &own, &mut best));
            while let Some(place) = waiting.pop() {
                let node = self.node(place.node);
                if node.is_leaf() || place.below - own_area <= best.0 {
                    continue;
                }
                let [left, right] =
                    node.children.map(|child| self.looked_at(child, place.below, &own, &mut best));
                // What promises more is popped first, so that more can be left out
                waiting.extend(if left.below < right.below { [left, right] } else { [right, left] });
            }
            if pivot == ROOT {
                return best.1;
            }
            if pivot != parent {
                rest = rest.union(self.node(side).bounds);
                gained += self.area(pivot) - rest.half_area();
            }
            side = self.sibling(pivot);
            pivot = self.node(pivot).parent;
        }
    }

    /// * `gained` — with a subtree, whose box is `own`, below the node's parent.
    fn looked_at(&self, node: u32, gained: f32, own: &Aabb, best: &mut (f32, Option<u32>)) -> Place {
        let bounds = &self.node(node).bounds;
        let beside = gained - bounds.union(*own).half_area();
        if beside > best.0 {
            *best = (beside, Some(node));
        }
        Place { below: beside + bounds.half_area(), node }
    }

    /// The root, and its children, which have nowhere to go.
    fn stays(&self, at: u32) -> bool {
        at == ROOT || self.node(at).parent == ROOT
    }

    /// Puts a subtree beside a node, unless what has moved since that was searched makes it impossible, or dearer.
    fn put_if_it_pays(&mut self, at: u32, target: u32) {
        let above = |&node: &u32| (node != ROOT).then(|| self.node(node).parent);
        if self.stays(at)
            || target == self.node(at).parent
            || std::iter::successors(Some(target), above).any(|node| node == at)
        {
            return;
        }
        let sibling = self.sibling(at);
        if self.put(at, target) < 0.0 {
            self.put(at, sibling);
        }
    }

    /// Puts a subtree, neither the root nor a child of it, beside a node that is not in it. Its parent becomes that of both.
    ///
    /// What the boxes become smaller by.
    fn put(&mut self, at: u32, target: u32) -> f32 {
        let parent = self.node(at).parent;
        let (sibling, above) = (self.sibling(at), self.node(parent).parent);
        self.replace(above, parent, sibling);
        let gained = self.refit(above);
        let above = self.node(target).parent;
        self.replace(above, target, parent);
        self.nodes[parent as usize].children = [target, at];
        self.nodes[target as usize].parent = parent;
        gained + self.refit(parent)
    }

    /// Makes a node a child in the place of another one.
    fn replace(&mut self, above: u32, old: u32, new: u32) {
        self.nodes[new as usize].parent = above;
        let children = &mut self.nodes[above as usize].children;
        children[usize::from(children[1] == old)] = new;
    }

    /// The boxes of a node and of all above it; what they become smaller by.
    fn refit(&mut self, mut at: u32) -> f32 {
        let mut gained = 0.0;
        while at != NONE {
            let LinkedNode { bounds, parent, children: [left, right], .. } = *self.node(at);
            let united = self.node(left).bounds.union(self.node(right).bounds);
            gained += bounds.half_area() - united.half_area();
            self.nodes[at as usize].bounds = united;
            at = parent;
        }
        gained
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Vec3, vec3};

    use super::super::Bvh2;
    use super::*;

    const SOME: Reinsertion = Reinsertion { share: 3, most: 1 << 20 };

    /// Leaves of one item each under a tree that halves them by number, whatever lies where.
    fn careless(boxes: &[Aabb]) -> Bvh2 {
        fn fill(nodes: &mut Vec<Bvh2Node>, at: usize, boxes: &[Aabb], first: usize) {
            let whole = boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union);
            if boxes.len() == 1 {
                nodes[at] = Bvh2Node::leaf(whole, index(first), 1);
                return;
            }
            let children = push_pair(nodes);
            nodes[at] = Bvh2Node::inner(whole, index(children), Choice::NONE);
            let (left, right) = boxes.split_at(boxes.len() / 2);
            fill(nodes, children, left, first);
            fill(nodes, children + 1, right, first + left.len());
        }
        let mut nodes = vec![Bvh2Node::VACANT];
        fill(&mut nodes, 0, boxes, 0);
        Bvh2 { nodes, ..Bvh2::default() }
    }

    fn boxes(count: u32) -> Vec<Aabb> {
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        let mut made = || {
            let min = vec3(next(), next(), next());
            Aabb { min, max: min + vec3(next(), next(), next()) * 0.05 }
        };
        // In order along an axis
        let mut boxes: Vec<Aabb> = (0..count).map(|_| made()).collect();
        boxes.sort_by(|a, b| a.min.x.total_cmp(&b.min.x));
        boxes
    }

    /// What a ray pays, by the surface area heuristic.
    fn cost(tree: &Bvh2) -> f32 {
        tree.nodes.iter().map(|node| node.bounds.half_area()).sum()
    }

    fn optimized(tree: &Bvh2, deepest: usize) -> Bvh2 {
        Bvh2 { nodes: SOME.optimize(tree.nodes.clone(), deepest, true), ..Bvh2::default() }
    }

    #[test]
    fn subtrees_come_to_lie_where_they_belong() {
        for count in [1, 2, 3, 4, 50, 3000] {
            let mut boxes = boxes(count);
            let in_order = cost(&careless(&boxes));
            // Some come to lie far from their neighbours
            let half = boxes.len() / 2;
            (0..half).step_by(50).for_each(|i| boxes.swap(i, i + half));
            let before = careless(&boxes);
            let after = optimized(&before, usize::MAX);
            let (before_cost, after_cost) = (cost(&before), cost(&after));
            assert!(
                before_cost - after_cost >= 0.5 * (before_cost - in_order).max(0.0),
                "{count}: {before_cost} → {after_cost}, in order {in_order}"
            );
            assert_eq!(after, optimized(&before, after.depth()), "the same each time");

            // Each leaf is there once, as it was, within all boxes above it; each node is walked once
            let mut found = vec![0; boxes.len()];
            let mut visited = 0;
            let mut waiting = vec![(0, Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY })];
            while let Some((at, around)) = waiting.pop() {
                visited += 1;
                let node = after.node(at);
                assert_eq!(node.bounds.union(around), around, "{node:?} is in {around:?}");
                waiting.extend(node.children().into_iter().flatten().map(|child| (child, node.bounds)));
                if let Some((first, count)) = node.leaf_range() {
                    assert_eq!((node.bounds, count), (boxes[first as usize], 1), "leaf {first}");
                    found[first as usize] += 1;
                }
            }
            assert_eq!((visited, found), (before.nodes.len(), vec![1; boxes.len()]), "all is there");
        }
    }

    #[test]
    fn trees_do_not_become_too_deep() {
        let before = careless(&boxes(3000));
        let deepest = optimized(&before, usize::MAX).depth();
        assert_eq!(optimized(&before, deepest - 1), before);
    }
}
