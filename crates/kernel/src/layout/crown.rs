//! The upper part of a binary tree: where rays may enter instances of it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use sunfleck_math::Aabb;

use super::bvh2::{Bvh2, Bvh2Node};

/// So many places are known of a tree at most.
const MOST: usize = 128;

/// The places of a tree with the largest boxes, each with its two children or none. Without any, a tree is entered at its root only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryPoints {
    /// The root first.
    pub(crate) places: Vec<Place>,
}

/// Where a tree may be entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// Of what is below, in the tree's own space.
    pub(crate) bounds: Aabb,
    /// Index of the binary node.
    pub(crate) node: u32,
    /// The first of two places that make this one.
    pub(crate) below: Option<usize>,
}

/// Something with a box that can be opened; those with larger boxes are greater, of equal ones the first.
pub(crate) struct Largest {
    pub(crate) area: f32,
    pub(crate) item: usize,
}

impl EntryPoints {
    /// Of a tree.
    pub(crate) fn of(tree: &Bvh2) -> Self {
        let Some(&Bvh2Node { bounds, .. }) = tree.nodes.first() else { return Self::default() };
        let mut places = vec![Place { bounds, node: 0, below: None }];
        let mut largest = BinaryHeap::from([Largest { area: bounds.half_area(), item: 0 }]);
        while let Some(Largest { item: place, .. }) = largest.pop() {
            if places.len() + 2 > MOST {
                break;
            }
            let Some(children) = tree.node(places[place].node).children() else { continue };
            places[place].below = Some(places.len());
            for node in children {
                let bounds = tree.node(node).bounds;
                largest.push(Largest { area: bounds.half_area(), item: places.len() });
                places.push(Place { bounds, node, below: None });
            }
        }
        Self { places }
    }
}

impl Ord for Largest {
    fn cmp(&self, other: &Self) -> Ordering {
        self.area.total_cmp(&other.area).then(other.item.cmp(&self.item))
    }
}

impl PartialOrd for Largest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Largest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Largest {}
