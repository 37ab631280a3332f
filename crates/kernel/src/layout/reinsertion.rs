//! Reinsertion: moves subtrees of a binary tree to where they lower the SAH cost
//! [Bittner13, insertion-based optimization], by the search of [Meister18, §3.1].
//!
//! Top-down builders never revise an early split, after which boxes may overlap because nearby geometry is in different
//! subtrees. Reinsertion removes one subtree after the other and inserts it at the position with the lowest SAH cost.
//! Candidates are the subtrees with the largest parent area. (The papers visit all subtrees in many passes; two passes
//! over a few of them bring most of the gain.)

use rayon::prelude::*;
use sunfleck_math::Aabb;

use super::bvh2::{Bvh2Node, push_pair};
use super::collapse_costs::CollapseDecision;
use super::index;

/// Number of passes over the tree.
const PASSES: usize = 2;
/// Minimum number of candidates per pass, if the tree has that many nodes.
const MIN_CANDIDATES: usize = 128;
/// Number of candidates whose targets are searched in parallel, before any of them is moved.
const CANDIDATES_PER_BATCH: usize = 512;

/// Index of the root.
const ROOT: u32 = 0;
/// Index that stands for no node.
const NONE: u32 = u32::MAX;

/// Temporary memory that [`Reinsertion::optimize`] needs per node, in bytes.
pub(crate) const REINSERTION_BYTES: usize = size_of::<LinkedNode>();

/// Parameters of the reinsertion optimiser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reinsertion {
    /// In each pass, one in this many nodes is a candidate, but at least [`MIN_CANDIDATES`] …
    pub(crate) nodes_per_candidate: usize,
    /// … and at most this many.
    pub(crate) max_candidates: usize,
}

impl Reinsertion {
    /// Returns an optimised tree with the same leaves, whose collapse decisions have to be computed anew.
    ///
    /// If the tree would become too deep, `nodes` are returned unchanged.
    ///
    /// * `nodes` — nodes of a [`Bvh2`](super::Bvh2).
    /// * `max_depth` — maximum number of inner nodes on the path to a leaf.
    /// * `parallel` — whether to use the current rayon pool; the result is the same.
    pub(crate) fn optimize(self, nodes: Vec<Bvh2Node>, max_depth: usize, parallel: bool) -> Vec<Bvh2Node> {
        // In so small a tree there is no other position for any subtree.
        if nodes.len() < 5 {
            return nodes;
        }
        let mut tree = LinkedTree::new(&nodes);
        for _ in 0..PASSES {
            tree.reinsert_candidates(self, parallel);
        }
        if tree.depth() > max_depth {
            return nodes;
        }
        // Freed early: three copies of the tree would exceed the peak memory of the builder.
        drop(nodes);
        tree.into_nodes()
    }
}

/// Binary tree whose nodes link to their parents, so that subtrees can be moved.
struct LinkedTree {
    /// Nodes; the root is always the first.
    nodes: Vec<LinkedNode>,
}

#[derive(Clone, Copy)]
struct LinkedNode {
    bounds: Aabb,
    /// Index of the parent; [`NONE`] for the root.
    parent: u32,
    /// Indices of the children; [`NONE`] for a leaf.
    children: [u32; 2],
    /// First primitive of a leaf; 0 for an inner node.
    first: u32,
    /// Number of primitives of a leaf; 0 for an inner node.
    count: u32,
}

impl LinkedNode {
    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

/// Entry of the search stack: a node whose descendants are still to be evaluated as targets.
struct SearchEntry {
    /// Reduction of cost if the subtree is inserted below the node, apart from the box of its new parent: an upper
    /// bound before the subtree's own area is subtracted.
    gain: f32,
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

    /// Converts the tree back to the form of the builders, with parents before their children.
    fn into_nodes(self) -> Vec<Bvh2Node> {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        nodes.push(Bvh2Node::VACANT);
        // Linked nodes and the indices at which they are written
        let mut stack = vec![(ROOT, 0)];
        while let Some((link, at)) = stack.pop() {
            let &LinkedNode { bounds, children: [left, right], first, count, .. } = self.node(link);
            if left == NONE {
                nodes[at] = Bvh2Node::leaf(bounds, first, count);
                continue;
            }
            let children = push_pair(&mut nodes);
            nodes[at] = Bvh2Node::inner(bounds, index(children), CollapseDecision::NONE);
            stack.extend([(right, children + 1), (left, children)]);
        }
        nodes
    }

    /// As [`Bvh2::depth`](super::Bvh2::depth).
    fn depth(&self) -> usize {
        let (mut max_depth, mut stack) = (0, vec![(ROOT, 0)]);
        while let Some((at, above)) = stack.pop() {
            max_depth = max_depth.max(above);
            if !self.node(at).is_leaf() {
                stack.extend(self.node(at).children.map(|child| (child, above + 1)));
            }
        }
        max_depth
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

    /// Runs one pass: reinserts the candidates with the largest parent area first.
    ///
    /// The box of the parent is what a reinsertion removes or shrinks; the size of the candidate itself does not
    /// matter, since its own box costs the same everywhere. The targets of a batch are searched in the tree as it is
    /// before any candidate of the batch moves. Then the candidates move one after the other, if that still lowers the
    /// cost.
    fn reinsert_candidates(
        &mut self,
        Reinsertion { nodes_per_candidate, max_candidates }: Reinsertion,
        parallel: bool,
    ) {
        let parent_area = |at: u32| match self.node(at).parent {
            NONE => 0.0,
            parent => self.area(parent),
        };
        let mut largest: Vec<(f32, u32)> =
            (0..index(self.nodes.len())).map(|at| (parent_area(at), at)).collect();
        let count =
            (largest.len() / nodes_per_candidate).clamp(MIN_CANDIDATES, max_candidates).min(largest.len());
        let by_area = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        largest.select_nth_unstable_by(count - 1, by_area);
        largest.truncate(count);
        largest.sort_unstable_by(by_area);
        for batch in largest.chunks(CANDIDATES_PER_BATCH) {
            let find_move = |stack: &mut _, &(_, at): &(f32, u32)| Some((at, self.best_target(at, stack)?));
            let moves: Vec<Option<(u32, u32)>> = if parallel {
                batch.par_iter().map_init(Vec::new, find_move).collect()
            } else {
                let mut stack = Vec::new();
                batch.iter().map(|candidate| find_move(&mut stack, candidate)).collect()
            };
            for (at, target) in moves.into_iter().flatten() {
                self.try_reinsert(at, target);
            }
        }
    }

    /// Returns the node that becomes the sibling of the subtree at the best position; `None` if it is best where it is.
    ///
    /// Removing the subtree and its parent shrinks the boxes of its ancestors. Inserting it beside a target costs the
    /// box of the new parent, which encloses both, and the growth of the boxes above. The search walks from the parent
    /// up to the root and, at each ancestor, down into the sibling subtree. Nodes below which no target can be better
    /// are pruned, since the new parent's box is at least as large as that of the subtree.
    fn best_target(&self, at: u32, stack: &mut Vec<SearchEntry>) -> Option<u32> {
        if self.is_fixed(at) {
            return None;
        }
        let own = self.node(at).bounds;
        let own_area = own.half_area();
        let parent = self.node(at).parent;
        // Best gain so far, and its target
        let mut best = (0.0, None);
        let mut gain = self.area(parent);
        let (mut pivot, mut side) = (parent, self.sibling(at));
        // Box of the pivot without the subtree
        let mut rest = self.node(side).bounds;
        loop {
            stack.push(self.evaluate(side, gain, &own, &mut best));
            while let Some(entry) = stack.pop() {
                let node = self.node(entry.node);
                if node.is_leaf() || entry.gain - own_area <= best.0 {
                    continue;
                }
                let [left, right] =
                    node.children.map(|child| self.evaluate(child, entry.gain, &own, &mut best));
                // The more promising child is popped first, so that more nodes are pruned.
                stack.extend(if left.gain < right.gain { [left, right] } else { [right, left] });
            }
            if pivot == ROOT {
                return best.1;
            }
            if pivot != parent {
                rest = rest.union(self.node(side).bounds);
                gain += self.area(pivot) - rest.half_area();
            }
            side = self.sibling(pivot);
            pivot = self.node(pivot).parent;
        }
    }

    /// Evaluates a node as target, updates `best`, and returns its search entry.
    ///
    /// * `gain` — gain of inserting the subtree, whose box is `own`, below the node's parent; see [`SearchEntry`].
    fn evaluate(&self, node: u32, gain: f32, own: &Aabb, best: &mut (f32, Option<u32>)) -> SearchEntry {
        let bounds = &self.node(node).bounds;
        let gain_beside = gain - bounds.union(*own).half_area();
        if gain_beside > best.0 {
            *best = (gain_beside, Some(node));
        }
        SearchEntry { gain: gain_beside + bounds.half_area(), node }
    }

    /// Returns whether a node cannot be moved: the root and its children.
    fn is_fixed(&self, at: u32) -> bool {
        at == ROOT || self.node(at).parent == ROOT
    }

    /// Moves a subtree beside a target, unless earlier moves of the batch made this impossible or more expensive.
    fn try_reinsert(&mut self, at: u32, target: u32) {
        let above = |&node: &u32| (node != ROOT).then(|| self.node(node).parent);
        if self.is_fixed(at)
            || target == self.node(at).parent
            || std::iter::successors(Some(target), above).any(|node| node == at)
        {
            return;
        }
        let sibling = self.sibling(at);
        if self.reinsert(at, target) < 0.0 {
            self.reinsert(at, sibling);
        }
    }

    /// Moves a subtree beside a target outside of it; its parent becomes the parent of both. Returns the reduction of
    /// cost.
    ///
    /// The subtree must be neither the root nor a child of the root.
    fn reinsert(&mut self, at: u32, target: u32) -> f32 {
        let parent = self.node(at).parent;
        let (sibling, above) = (self.sibling(at), self.node(parent).parent);
        self.replace_child(above, parent, sibling);
        let gain = self.refit(above);
        let above = self.node(target).parent;
        self.replace_child(above, target, parent);
        self.nodes[parent as usize].children = [target, at];
        self.nodes[target as usize].parent = parent;
        gain + self.refit(parent)
    }

    /// Replaces the child `old` of the node `above` by `new`.
    fn replace_child(&mut self, above: u32, old: u32, new: u32) {
        self.nodes[new as usize].parent = above;
        let children = &mut self.nodes[above as usize].children;
        children[usize::from(children[1] == old)] = new;
    }

    /// Recomputes the boxes of a node and of its ancestors, and returns the reduction of cost.
    fn refit(&mut self, mut at: u32) -> f32 {
        let mut gain = 0.0;
        while at != NONE {
            let LinkedNode { bounds, parent, children: [left, right], .. } = *self.node(at);
            let united = self.node(left).bounds.union(self.node(right).bounds);
            gain += bounds.half_area() - united.half_area();
            self.nodes[at as usize].bounds = united;
            at = parent;
        }
        gain
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Vec3, vec3};

    use super::super::Bvh2;
    use super::*;

    const SOME: Reinsertion = Reinsertion { nodes_per_candidate: 3, max_candidates: 1 << 20 };

    /// Builds a tree with leaves of one item each, by halving the number of boxes regardless of their positions.
    fn split_by_count(boxes: &[Aabb]) -> Bvh2 {
        fn fill(nodes: &mut Vec<Bvh2Node>, at: usize, boxes: &[Aabb], first: usize) {
            let whole = boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union);
            if boxes.len() == 1 {
                nodes[at] = Bvh2Node::leaf(whole, index(first), 1);
                return;
            }
            let children = push_pair(nodes);
            nodes[at] = Bvh2Node::inner(whole, index(children), CollapseDecision::NONE);
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
        // Sorted along an axis
        let mut boxes: Vec<Aabb> = (0..count).map(|_| made()).collect();
        boxes.sort_by(|a, b| a.min.x.total_cmp(&b.min.x));
        boxes
    }

    /// SAH cost, not divided by the area of the root.
    fn cost(tree: &Bvh2) -> f32 {
        tree.nodes.iter().map(|node| node.bounds.half_area()).sum()
    }

    fn optimized(tree: &Bvh2, max_depth: usize) -> Bvh2 {
        Bvh2 { nodes: SOME.optimize(tree.nodes.clone(), max_depth, true), ..Bvh2::default() }
    }

    #[test]
    fn reinsertion_restores_the_order_of_leaves() {
        for count in [1, 2, 3, 4, 50, 3000] {
            let mut boxes = boxes(count);
            let in_order = cost(&split_by_count(&boxes));
            // Move some boxes far away from their neighbours.
            let half = boxes.len() / 2;
            (0..half).step_by(50).for_each(|i| boxes.swap(i, i + half));
            let before = split_by_count(&boxes);
            let after = optimized(&before, usize::MAX);
            let (before_cost, after_cost) = (cost(&before), cost(&after));
            assert!(
                before_cost - after_cost >= 0.5 * (before_cost - in_order).max(0.0),
                "{count}: {before_cost} → {after_cost}, in order {in_order}"
            );
            assert_eq!(after, optimized(&before, after.depth()), "the result is deterministic");

            // Each leaf exists once, unchanged, inside all boxes above it; each node is reached once.
            let mut found = vec![0; boxes.len()];
            let mut visited = 0;
            let mut stack = vec![(0, Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY })];
            while let Some((at, parent_bounds)) = stack.pop() {
                visited += 1;
                let node = after.node(at);
                assert_eq!(
                    node.bounds.union(parent_bounds),
                    parent_bounds,
                    "{node:?} is in {parent_bounds:?}"
                );
                stack.extend(node.children().into_iter().flatten().map(|child| (child, node.bounds)));
                if let Some((first, count)) = node.leaf_range() {
                    assert_eq!((node.bounds, count), (boxes[first as usize], 1), "leaf {first}");
                    found[first as usize] += 1;
                }
            }
            assert_eq!(
                (visited, found),
                (before.nodes.len(), vec![1; boxes.len()]),
                "all nodes and leaves are reached"
            );
        }
    }

    #[test]
    fn depth_is_limited() {
        let before = split_by_count(&boxes(3000));
        let max_depth = optimized(&before, usize::MAX).depth();
        assert_eq!(optimized(&before, max_depth - 1), before);
    }
}
