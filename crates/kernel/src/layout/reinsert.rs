//! Trees of pairs whose subtrees are put where rays pay least for them: see [`Links::improve`].

use sunfleck_math::Aabb;

use super::pairs::{PairChild, PairNode, PairTree};
use crate::builder::{Linked, Links, NONE, ROOT, index};

/// Subtrees that are tried, each time: one in so many, at most so many.
const SHARE: usize = 3;
const MOST: usize = 1 << 23;

/// The same leaves under better inner nodes; the tree as it is if there are none, or if it would become much deeper.
pub(crate) fn reinsert(tree: PairTree) -> PairTree {
    let whole = |node: &PairNode| !node.children.contains(&PairChild::NONE);
    if tree.nodes.len() < 3 || !tree.nodes.iter().all(whole) {
        return tree;
    }
    let mut links = linked(&tree);
    links.improve(SHARE, MOST, true);
    let better = walked(&links);
    if better.depth > 2 * tree.depth { tree } else { better }
}

fn linked(tree: &PairTree) -> Links {
    let leaf = |bounds, parent, first, count| Linked { bounds, parent, children: [NONE; 2], first, count };
    let mut nodes = Vec::with_capacity(2 * tree.nodes.len() + 1);
    // Of each node of the tree, where it is among the linked ones; parents come before their children
    let mut place = vec![0u32; tree.nodes.len()];
    let root = tree.nodes[0].children.iter().fold(Aabb::EMPTY, |all, child| all.union(bounds_of(child)));
    nodes.push(leaf(root, NONE, 0, 0));
    for i in 0..tree.nodes.len() {
        let parent = place[i];
        let children = tree.nodes[i].children.map(|child| {
            let at = index(nodes.len());
            nodes.push(leaf(bounds_of(&child), parent, child.first, child.count));
            if child.count == 0 {
                place[child.first as usize] = at;
            }
            at
        });
        nodes[parent as usize].children = children;
    }
    Links::new(nodes)
}

fn bounds_of(child: &PairChild) -> Aabb {
    Aabb { min: child.min.into(), max: child.max.into() }
}

/// As it is walked: each node before what is below it, the left first.
fn walked(links: &Links) -> PairTree {
    let mut tree = PairTree { nodes: Vec::with_capacity(links.nodes.len() / 2), depth: 0 };
    // Inner nodes that are to be written, and how deep they are
    let mut waiting = vec![(ROOT, 1)];
    // Of linked nodes: where inner ones are written, once they are
    let mut place = vec![0; links.nodes.len()];
    while let Some((at, depth)) = waiting.pop() {
        place[at as usize] = index(tree.nodes.len());
        tree.depth = tree.depth.max(depth);
        let children = links.node(at).children;
        for child in children.into_iter().rev().filter(|&child| !links.node(child).is_leaf()) {
            waiting.push((child, depth + 1));
        }
        tree.nodes.push(PairNode {
            children: children.map(|child| {
                let &Linked { bounds, first, count, .. } = links.node(child);
                // An inner node is called by its number among the linked ones until all are written
                let first = if count == 0 { child } else { first };
                PairChild { min: bounds.min.to_array(), first, max: bounds.max.to_array(), count }
            }),
        });
    }
    for child in tree.nodes.iter_mut().flat_map(|node| &mut node.children).filter(|child| child.count == 0) {
        child.first = place[child.first as usize];
    }
    tree
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

    /// What a ray pays, by the surface area heuristic.
    fn cost(tree: &PairTree) -> f32 {
        tree.nodes.iter().flat_map(|node| node.children).map(|child| bounds_of(&child).half_area()).sum()
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
                    assert_eq!(bounds_of(&child).union(around), around, "{child:?} is in {around:?}");
                    match child.count {
                        0 => waiting.push((child.first, bounds_of(&child), depth + 1)),
                        _ => {
                            assert_eq!(
                                bounds_of(&child),
                                boxes[child.first as usize],
                                "the box of {}",
                                child.first
                            );
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
