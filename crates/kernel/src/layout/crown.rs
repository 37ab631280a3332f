//! The upper part of a binary tree: where rays may enter instances of it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use sunfleck_math::Aabb;

use super::pairs::{PairChild, PairTree};

/// So many places are known of a tree at most.
const MOST: usize = 128;

/// The places of a tree with the largest boxes, each with its two children or none. Without any, a tree is entered at its root only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crown {
    pub(crate) places: Vec<Place>,
}

/// Where a tree may be entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// Of what is below, in the tree's own space.
    pub(crate) bounds: Aabb,
    pub(crate) start: PairStart,
    /// The first of two places that make this one.
    pub(crate) below: Option<usize>,
}

/// An inner node of a tree, or a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairStart {
    /// Index of the node, or of the first item of a leaf.
    pub first: u32,
    /// Items of a leaf; 0 for an inner node.
    pub count: u32,
}

impl PairStart {
    /// Where a tree begins.
    pub const ROOT: Self = Self { first: 0, count: 0 };
}

/// Something with a box that can be opened; those with larger boxes are greater, of equal ones the first.
pub(crate) struct Largest {
    pub(crate) area: f32,
    pub(crate) item: usize,
}

impl Crown {
    /// Of a tree.
    pub fn of(tree: &PairTree) -> Self {
        let Some(root) = tree.nodes.first() else { return Self::default() };
        let bounds = root.children.iter().map(bounds_of).fold(Aabb::EMPTY, Aabb::union);
        let mut places = vec![Place { bounds, start: PairStart::ROOT, below: None }];
        let mut largest = BinaryHeap::from([Largest { area: bounds.half_area(), item: 0 }]);
        while let Some(Largest { item: place, .. }) = largest.pop() {
            let PairStart { first, count } = places[place].start;
            if places.len() + 2 > MOST {
                break;
            }
            let Some(node) = tree.nodes.get(first as usize).filter(|_| count == 0) else { continue };
            if node.children.contains(&PairChild::NONE) {
                continue;
            }
            places[place].below = Some(places.len());
            for child in &node.children {
                let (bounds, start) =
                    (bounds_of(child), PairStart { first: child.first, count: child.count });
                largest.push(Largest { area: bounds.half_area(), item: places.len() });
                places.push(Place { bounds, start, below: None });
            }
        }
        Self { places }
    }

    /// Where the tree may be entered.
    pub fn starts(&self) -> impl Iterator<Item = PairStart> {
        self.places.iter().map(|place| place.start)
    }
}

fn bounds_of(child: &PairChild) -> Aabb {
    Aabb { min: child.min.into(), max: child.max.into() }
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
