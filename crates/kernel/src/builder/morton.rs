//! Along a space-filling curve: sort by Morton codes of centroids, then cut where the highest bit changes
//! [Lauterbach09].

use super::Context;
use super::prim_ref::{Extent, Lanes, PrimRef};
use super::subtree::Subtree;
use crate::layout::{Bvh2Node, Forest, index, push_pair};

/// Bits per axis.
const BITS: u32 = 10;

/// Code and position before sorting.
#[derive(Clone, Copy)]
struct Key {
    code: u32,
    at: u32,
}

/// Puts a tree over `refs`; its nodes, and the primitives in the order of the curve.
pub(super) fn build(refs: &[PrimRef], extent: &Extent, context: &Context<'_>) -> (Vec<Bvh2Node>, Vec<u32>) {
    let grid = Grid::new(&extent.centroids);
    let mut keys: Vec<Key> =
        refs.iter().enumerate().map(|(at, r)| Key { code: grid.code(r), at: index(at) }).collect();
    sort(&mut keys);
    // Memory answers many of these questions at a time, but not those of the recursion.
    let sorted: Vec<PrimRef> = keys.iter().map(|key| refs[key.at as usize]).collect();
    let nodes = grow(&keys, &sorted, 0, context).0.into_nodes();
    (nodes, sorted.iter().map(PrimRef::prim).collect())
}

struct Grid {
    origin: [f32; 3],
    scale: [f32; 3],
}

impl Grid {
    fn new(centroids: &Lanes) -> Self {
        // Cubic cells: cuts go through the longest side first.
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
            // Adding 2²³ rounds to an integer and leaves it in the low bits.
            let bits = ((if cell < last { cell } else { last }) + 8_388_608.0).to_bits() & ((1 << BITS) - 1);
            spread(bits)
        });
        x << 2 | y << 1 | z
    }
}

/// Two zeros before each of ten bits.
#[inline(always)]
fn spread(x: u32) -> u32 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// Radix sort, stable: equal codes stay in the order of the primitives.
fn sort(keys: &mut Vec<Key>) {
    const DIGIT: u32 = 10;
    let mut other = keys.clone();
    for pass in 0..3 {
        let digit = |key: &Key| (key.code >> (pass * DIGIT)) as usize % (1 << DIGIT);
        let mut next = vec![0usize; 1 << DIGIT];
        keys.iter().for_each(|key| next[digit(key)] += 1);
        let mut sum = 0;
        for place in &mut next {
            sum += std::mem::replace(place, sum);
        }
        for key in keys.iter() {
            let place = &mut next[digit(key)];
            other[*place] = *key;
            *place += 1;
        }
        std::mem::swap(keys, &mut other);
    }
}

/// Where to cut: before the first key with the highest bit in which the first and the last one differ; in the middle,
/// between whole blocks, when all are equal.
#[inline(always)]
fn cut(keys: &[Key], block: usize) -> usize {
    let (first, last) = (keys[0].code, keys[keys.len() - 1].code);
    if first == last {
        return (keys.len() / 2).next_multiple_of(block).min(keys.len() - 1);
    }
    let bit = 31 - (first ^ last).leading_zeros();
    keys.partition_point(|key| key.code >> bit == first >> bit)
}

fn grow(keys: &[Key], refs: &[PrimRef], first: usize, context: &Context<'_>) -> (Subtree, Forest, Lanes) {
    if context.is_one_piece(keys.len()) {
        let mut nodes = Vec::with_capacity(keys.len());
        nodes.push(Bvh2Node::VACANT);
        let (forest, bounds) = grow_serial(keys, refs, first, 0, &mut nodes, context);
        context.monitor.advance(keys.len());
        return (Subtree::Nodes(nodes), forest, bounds);
    }
    let middle = cut(keys, 1 << context.settings.prices.block_log2);
    let (left, right) = context.settings.join(
        || grow(&keys[..middle], &refs[..middle], first, context),
        || grow(&keys[middle..], &refs[middle..], first + middle, context),
    );
    let bounds = left.2.union(right.2);
    let (subtree, forest) = Subtree::pair(&bounds, (left.0, left.1), (right.0, right.1), context);
    (subtree, forest, bounds)
}

fn grow_serial(
    keys: &[Key],
    refs: &[PrimRef],
    first: usize,
    slot: usize,
    nodes: &mut Vec<Bvh2Node>,
    context: &Context<'_>,
) -> (Forest, Lanes) {
    if keys.len() <= context.settings.granule {
        let bounds = refs.iter().fold(Lanes::EMPTY, |b, r| b.union(r.lanes()));
        nodes[slot] = Bvh2Node::leaf(bounds.aabb(), index(first), index(keys.len()));
        let area = bounds.half_area(context.scale);
        return (Forest::leaf(area, keys.len(), &context.settings.prices), bounds);
    }
    let middle = cut(keys, 1 << context.settings.prices.block_log2);
    let children = push_pair(nodes);
    let (left, left_bounds) = grow_serial(&keys[..middle], &refs[..middle], first, children, nodes, context);
    let (right, right_bounds) =
        grow_serial(&keys[middle..], &refs[middle..], first + middle, children + 1, nodes, context);
    let bounds = left_bounds.union(right_bounds);
    let (forest, choice) = context.join(bounds.half_area(context.scale), &left, &right);
    nodes[slot] = Bvh2Node::inner(bounds.aabb(), index(children), choice);
    (forest, bounds)
}
