//! Encoding of inner nodes of the acceleration structure, with quantised boxes.

use sunfleck_constants::tree;

use super::{Node, Unit, words};

/// Lower and upper corner of a box.
pub type Corners = [[f32; 3]; 2];

impl Node {
    /// Number of units of a node.
    pub const UNITS: usize = tree::NODE as usize;
    /// Largest number of children of a node.
    pub const WIDTH: usize = tree::WIDTH as usize;
    /// Bit that marks the index of a leaf.
    pub const LEAF_BIT: u32 = tree::LEAF_BIT;
    /// Number of bits of a reference that hold the index of the first child. The bits above hold 4 minus the number of
    /// children that are nodes, so that adding the slot of a child carries into [`Self::LEAF_BIT`] where the leaves
    /// begin.
    pub const FIRST_BITS: u32 = tree::FIRST_BITS;

    /// Creates a node from the boxes of its children, at most four. Boxes are enlarged by the rounding errors of a ray
    /// in the node. Each axis of a box keeps the upper 16 bits of two floats: the centre relative to that of the node,
    /// and half of the size, rounded up. Shaders read the whole word as the centre, whose lower half makes it slightly
    /// larger; the half size is large enough to compensate for that.
    ///
    /// * `reference` — see [`Node::reference`].
    pub fn new(boxes: &[Corners], reference: u32) -> Self {
        let lowest = |axis: usize| boxes.iter().map(|[low, _]| low[axis]).fold(f32::INFINITY, f32::min);
        let highest =
            |axis: usize| boxes.iter().map(|[_, high]| high[axis]).fold(f32::NEG_INFINITY, f32::max);
        let center = match boxes {
            [] => [0.0; 3],
            _ => [0, 1, 2].map(|axis| 0.5 * lowest(axis) + 0.5 * highest(axis)),
        };
        let word = |slot: usize, axis: usize| {
            boxes.get(slot).map_or(tree::NO_BOX, |[low, high]| word(low[axis], high[axis], center[axis]))
        };
        let child = |slot: usize| [word(slot, 0), word(slot, 1), word(slot, 2), word(3, slot)];
        Self { whole: words(center, reference), first: child(0), second: child(1), third: child(2) }
    }

    /// Returns the reference from a node to its children.
    ///
    /// * `inner` — number of children that are nodes, at most four.
    /// * `first` — index of the first child, below 2²⁹.
    pub const fn reference(inner: u32, first: u32) -> u32 {
        (4 - inner) << Self::FIRST_BITS | first
    }

    /// Returns the units of the node as they are stored in the array.
    pub fn units(&self) -> [Unit; Self::UNITS] {
        [self.whole, self.first, self.second, self.third]
    }

    /// Relative enlargement of boxes, by their largest coordinate.
    const MARGIN: f64 = 1.0 / tree::MARGIN_PARTS as f64;
}

/// Encodes one axis of a child's box.
#[allow(clippy::cast_possible_truncation, reason = "rounded up below")]
fn word(low: f32, high: f32, center: f32) -> u32 {
    let margin = Node::MARGIN * f64::from(low.abs().max(high.abs()).max(center.abs()));
    let below = f64::from(low) - f64::from(center) - margin;
    let above = f64::from(high) - f64::from(center) + margin;
    let rounded_up = |half: f64| (half as f32).next_up().to_bits().div_ceil(1 << 16).min(tree::MOST_HALF);
    // The centre is rounded with an estimate of the half size, which will be the lower half of the word
    let middle = (0.5 * (below + above)) as f32;
    let guess = rounded_up((0.5 * (above - below)).max(0.0));
    let upper = (middle.to_bits() + 0x8000 - guess) & 0xffff_0000;
    let mut half = 0;
    loop {
        let read = f64::from(f32::from_bits(upper | half));
        let wanted = rounded_up((above - read).max(read - below).max(0.0));
        if wanted <= half {
            return upper | half;
        }
        half = wanted;
    }
}
