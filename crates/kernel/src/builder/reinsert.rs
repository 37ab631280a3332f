//! Subtrees of a binary tree where rays pay least for them [Bittner13, insertion-based optimization], found by the search of [Meister18, §3.1].
//!
//! Builders cut from above, and never mend what an early cut has done: boxes that overlap, since what they hold lies together in another place. Here
//! the subtrees in the largest boxes are taken out, one after the other, and put back where the surface area heuristic likes them best. (The papers visit all
//! subtrees again and again; a few of them, twice, bring most of the gain.)

use rayon::prelude::*;
use sunfleck_math::Aabb;

use super::index;

/// How often.
const PASSES: usize = 2;
/// Subtrees that are taken out at least, if there are so many.
const FEWEST: usize = 128;
/// Whose places are searched at the same time.
const TOGETHER: usize = 512;

/// The first node.
pub(crate) const ROOT: u32 = 0;
/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// A tree that can be changed: nodes that know their parents.
pub(crate) struct Links {
    /// The root first: it stays there.
    pub(crate) nodes: Vec<Linked>,
}

/// A node that the search has looked at, and below which it has still to look.
struct Place {
    /// What is gained above its children, with the subtree somewhere below it.
    below: f32,
    node: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct Linked {
    pub(crate) bounds: Aabb,
    /// NONE of the root.
    pub(crate) parent: u32,
    /// NONE of a leaf.
    pub(crate) children: [u32; 2],
    /// The items of a leaf; none of an inner node.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl Linked {
    pub(crate) fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

impl Links {
    /// * `nodes` — the root first. Its box and those of its children may be anything but too small.
    pub(crate) fn new(nodes: Vec<Linked>) -> Self {
        Self { nodes }
    }

    /// Puts subtrees where they cost least: the same leaves under better inner nodes.
    ///
    /// * `share`, `most` — one in so many is taken out each time, at most so many, at least [`FEWEST`].
    /// * `parallel` — whether in the current rayon pool; the tree becomes the same.
    pub(crate) fn improve(&mut self, share: usize, most: usize, parallel: bool) {
        for _ in 0..PASSES {
            self.improve_once(share, most, parallel);
        }
    }

    /// The most inner nodes on the way to a leaf.
    pub(crate) fn depth(&self) -> usize {
        let (mut deepest, mut waiting) = (0, vec![(ROOT, 0)]);
        while let Some((at, above)) = waiting.pop() {
            deepest = deepest.max(above);
            if !self.node(at).is_leaf() {
                waiting.extend(self.node(at).children.map(|child| (child, above + 1)));
            }
        }
        deepest
    }

    pub(crate) fn node(&self, at: u32) -> &Linked {
        &self.nodes[at as usize]
    }

    fn area(&self, at: u32) -> f32 {
        half_area(&self.node(at).bounds)
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
    fn improve_once(&mut self, share: usize, most: usize, parallel: bool) {
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
        let own_area = half_area(&own);
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
                gained += self.area(pivot) - half_area(&rest);
            }
            side = self.sibling(pivot);
            pivot = self.node(pivot).parent;
        }
    }

    /// * `gained` — with a subtree, whose box is `own`, below the node's parent.
    fn looked_at(&self, node: u32, gained: f32, own: &Aabb, best: &mut (f32, Option<u32>)) -> Place {
        let bounds = &self.node(node).bounds;
        let beside = gained - half_area(&bounds.union(*own));
        if beside > best.0 {
            *best = (beside, Some(node));
        }
        Place { below: beside + half_area(bounds), node }
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
            let Linked { bounds, parent, children: [left, right], .. } = *self.node(at);
            let united = self.node(left).bounds.union(self.node(right).bounds);
            gained += half_area(&bounds) - half_area(&united);
            self.nodes[at as usize].bounds = united;
            at = parent;
        }
        gained
    }
}

/// At most the largest number, so that costs can be compared.
fn half_area(bounds: &Aabb) -> f32 {
    bounds.half_area().min(1e30)
}
