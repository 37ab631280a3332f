//! Entry points: the nodes at the top of a binary tree from which rays may enter instances of it.
//!
//! Rebraiding splits instances into these nodes [Benthin17, §3].

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use sunfleck_math::Aabb;

use super::bvh2::{Bvh2, Bvh2Node};

/// Maximum number of entry points of a tree.
const MAX_ENTRY_POINTS: usize = 128;

/// Entry points of a tree: the nodes with the largest boxes, each with both of its children or none.
///
/// A tree without entry points can only be entered at its root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryPoints {
    /// The root first.
    pub(crate) points: Vec<EntryPoint>,
}

/// Node at which traversal of a tree may start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EntryPoint {
    /// Box of the node, in object space.
    pub(crate) bounds: Aabb,
    /// Index of the node in the binary tree.
    pub(crate) node: u32,
    /// Index of the entry point of the left child; that of the right child is the next one.
    pub(crate) children: Option<usize>,
}

/// Element of a priority queue of boxes: the larger area has priority, and among equal areas the smaller index.
pub(crate) struct ByArea {
    pub(crate) area: f32,
    pub(crate) item: usize,
}

impl EntryPoints {
    /// Selects the entry points of a tree, by opening the largest node again and again.
    pub(crate) fn of(tree: &Bvh2) -> Self {
        let Some(&Bvh2Node { bounds, .. }) = tree.nodes.first() else { return Self::default() };
        let mut points = vec![EntryPoint { bounds, node: 0, children: None }];
        let mut largest = BinaryHeap::from([ByArea { area: bounds.half_area(), item: 0 }]);
        while let Some(ByArea { item: point, .. }) = largest.pop() {
            if points.len() + 2 > MAX_ENTRY_POINTS {
                break;
            }
            let Some(children) = tree.node(points[point].node).children() else { continue };
            points[point].children = Some(points.len());
            for node in children {
                let bounds = tree.node(node).bounds;
                largest.push(ByArea { area: bounds.half_area(), item: points.len() });
                points.push(EntryPoint { bounds, node, children: None });
            }
        }
        Self { points }
    }
}

impl Ord for ByArea {
    fn cmp(&self, other: &Self) -> Ordering {
        self.area.total_cmp(&other.area).then(other.item.cmp(&self.item))
    }
}

impl PartialOrd for ByArea {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ByArea {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ByArea {}
