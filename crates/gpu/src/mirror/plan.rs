use sunfleck_kernel::{PairChild, PairNode, PairTree};
use sunfleck_shaders::layout::MovedBox;

use crate::GpuError;
use crate::buffer::{Array, Upload};

/// How a bottom level is moved.
#[derive(Debug)]
pub(super) struct Plan {
    /// Its nodes, those next to leaves first, and where each level ends.
    pub(super) order: Array<u32>,
    pub(super) levels: Vec<u32>,
    /// Boxes around what is below each.
    pub(super) boxes: Array<MovedBox>,
    /// What a ray costs that meets its box: the twin of `refit_cost`.
    pub(super) cost: f32,
}

/// Testing a node with its two boxes costs about as much as so many triangles.
const NODE_PRICE: f32 = 1.2;

impl Plan {
    /// * `first` — where its nodes are.
    pub(super) fn new(upload: &mut Upload<'_>, tree: &PairTree, first: u32) -> Result<Self, GpuError> {
        let (order, levels) = by_height(tree);
        let order: Vec<u32> = order.into_iter().map(|node| first + node).collect();
        let array = Array::vacant(upload.gpu, "nodes", order.len())?;
        upload.write(&array.buffer, 0, bytemuck::cast_slice(&order));
        let boxes = Array::vacant(upload.gpu, "boxes", order.len())?;
        Ok(Self { order: array, levels, boxes, cost: cost(tree) })
    }
}

/// The nodes, those next to leaves first, and where each level ends. A node is a level above the higher of its children.
fn by_height(tree: &PairTree) -> (Vec<u32>, Vec<u32>) {
    let mut heights = vec![0; tree.nodes.len()];
    // Children come after their parents
    for (i, PairNode { children }) in tree.nodes.iter().enumerate().rev() {
        let inner = children.iter().filter(|child| child.count == 0 && **child != PairChild::NONE);
        heights[i] = inner.map(|child| heights[child.first as usize] + 1).max().unwrap_or(0);
    }
    let mut order: Vec<u32> = (0..).take(heights.len()).collect();
    order.sort_by_key(|&node| heights[node as usize]);
    let levels = order.chunk_by(|&a, &b| heights[a as usize] == heights[b as usize]);
    let mut end = 0;
    let ends = levels.map(|level| {
        end += u32::try_from(level.len()).unwrap_or(u32::MAX);
        end
    });
    let ends = ends.collect();
    (order, ends)
}

fn cost(tree: &PairTree) -> f32 {
    let children = tree.nodes.iter().flat_map(|node| &node.children);
    let price = |child: &PairChild| if child.count == 0 { NODE_PRICE } else { child.count as f32 };
    let sum: f32 =
        children.filter(|child| **child != PairChild::NONE).map(|c| half_area(&[c]) * price(c)).sum();
    let root = tree.nodes.first().map_or(0.0, |root| {
        let [left, right] = &root.children;
        if *right == PairChild::NONE { half_area(&[left]) } else { half_area(&[left, right]) }
    });
    if root > 0.0 { sum / root } else { 0.0 }
}

/// Of the box around some.
fn half_area(children: &[&PairChild]) -> f32 {
    let axis = |axis: usize| {
        let low = children.iter().map(|child| child.min[axis]).fold(f32::INFINITY, f32::min);
        children.iter().map(|child| child.max[axis]).fold(f32::NEG_INFINITY, f32::max) - low
    };
    let [x, y, z] = [axis(0), axis(1), axis(2)];
    x * y + y * z + z * x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_go_from_the_leaves_up() {
        let leaf = PairChild { min: [0.0; 3], first: 0, max: [1.0; 3], count: 1 };
        let inner = |first| PairChild { first, count: 0, ..leaf };
        let node = |left, right| PairNode { children: [left, right] };
        let nodes = vec![node(inner(1), inner(3)), node(leaf, inner(2)), node(leaf, leaf), node(leaf, leaf)];
        assert_eq!(by_height(&PairTree { nodes, depth: 3 }), (vec![2, 3, 1, 0], vec![2, 3, 4]));
    }

    #[test]
    fn a_unit_cube_of_one_triangle_costs_one() {
        let leaf = PairChild { min: [0.0; 3], first: 0, max: [1.0; 3], count: 1 };
        let nodes = vec![PairNode { children: [leaf, PairChild::NONE] }];
        assert_eq!(cost(&PairTree { nodes, depth: 1 }), 1.0);
    }
}
