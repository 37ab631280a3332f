//! From two children to eight: the largest inner child is replaced by its own two, again and again [Wald08, multi-branching trees].

use std::collections::VecDeque;

use sunfleck_kernel::{PairChild, PairTree};
use sunfleck_math::{Aabb, Vec3};
use sunfleck_shaders::layout::WideNode;

use super::node;

/// Children of a node.
pub(super) const WIDTH: usize = 8;

/// A wide tree over the leaves of a binary one, its root first; and the most nodes on the way to a leaf.
///
/// * `leaf` — the number of a leaf, by its first item and how many it has.
pub(super) fn wide(tree: &PairTree, mut leaf: impl FnMut(u32, u32) -> u32) -> (Vec<WideNode>, u32) {
    let mut nodes = vec![node::encoded(&[], &[])];
    let mut depth = 0;
    // Which node is made of which binary one, and how deep it is
    let mut waiting: VecDeque<(usize, u32, u32)> =
        tree.nodes.first().map(|_| (0, 0, 1)).into_iter().collect();
    while let Some((place, binary, level)) = waiting.pop_front() {
        depth = depth.max(level);
        let children = children(tree, binary);
        let boxes: Vec<Aabb> = children.iter().map(bounds_of).collect();
        let mut references = Vec::with_capacity(WIDTH);
        for child in &children {
            references.push(match child.count {
                0 => {
                    waiting.push_back((nodes.len(), child.first, level + 1));
                    nodes.push(WideNode::default());
                    u32::try_from(nodes.len() - 1).unwrap_or(WideNode::EMPTY)
                }
                count => WideNode::leaf(leaf(child.first, count)),
            });
        }
        nodes[place] = node::encoded(&boxes, &references);
    }
    (nodes, depth)
}

/// Up to eight descendants of a binary node, which are all that it holds.
fn children(tree: &PairTree, binary: u32) -> Vec<PairChild> {
    let of = |binary: u32| {
        let pair = tree.nodes.get(binary as usize).map(|node| node.children);
        pair.into_iter().flatten().filter(|child| *child != PairChild::NONE)
    };
    let mut children: Vec<PairChild> = of(binary).collect();
    while children.len() < WIDTH {
        let area = |i: &usize| bounds_of(&children[*i]).half_area();
        let inner = (0..children.len()).filter(|&i| children[i].count == 0);
        let Some(largest) = inner.max_by(|a, b| area(a).total_cmp(&area(b))) else { break };
        let opened = children.swap_remove(largest);
        children.extend(of(opened.first));
    }
    children
}

fn bounds_of(child: &PairChild) -> Aabb {
    Aabb { min: Vec3::from(child.min), max: Vec3::from(child.max) }
}

#[cfg(test)]
mod tests {
    use sunfleck_kernel::{Blas, BuildOptions};
    use sunfleck_math::vec3;

    use super::*;

    /// Triangles here and there.
    fn tree(triangles: u32) -> PairTree {
        let corner = |i: u32, k: u32| {
            let at = |axis: u32| sunfleck_math::sin((7 * i + 3 * k + 5 * axis) as f32 * 1.7);
            vec3(at(0), at(1), at(2)) * 10.0 + vec3(0.3, 0.0, 0.7) * k as f32
        };
        let positions: Vec<_> = (0..triangles).flat_map(|i| [0, 1, 2].map(|k| corner(i, k))).collect();
        let indices: Vec<_> = (0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Blas::build(&positions, &indices, &BuildOptions::default()).unwrap().paired().tree
    }

    /// Planes as the shader computes them.
    fn decoded(node: &WideNode, slot: usize) -> Aabb {
        let plane = |axis: usize, planes: [u32; 2]| {
            let step = f32::from_bits((node.exponents >> (8 * axis) & 255) << 23);
            let byte = planes[slot / 4] >> (8 * (slot % 4)) & 255;
            node.corner[axis] + byte as f32 * step
        };
        let corner = |planes: &[[u32; 2]; 3]| Vec3::from([0, 1, 2].map(|axis| plane(axis, planes[axis])));
        Aabb { min: corner(&node.low), max: corner(&node.high) }
    }

    /// The boxes of all leaves of a binary tree, by what they hold.
    fn leaves(tree: &PairTree) -> Vec<(u32, Aabb)> {
        let children = tree.nodes.iter().flat_map(|node| node.children);
        let leaves = children.filter(|child| child.count > 0);
        let mut leaves: Vec<_> = leaves.map(|leaf| (WideNode::leaf(leaf.first), bounds_of(&leaf))).collect();
        leaves.sort_by_key(|(what, _)| *what);
        leaves
    }

    #[test]
    fn leaves_are_kept_in_boxes_around_them() {
        for triangles in [1, 2, 9, 100, 3000] {
            let tree = tree(triangles);
            let (nodes, depth) = wide(&tree, |first, _| first);
            let mut found = Vec::new();
            let mut waiting = vec![(0, Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY }, 1)];
            while let Some((place, around, level)) = waiting.pop() {
                assert!(level <= depth, "no node is below the depth");
                let node: &WideNode = &nodes[place];
                for (slot, &child) in node.children.iter().enumerate() {
                    if child == WideNode::EMPTY {
                        continue;
                    }
                    let own = decoded(node, slot);
                    let within = Aabb { min: own.min.max(around.min), max: own.max.min(around.max) };
                    match child & WideNode::LEAF_BIT {
                        0 => waiting.push((child as usize, within, level + 1)),
                        _ => found.push((child, within)),
                    }
                }
            }
            found.sort_by_key(|(what, _)| *what);
            let expected = leaves(&tree);
            assert_eq!(found.len(), expected.len(), "{triangles} triangles");
            for ((what, around), (expected, inside)) in found.iter().zip(&expected) {
                assert_eq!(what, expected, "{triangles} triangles: the same leaves");
                let holds = around.min.cmple(inside.min).all() && around.max.cmpge(inside.max).all();
                assert!(holds, "{triangles} triangles: {around:?} is around {inside:?}");
            }
        }
    }

    #[test]
    fn nothing_is_a_node_of_nothing() {
        let (nodes, _) = wide(&PairTree::default(), |first, _| first);
        assert_eq!(nodes.len(), 1);
        assert!(nodes[0].children.iter().all(|&child| child == WideNode::EMPTY), "{nodes:?}");
    }
}
