//! Subtrees of a binary tree where rays pay least for them [Bittner13, insertion-based optimization], found by the search of [Meister18, §3.1].
//!
//! Builders cut from above, and never mend what an early cut has done: boxes that overlap, since what they hold lies together in another place. Here
//! the subtrees with the largest boxes are taken out, one after the other, and put back where the surface area heuristic likes them best. (The papers visit all
//! subtrees again and again; a tenth of them, twice, brings nine tenths of the gain.)

use sunfleck_math::Aabb;

use super::pairs::{PairChild, PairNode, PairTree};

/// How often.
const PASSES: usize = 2;
/// One subtree in so many is taken out.
const SHARE: usize = 10;
/// At least, if there are so many, and at most.
const FEWEST: usize = 128;
const MOST: usize = 1 << 18;

const ROOT: u32 = 0;
/// No node.
const NONE: u32 = u32::MAX;

/// The same leaves under better inner nodes; the tree as it is if there are none, or if it would become much deeper.
pub(crate) fn reinsert(tree: PairTree) -> PairTree {
    let whole = |node: &PairNode| !node.children.contains(&PairChild::NONE);
    if tree.nodes.len() < 3 || !tree.nodes.iter().all(whole) {
        return tree;
    }
    let mut links = Links::of(&tree);
    for _ in 0..PASSES {
        links.improve();
    }
    let better = links.tree();
    if better.depth > 2 * tree.depth { tree } else { better }
}

/// A tree that can be changed: nodes that know their parents.
struct Links {
    /// The root first: it stays there.
    nodes: Vec<Linked>,
    /// What the search has still to look at: what is gained above it, and a node.
    waiting: Vec<(f32, u32)>,
}

#[derive(Clone, Copy)]
struct Linked {
    bounds: Aabb,
    parent: u32,
    /// NONE of a leaf.
    children: [u32; 2],
    /// The items of a leaf; none of an inner node.
    first: u32,
    count: u32,
}

impl Linked {
    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

impl Links {
    fn of(tree: &PairTree) -> Self {
        let mut links = Self { nodes: Vec::with_capacity(2 * tree.nodes.len() + 1), waiting: Vec::new() };
        // Of each node of the tree, where it is among the linked ones; parents come before their children
        let mut place = vec![0u32; tree.nodes.len()];
        links.push(Aabb::EMPTY, NONE, 0, 0);
        for i in 0..tree.nodes.len() {
            let parent = place[i];
            let children = tree.nodes[i].children.map(|child| {
                let bounds = Aabb { min: child.min.into(), max: child.max.into() };
                let at = links.push(bounds, parent, child.first, child.count);
                if child.count == 0 {
                    place[child.first as usize] = at;
                }
                at
            });
            links.nodes[parent as usize].children = children;
        }
        for at in (0..index(links.nodes.len())).rev() {
            if !links.node(at).is_leaf() {
                links.unite(at);
            }
        }
        links
    }

    fn push(&mut self, bounds: Aabb, parent: u32, first: u32, count: u32) -> u32 {
        let at = index(self.nodes.len());
        self.nodes.push(Linked { bounds, parent, children: [NONE; 2], first, count });
        at
    }

    fn node(&self, at: u32) -> &Linked {
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
    fn improve(&mut self) {
        let mut largest: Vec<(f32, u32)> =
            (0..index(self.nodes.len())).map(|at| (self.area(at), at)).collect();
        let count = (largest.len() / SHARE).clamp(FEWEST, MOST).min(largest.len());
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

    /// As it is walked: each node before what is below it, the left first.
    fn tree(&self) -> PairTree {
        let mut tree = PairTree { nodes: Vec::with_capacity(self.nodes.len() / 2), depth: 0 };
        // Inner nodes that are to be written, and how deep they are
        let mut waiting = vec![(ROOT, 1)];
        // Of linked nodes: where inner ones are written, once they are
        let mut place = vec![0; self.nodes.len()];
        while let Some((at, depth)) = waiting.pop() {
            place[at as usize] = index(tree.nodes.len());
            tree.depth = tree.depth.max(depth);
            let children = self.node(at).children;
            for child in children.into_iter().rev().filter(|&child| !self.node(child).is_leaf()) {
                waiting.push((child, depth + 1));
            }
            tree.nodes.push(PairNode {
                children: children.map(|child| {
                    let &Linked { bounds, first, count, .. } = self.node(child);
                    // An inner node is called by its number among the linked ones until all are written
                    let first = if count == 0 { child } else { first };
                    PairChild { min: bounds.min.to_array(), first, max: bounds.max.to_array(), count }
                }),
            });
        }
        for child in
            tree.nodes.iter_mut().flat_map(|node| &mut node.children).filter(|child| child.count == 0)
        {
            child.first = place[child.first as usize];
        }
        tree
    }
}

/// At most the largest number, so that costs can be compared.
fn half_area(bounds: &Aabb) -> f32 {
    bounds.half_area().min(1e30)
}

#[expect(clippy::cast_possible_truncation, reason = "builders limit the items to 2^28")]
fn index(i: usize) -> u32 {
    i as u32
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Vec3, vec3};

    use super::*;

    /// Leaves of one item each under a tree that halves them by number, whatever lies where.
    fn careless(boxes: &[Aabb]) -> PairTree {
        fn child(tree: &mut PairTree, boxes: &[Aabb], first: usize, depth: u32) -> PairChild {
            let whole = boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union);
            let (min, max) = (whole.min.to_array(), whole.max.to_array());
            if boxes.len() == 1 {
                return PairChild { min, first: index(first), max, count: 1 };
            }
            let at = tree.nodes.len();
            tree.nodes.push(PairNode { children: [PairChild::NONE; 2] });
            tree.depth = tree.depth.max(depth);
            let (left, right) = boxes.split_at(boxes.len() / 2);
            let children =
                [child(tree, left, first, depth + 1), child(tree, right, first + left.len(), depth + 1)];
            tree.nodes[at].children = children;
            PairChild { min, first: index(at), max, count: 0 }
        }
        let mut tree = PairTree::default();
        child(&mut tree, boxes, 0, 1);
        tree
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

    fn of(child: &PairChild) -> Aabb {
        Aabb { min: child.min.into(), max: child.max.into() }
    }

    /// What a ray pays, by the surface area heuristic.
    fn cost(tree: &PairTree) -> f32 {
        tree.nodes.iter().flat_map(|node| node.children).map(|child| half_area(&of(&child))).sum()
    }

    #[test]
    fn subtrees_come_to_lie_where_they_belong() {
        for count in [2, 3, 4, 50, 3000] {
            let mut boxes = boxes(count);
            let in_order = cost(&careless(&boxes));
            // Some come to lie far from their neighbours
            let half = boxes.len() / 2;
            (0..half).step_by(50).for_each(|i| boxes.swap(i, i + half));
            let before = careless(&boxes);
            let after = reinsert(before.clone());
            let (before_cost, after_cost) = (cost(&before), cost(&after));
            let mended = before_cost - after_cost;
            assert!(
                mended >= 0.5 * (before_cost - in_order).max(0.0),
                "{count}: {before_cost} → {after_cost}, in order {in_order}"
            );
            assert_eq!(after, reinsert(before.clone()), "the same each time");

            // Each leaf is there once, as it was, within all boxes above it; each node is walked once
            let mut found = vec![0; boxes.len()];
            let mut visited = 0;
            let mut waiting = vec![(0u32, Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY }, 1)];
            while let Some((at, around, depth)) = waiting.pop() {
                visited += 1;
                assert!(depth <= after.depth, "{depth} of {}", after.depth);
                for child in after.nodes[at as usize].children {
                    assert_eq!(of(&child).union(around), around, "{child:?} is in {around:?}");
                    match child.count {
                        0 => waiting.push((child.first, of(&child), depth + 1)),
                        _ => {
                            assert_eq!(of(&child), boxes[child.first as usize], "the box of {}", child.first);
                            found[child.first as usize] += 1;
                        }
                    }
                }
            }
            assert_eq!((visited, found), (before.nodes.len(), vec![1; boxes.len()]), "all is there");
        }
    }

    #[test]
    fn trees_without_inner_nodes_stay_as_they_are() {
        let leaf = PairChild { min: [0.0; 3], first: 0, max: [1.0; 3], count: 4 };
        let one = PairTree { nodes: vec![PairNode { children: [leaf, PairChild::NONE] }], depth: 1 };
        assert_eq!(reinsert(one.clone()), one);
        assert_eq!(reinsert(PairTree::default()), PairTree::default());
    }
}
