//! Boxes as bytes.

use sunfleck_math::{Aabb, Vec3};
use sunfleck_shaders::layout::WideNode;

use super::collapse::WIDTH;

/// Boxes grow by this share of the largest coordinate of a node: more than the rounding of planes that a shader computes.
const MARGIN: f64 = 1e-6;

/// The largest byte.
const LAST: f64 = 255.0;

/// Up to eight children in a node: each in the slot that says on which side of the middle it lies, a bit for each axis, as far as that one is free. So a
/// ray meets them about in the order of `slot ^ octant`, where bits of `octant` are set for axes that it goes against.
pub(super) fn encoded(boxes: &[Aabb], references: &[u32]) -> WideNode {
    let whole = boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union);
    let mut node =
        WideNode { low: [[u32::MAX; 2]; 3], children: [WideNode::EMPTY; WIDTH], ..WideNode::default() };
    if whole.is_empty() {
        return node;
    }
    let slots = slots(boxes, whole.center());
    for (&slot, &reference) in slots.iter().zip(references) {
        node.children[slot] = reference;
    }
    for axis in 0..3 {
        let (low, high) = (f64::from(whole.min[axis]), f64::from(whole.max[axis]));
        let margin = MARGIN * low.abs().max(high.abs()) + f64::from(f32::MIN_POSITIVE);
        let corner = below(low - margin);
        let (exponent, step) = step(high + margin - f64::from(corner));
        node.corner[axis] = corner;
        node.exponents |= exponent << (8 * axis);
        for (bounds, &slot) in boxes.iter().zip(&slots) {
            let place = |x: f64| ((x - f64::from(corner)) / step).clamp(0.0, LAST);
            let lower = place(f64::from(bounds.min[axis]) - margin).floor();
            let upper = place(f64::from(bounds.max[axis]) + margin).ceil();
            put(&mut node.low[axis], slot, lower);
            put(&mut node.high[axis], slot, upper);
        }
    }
    node
}

/// The slot of each box: pairs of a box and a slot, those that fit best first.
fn slots(boxes: &[Aabb], middle: Vec3) -> Vec<usize> {
    let fit = |i: usize, slot: usize| {
        let away = boxes[i].center() - middle;
        let along = |axis: usize| if slot >> axis & 1 == 1 { away[axis] } else { -away[axis] };
        along(0) + along(1) + along(2)
    };
    let pairs = (0..boxes.len()).flat_map(|i| (0..WIDTH).map(move |slot| (i, slot)));
    let mut pairs: Vec<(f32, usize, usize)> = pairs.map(|(i, slot)| (fit(i, slot), i, slot)).collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut slots, mut taken) = (vec![WIDTH; boxes.len()], [false; WIDTH]);
    for (_, i, slot) in pairs {
        if slots[i] == WIDTH && !taken[slot] {
            (slots[i], taken[slot]) = (slot, true);
        }
    }
    slots
}

/// The least power of two that covers an extent in 255 steps: its biased exponent, and itself.
#[allow(clippy::cast_possible_truncation, reason = "rounding to f32, upwards")]
fn step(extent: f64) -> (u32, f64) {
    let least = ((extent / LAST) as f32).next_up();
    let exponent = (least.to_bits() >> 23).saturating_add(1).clamp(1, 254);
    (exponent, f64::from(f32::from_bits(exponent << 23)))
}

/// The next f32 that is not greater.
#[allow(clippy::cast_possible_truncation, reason = "rounding to f32, downwards")]
fn below(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
fn put(planes: &mut [u32; 2], slot: usize, byte: f64) {
    let shift = 8 * (slot % 4);
    let word = &mut planes[slot / 4];
    *word = *word & !(255 << shift) | (byte as u32) << shift;
}
