use sunfleck_kernel::{Bvh4, Bvh4Content};
use sunfleck_shaders::layout::{Bounds, MovedNode, Node};

use crate::GpuError;
use crate::buffer::{Array, Upload};

/// Data with which the GPU refits a bottom level.
#[derive(Debug)]
pub(super) struct RefitPlan {
    /// Nodes by height (those above leaves first), and the index at which each level ends.
    pub(super) order: Array<MovedNode>,
    pub(super) levels: Vec<u32>,
    /// Bounding boxes of the subtrees.
    pub(super) boxes: Array<Bounds>,
    /// SAH cost of a ray that hits the root, when the tree was built; `refit_level` computes the current one.
    pub(super) cost: f32,
}

impl RefitPlan {
    /// Prepares the refit of a tree.
    ///
    /// * `tree` — a tree over triangles without entry points other than the root.
    /// * `first` — index of its first unit.
    pub(super) fn new(upload: &mut Upload<'_>, tree: &Bvh4, first: u32) -> Result<Self, GpuError> {
        // Boxes are numbered in the order of the nodes
        let mut numbers = Vec::with_capacity(tree.slots.len());
        let mut number = 0;
        for slot in &tree.slots {
            numbers.push(number);
            number += u32::from(matches!(slot.content, Bvh4Content::Node { .. }));
        }
        let (order, levels) = by_height(tree);
        let index = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        let moved = |&slot: &usize| MovedNode {
            at: first + index(slot * Node::UNITS),
            own: numbers[slot],
            below: match tree.slots[slot].content {
                Bvh4Content::Node { first, .. } => numbers[first as usize],
                Bvh4Content::Leaf { .. } => 0,
            },
            unused: 0,
        };
        let moved: Vec<MovedNode> = order.iter().map(moved).collect();
        let order = Array::zeroed(upload.gpu, "nodes", moved.len())?;
        upload.write(&order.buffer, 0, bytemuck::cast_slice(&moved));
        let boxes = Array::zeroed(upload.gpu, "boxes", moved.len())?;
        Ok(Self { order, levels, boxes, cost: tree.cost() })
    }
}

/// Returns the nodes, as slots, by height, and the index at which each level ends. A node is one level above its
/// highest child.
fn by_height(tree: &Bvh4) -> (Vec<usize>, Vec<u32>) {
    let mut heights = vec![0; tree.slots.len()];
    let mut order = Vec::new();
    // Children follow their parents
    for (at, slot) in tree.slots.iter().enumerate().rev() {
        if let Bvh4Content::Node { first, inner, .. } = slot.content {
            let below = &heights[first as usize..][..inner as usize];
            heights[at] = below.iter().map(|height| height + 1).max().unwrap_or(0);
            order.push(at);
        }
    }
    order.reverse();
    order.sort_by_key(|&at| heights[at]);
    let levels = order.chunk_by(|&a, &b| heights[a] == heights[b]);
    let mut end = 0;
    let ends = levels.map(|level| {
        end += u32::try_from(level.len()).unwrap_or(u32::MAX);
        end
    });
    let ends = ends.collect();
    (order, ends)
}

#[cfg(test)]
mod tests {
    use sunfleck_kernel::Bvh4Slot;
    use sunfleck_math::Aabb;

    use super::*;

    #[test]
    fn levels_go_from_the_leaves_up() {
        let leaf = Bvh4Content::Leaf { first: 0, count: 1 };
        let node = |first, children, inner| Bvh4Content::Node { first, children, inner };
        let contents = [node(1, 2, 2), node(4, 2, 1), node(3, 1, 0), leaf, node(6, 1, 0), leaf, leaf];
        let slots = contents.map(|content| Bvh4Slot { bounds: Aabb::EMPTY, content }).into();
        let tree = Bvh4 { slots, ..Bvh4::default() };
        assert_eq!(by_height(&tree), (vec![2, 4, 1, 0], vec![2, 3, 4]));
    }
}
