//! Subtrees of a binary tree where rays pay least for them [Bittner13, insertion-based optimization], found by the search of [Meister18, §3.1].
//!
//! Builders cut from above, and never mend what an early cut has done: boxes that overlap, since what they hold lies together in another place. Here
//! the subtrees with the largest boxes are taken out, one after the other, and put back where the surface area heuristic likes them best. (The papers visit all
//! subtrees again and again; a few of them, twice, bring most of the gain.)

use sunfleck_math::Aabb;

use super::index;

/// How often.
const PASSES: usize = 2;
/// One subtree in so many is taken out.
const SHARE: usize = 10;
/// At least, if there are so many.
const FEWEST: usize = 128;

/// The first node.
pub(crate) const ROOT: u32 = 0;
/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// A tree that can be changed: nodes that know their parents.
pub(crate) struct Links {
    /// The root first: it stays there.
    pub(crate) nodes: Vec<Linked>,
    /// What the search has still to look at: what is gained above it, and a node.
    waiting: Vec<(f32, u32)>,
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
        Self { nodes, waiting: Vec::new() }
    }

    /// Puts subtrees where they cost least: the same leaves under better inner nodes.
    ///
    /// * `most` — so many, at least [`FEWEST`], each time.
    pub(crate) fn improve(&mut self, most: usize) {
        for _ in 0..PASSES {
            self.improve_once(most);
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

    /// Takes the subtrees with the largest boxes out, and puts each back where it is best.
    fn improve_once(&mut self, most: usize) {
        let mut largest: Vec<(f32, u32)> =
            (0..index(self.nodes.len())).map(|at| (self.area(at), at)).collect();
        let count = (largest.len() / SHARE).clamp(FEWEST, most).min(largest.len());
        let by_area = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        largest.select_nth_unstable_by(count - 1, by_area);
        largest.truncate(count);
        largest.sort_unstable_by(by_area);
        for (_, at) in largest {
            let parent = self.node(at).parent;
            // The root's children have nowhere to go
            if parent != NONE
                && parent != ROOT
                && let Some(target) = self.best_place(at)
            {
                self.put(at, target);
            }
        }
    }

    /// Where a subtree is best put: beside which node. `None` if it is best where it is.
    ///
    /// Without it and its parent the boxes above become smaller: that is gained, once for all places. What a place costs is the box around it and the
    /// subtree, and what the boxes above it grow by. Places are left out below which nothing can be cheaper, since the subtree's own box has to be paid everywhere.
    fn best_place(&mut self, at: u32) -> Option<u32> {
        let own = self.node(at).bounds;
        let own_area = half_area(&own);
        let parent = self.node(at).parent;
        let (mut best, mut most) = (None, 0.0);
        let mut gained = self.area(parent);
        let (mut pivot, mut side) = (parent, self.sibling(at));
        // What is left of the boxes above without the subtree
        let mut rest = self.node(side).bounds;
        loop {
            self.waiting.push((gained, side));
            while let Some((gained, place)) = self.waiting.pop() {
                if gained - own_area <= most {
                    continue;
                }
                let node = self.nodes[place as usize];
                let left = gained - half_area(&node.bounds.union(own));
                if left > most {
                    (best, most) = (Some(place), left);
                }
                let below = left + half_area(&node.bounds);
                if !node.is_leaf() && below - own_area > most {
                    self.waiting.extend(node.children.map(|child| (below, child)));
                }
            }
            if pivot == ROOT {
                return best;
            }
            if pivot != parent {
                rest = rest.union(self.node(side).bounds);
                gained += self.area(pivot) - half_area(&rest);
            }
            side = self.sibling(pivot);
            pivot = self.node(pivot).parent;
        }
    }

    /// Puts a subtree, neither the root nor a child of it, beside a node. Its parent becomes that of both.
    fn put(&mut self, at: u32, target: u32) {
        let parent = self.node(at).parent;
        let (sibling, above) = (self.sibling(at), self.node(parent).parent);
        self.replace(above, parent, sibling);
        self.refit(above);
        let above = self.node(target).parent;
        self.replace(above, target, parent);
        self.nodes[parent as usize].children = [target, at];
        self.nodes[target as usize].parent = parent;
        self.refit(parent);
    }

    /// Makes a node a child in the place of another one.
    fn replace(&mut self, above: u32, old: u32, new: u32) {
        self.nodes[new as usize].parent = above;
        let children = &mut self.nodes[above as usize].children;
        children[usize::from(children[1] == old)] = new;
    }

    /// The boxes of a node and of all above it.
    fn refit(&mut self, mut at: u32) {
        while at != NONE {
            self.unite(at);
            at = self.node(at).parent;
        }
    }

    fn unite(&mut self, at: u32) {
        let [left, right] = self.node(at).children;
        self.nodes[at as usize].bounds = self.node(left).bounds.union(self.node(right).bounds);
    }
}

/// At most the largest number, so that costs can be compared.
fn half_area(bounds: &Aabb) -> f32 {
    bounds.half_area().min(1e30)
}
