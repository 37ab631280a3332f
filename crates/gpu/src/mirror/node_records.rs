//! Trees as arrays of units: each slot of a [`Bvh4`] becomes a node record or a leaf record, which have the same size.

use sunfleck_kernel::{Bvh4, Bvh4Content};
use sunfleck_shaders::layout::{Corners, Leaf, Node, Unit};

/// Record that a leaf of a [`Bvh4`] is stored as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NodeRecord {
    /// A leaf with triangles or an instance.
    Leaf(Leaf),
    /// An inner node of another tree.
    Node([Unit; Node::UNITS]),
}

/// Number of units per slot.
#[allow(clippy::cast_possible_truncation, reason = "four")]
const UNITS_PER_SLOT: u32 = Node::UNITS as u32;

impl NodeRecord {
    /// Returns the record that a reference addresses.
    pub(super) fn of(units: &[Unit], at: u32) -> Option<Self> {
        let units: &[Unit; Node::UNITS] = units[(at & !Node::LEAF_BIT) as usize..].first_chunk()?;
        Some(match at & Node::LEAF_BIT {
            0 => Self::Node(*units),
            _ => Self::Leaf(bytemuck::cast(*units)),
        })
    }

    fn units(&self) -> [Unit; Node::UNITS] {
        match self {
            Self::Leaf(leaf) => leaf.units(),
            Self::Node(node) => *node,
        }
    }
}

/// Returns the units of a tree, slot by slot.
///
/// * `first` — index of the first unit of the tree in the array of all units.
/// * `leaf` — makes the record of a leaf from its first item and the number of items.
pub(super) fn units(tree: &Bvh4, first: u32, leaf: impl Fn(u32, u32) -> NodeRecord) -> Vec<Unit> {
    let unit = |slot: u32| first + slot * UNITS_PER_SLOT;
    let units = |content: Bvh4Content| match content {
        Bvh4Content::Leaf { first, count } => leaf(first, count).units(),
        Bvh4Content::Node { first, inner, .. } => {
            let children = tree.children(content).iter();
            let boxes: Vec<Corners> =
                children.map(|child| [child.bounds.min.to_array(), child.bounds.max.to_array()]).collect();
            Node::new(&boxes, Node::reference(inner, unit(first))).units()
        }
    };
    tree.slots.iter().flat_map(|slot| units(slot.content)).collect()
}

/// Returns the reference to a slot, relative to the tree.
pub(super) fn reference(tree: &Bvh4, slot: u32) -> u32 {
    let unit = slot * UNITS_PER_SLOT;
    match tree.slots[slot as usize].content {
        Bvh4Content::Node { .. } => unit,
        Bvh4Content::Leaf { .. } => Node::LEAF_BIT | unit,
    }
}
