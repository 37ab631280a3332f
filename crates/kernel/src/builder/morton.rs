//! Linear BVH: sorts references by the Morton codes of their centroids, and splits where the highest bit changes
//! [Lauterbach09].

use super::Context;
use super::prim_ref::{Extent, PrimRef, SimdAabb};
use super::subtree::Subtree;
use crate::layout::{Bvh2Node, CollapseCosts, index, push_pair};

/// Bits per axis of a Morton code.
const BITS: u32 = 10;

/// Morton code of a reference and its index before sorting.
#[derive(Clone, Copy)]
struct Key {
    code: u32,
    at: u32,
}

/// Builds a tree over `refs`; returns its nodes, and the primitives in the order of the curve.
pub(super) fn build(refs: &[PrimRef], extent: &Extent, context: &Context<'_>) -> (Vec<Bvh2Node>, Vec<u32>) {
    let grid = Grid::new(&extent.centroids);
    let mut keys: Vec<Key> =
        refs.iter().enumerate().map(|(at, r)| Key { code: grid.code(r), at: index(at) }).collect();
    sort(&mut keys);
    // The references are gathered here, where many cache misses overlap; in the recursion they would not.
    let sorted: Vec<PrimRef> = keys.iter().map(|key| refs[key.at as usize]).collect();
    let nodes = build_range(&keys, &sorted, 0, context).0.into_nodes();
    (nodes, sorted.iter().map(PrimRef::prim).collect())
}

/// Grid of cubic cells whose coordinates are interleaved into Morton codes.
struct Grid {
    origin: [f32; 3],
    scale: [f32; 3],
}

impl Grid {
    fn new(centroids: &SimdAabb) -> Self {
        // Cells are cubes, so that the longest side is split first.
        let longest = centroids.size().into_iter().fold(0.0, f32::max);
        let cells = (1u32 << BITS) as f32;
        let scale = if longest > 0.0 { cells / longest } else { 0.0 };
        Self { origin: [0, 1, 2].map(|axis| centroids.lower(axis)), scale: [scale; 3] }
    }

    #[inline(always)]
    fn code(&self, r: &PrimRef) -> u32 {
        let c = r.lanes().doubled_centroid();
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let cell = (c.lower(axis) - self.origin[axis]) * self.scale[axis];
            let cell = if cell > 0.0 { cell } else { 0.0 };
            let last = ((1u32 << BITS) - 1) as f32;
            // Adding 2²³ rounds to an integer and leaves it in the low bits of the mantissa.
            let bits = ((if cell < last { cell } else { last }) + 8_388_608.0).to_bits() & ((1 << BITS) - 1);
            spread(bits)
        });
        x << 2 | y << 1 | z
    }
}

/// Inserts two zeros before each of ten bits.
#[inline(always)]
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// Sorts keys by code, by radix sort. It is stable: equal codes remain in the order of the primitives.
fn sort(keys: &mut Vec<Key>) {
    const DIGIT: u32 = 10;
    let mut other = keys.clone();
    for pass in 0..3 {
        let digit = |key: &Key| (key.code >> (pass * DIGIT)) as usize % (1 << DIGIT);
        let mut next = vec![0usize; 1 << DIGIT];
        keys.iter().for_each(|key| next[digit(key)] += 1);
        let mut sum = 0;
        for count in &mut next {
            sum += std::mem::replace(count, sum);
        }
        for key in keys.iter() {
            let target = &mut next[digit(key)];
            other[*target] = *key;
            *target += 1;
        }
        std::mem::swap(keys, &mut other);
    }
}

/// Returns the index at which to split sorted keys: at the first key that has the highest differing bit set or, if all
/// codes are equal, at a multiple of the block size near the middle.
#[inline(always)]
fn split(keys: &[Key], block: usize) -> usize {
    let (first, last) = (keys[0].code, keys[keys.len() - 1].code);
    if first == last {
        return (keys.len() / 2).next_multiple_of(block).min(keys.len() - 1);
    }
    let bit = 31 - (first ^ last).leading_zeros();
    keys.partition_point(|key| key.code >> bit == first >> bit)
}

/// Builds the subtree over a range of sorted references, in parallel if it is large. `first` is the index of the range.
fn build_range(
    keys: &[Key],
    refs: &[PrimRef],
    first: usize,
    context: &Context<'_>,
) -> (Subtree, CollapseCosts, SimdAabb) {
    if context.builds_serially(keys.len()) {
        let mut nodes = Vec::with_capacity(keys.len());
        nodes.push(Bvh2Node::VACANT);
        let (costs, bounds) = build_range_serial(keys, refs, first, 0, &mut nodes, context);
        context.monitor.advance(keys.len());
        return (Subtree::Nodes(nodes), costs, bounds);
    }
    let middle = split(keys, 1 << context.settings.cost_model.block_log2);
    let (left, right) = context.settings.join(
        || build_range(&keys[..middle], &refs[..middle], first, context),
        || build_range(&keys[middle..], &refs[middle..], first + middle, context),
    );
    let bounds = left.2.union(right.2);
    let (subtree, costs) = Subtree::pair(&bounds, (left.0, left.1), (right.0, right.1), context);
    (subtree, costs, bounds)
}

/// Builds the subtree over a range of sorted references into `nodes[slot]` and appended nodes.
fn build_range_serial(
    keys: &[Key],
    refs: &[PrimRef],
    first: usize,
    slot: usize,
    nodes: &mut Vec<Bvh2Node>,
    context: &Context<'_>,
) -> (CollapseCosts, SimdAabb) {
    if keys.len() <= context.settings.leaf_threshold {
        let bounds = refs.iter().fold(SimdAabb::EMPTY, |b, r| b.union(r.lanes()));
        nodes[slot] = Bvh2Node::leaf(bounds.aabb(), index(first), index(keys.len()));
        let area = bounds.half_area(context.scale);
        return (CollapseCosts::leaf(area, keys.len(), &context.settings.cost_model), bounds);
    }
    let middle = split(keys, 1 << context.settings.cost_model.block_log2);
    let children = push_pair(nodes);
    let (left, left_bounds) =
        build_range_serial(&keys[..middle], &refs[..middle], first, children, nodes, context);
    let (right, right_bounds) =
        build_range_serial(&keys[middle..], &refs[middle..], first + middle, children + 1, nodes, context);
    let bounds = left_bounds.union(right_bounds);
    let (costs, decision) = context.join(bounds.half_area(context.scale), &left, &right);
    nodes[slot] = Bvh2Node::inner(bounds.aabb(), index(children), decision);
    (costs, bounds)
}
