use sunfleck_shaders::layout::{Bounds, MovedNode};

use super::quads::{Quad, Quads};
use crate::GpuError;
use crate::buffer::{Array, Upload};

/// How a bottom level is moved.
#[derive(Debug)]
pub(super) struct Plan {
    /// Its nodes, those next to leaves first, and where each level ends.
    pub(super) order: Array<MovedNode>,
    pub(super) levels: Vec<u32>,
    /// Boxes around what is below each.
    pub(super) boxes: Array<Bounds>,
    /// What a ray costs that meets its box: the twin of `refit_level`.
    pub(super) cost: f32,
}

impl Plan {
    /// * `first` — where its units are.
    pub(super) fn new(upload: &mut Upload<'_>, tree: &Quads, first: u32) -> Result<Self, GpuError> {
        let (order, levels) = by_height(&tree.nodes);
        let moved = |&node: &usize| {
            let Quad { at, below, .. } = tree.nodes[node];
            let [own, below] = [node, below.0].map(|i| u32::try_from(i).unwrap_or(u32::MAX));
            MovedNode { at: first + at, own, below, unused: 0 }
        };
        let moved: Vec<MovedNode> = order.iter().map(moved).collect();
        let order = Array::vacant(upload.gpu, "nodes", moved.len())?;
        upload.write(&order.buffer, 0, bytemuck::cast_slice(&moved));
        let boxes = Array::vacant(upload.gpu, "boxes", moved.len())?;
        Ok(Self { order, levels, boxes, cost: tree.cost() })
    }
}

/// The nodes, those next to leaves first, and where each level ends. A node is a level above the highest of its children.
fn by_height(nodes: &[Quad]) -> (Vec<usize>, Vec<u32>) {
    let mut heights = vec![0; nodes.len()];
    // Children come after their parents
    for (i, Quad { below, .. }) in nodes.iter().enumerate().rev() {
        heights[i] = heights[below.0..below.1].iter().map(|height| height + 1).max().unwrap_or(0);
    }
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|&node| heights[node]);
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
    use super::*;

    #[test]
    fn levels_go_from_the_leaves_up() {
        let node = |below| Quad { below, ..Quad::default() };
        let nodes = [node((1, 3)), node((3, 4)), node((4, 4)), node((4, 4))];
        assert_eq!(by_height(&nodes), (vec![2, 3, 1, 0], vec![2, 3, 4]));
    }
}
