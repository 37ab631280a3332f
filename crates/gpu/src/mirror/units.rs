//! Trees as units: a slot of the kernel's tree becomes a node or a leaf, which are of one size.

use sunfleck_kernel::{Bvh4, Bvh4Content};
use sunfleck_shaders::layout::{Corners, Leaf, Node, Unit};

/// What a leaf of the kernel's tree becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Below {
    /// A leaf.
    Leaf(Leaf),
    /// A node that leads elsewhere.
    Node([Unit; Node::UNITS]),
}

/// Units of a slot.
#[allow(clippy::cast_possible_truncation, reason = "four")]
const SLOT: u32 = Node::UNITS as u32;

impl Below {
    /// What is at a place of some units, by what references to it say.
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

/// The units of a tree, slot by slot.
///
/// * `first` — where unit 0 is going to be. * `leaf` — what becomes of a leaf, by its first item and their number.
pub(super) fn units(tree: &Bvh4, first: u32, leaf: impl Fn(u32, u32) -> Below) -> Vec<Unit> {
    let unit = |slot: u32| first + slot * SLOT;
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

/// What references to a slot say, in the tree itself.
pub(super) fn reference(tree: &Bvh4, slot: u32) -> u32 {
    let unit = slot * SLOT;
    match tree.slots[slot as usize].content {
        Bvh4Content::Node { .. } => unit,
        Bvh4Content::Leaf { .. } => Node::LEAF_BIT | unit,
    }
}
