//! Primitive references → one canonical [`Bvh2`]: top-down, binned surface area heuristic, parallel by `rayon::join`.
//!
//! The tree is a function of the references alone: bins and ties have a fixed order, and threads work on disjoint
//! ranges whose cuts do not depend on who makes them. The depth is bounded: below [`SAH_DEPTH`] nodes are halved by
//! count, so recursion ends after at most `SAH_DEPTH + 32` levels whatever the input.

mod bvh2;
mod options;
mod prim_ref;
mod split;

use sunfleck_math::Aabb;

pub(crate) use bvh2::{Bvh2, Bvh2Node, half_area};
pub use options::BuildOptions;
pub(crate) use prim_ref::PrimRef;
use prim_ref::{Extent, PARALLEL_MIN};
use split::{Binning, MAX_BINS, Split};

/// Levels that follow the surface area heuristic.
const SAH_DEPTH: usize = 64;

/// [`BuildOptions`], clamped and with what the primitive's kind decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    max_leaf_size: usize,
    bins: usize,
    traversal_cost: f64,
    parallel: bool,
    block: usize,
}

impl Settings {
    /// `block` primitives are tested at the price of one, and a leaf holds at most `leaf_limit` of them.
    pub(crate) fn new(options: &BuildOptions, block: usize, leaf_limit: usize) -> Self {
        Self {
            max_leaf_size: options.max_leaf_size.clamp(1, leaf_limit),
            bins: options.bins.clamp(2, MAX_BINS),
            traversal_cost: f64::from(options.traversal_cost).max(0.0),
            parallel: options.parallel,
            block,
        }
    }
}

/// Builds the tree. Every reference ends up in exactly one leaf; `refs` is reordered.
pub(crate) fn build(refs: &mut [PrimRef], settings: &Settings) -> Bvh2 {
    let mut nodes = Vec::new();
    if !refs.is_empty() {
        nodes.reserve(refs.len());
        nodes.push(Bvh2Node { bounds: Aabb::EMPTY, first: 0, count: 0 });
        place(grow(refs, 0, 0, settings), 0, &mut nodes);
    }
    Bvh2 { nodes, prims: refs.iter().map(|r| r.prim).collect() }
}

/// A finished part of the tree: the nodes of a small one, or two that were built side by side.
enum Subtree {
    Nodes(Vec<Bvh2Node>),
    Pair(Aabb, Box<[Subtree; 2]>),
}

/// Builds the large nodes at the top, children in parallel. `first` is the position of `refs` in the whole.
fn grow(refs: &mut [PrimRef], first: usize, depth: usize, settings: &Settings) -> Subtree {
    if refs.len() < PARALLEL_MIN || !settings.parallel {
        let mut nodes = vec![Bvh2Node { bounds: Aabb::EMPTY, first: 0, count: 0 }];
        grow_serial(refs, first, depth, 0, &mut nodes, &Settings { parallel: false, ..*settings });
        return Subtree::Nodes(nodes);
    }
    let (bounds, cut) = cut(refs, depth, settings);
    match cut {
        None => Subtree::Nodes(vec![leaf(refs, first, bounds)]),
        Some(middle) => {
            let (left, right) = refs.split_at_mut(middle);
            let (left, right) = rayon::join(
                || grow(left, first, depth + 1, settings),
                || grow(right, first + middle, depth + 1, settings),
            );
            Subtree::Pair(bounds, Box::new([left, right]))
        }
    }
}

/// Builds a small subtree into `nodes[slot]` and appended nodes.
fn grow_serial(
    refs: &mut [PrimRef],
    first: usize,
    depth: usize,
    slot: usize,
    nodes: &mut Vec<Bvh2Node>,
    settings: &Settings,
) {
    let (bounds, cut) = cut(refs, depth, settings);
    let Some(middle) = cut else {
        nodes[slot] = leaf(refs, first, bounds);
        return;
    };
    let children = push_pair(nodes);
    nodes[slot] = Bvh2Node { bounds, first: index(children), count: 0 };
    let (left, right) = refs.split_at_mut(middle);
    grow_serial(left, first, depth + 1, children, nodes, settings);
    grow_serial(right, first + middle, depth + 1, children + 1, nodes, settings);
}

/// Appends the parts of the tree to `nodes`, the root of `tree` at `slot`.
fn place(tree: Subtree, slot: usize, nodes: &mut Vec<Bvh2Node>) {
    match tree {
        Subtree::Nodes(part) => {
            let offset = index(nodes.len()).wrapping_sub(1);
            let moved = |node: &Bvh2Node| match node.is_leaf() {
                true => *node,
                false => Bvh2Node { first: node.first.wrapping_add(offset), ..*node },
            };
            nodes[slot] = part.first().map_or(nodes[slot], moved);
            nodes.extend(part.iter().skip(1).map(moved));
        }
        Subtree::Pair(bounds, parts) => {
            let children = push_pair(nodes);
            nodes[slot] = Bvh2Node { bounds, first: index(children), count: 0 };
            let [left, right] = *parts;
            place(left, children, nodes);
            place(right, children + 1, nodes);
        }
    }
}

/// Bounds of a node, and how many of its references (reordered) go to the left child; none for a leaf.
fn cut(refs: &mut [PrimRef], depth: usize, settings: &Settings) -> (Aabb, Option<usize>) {
    let extent = Extent::of(refs, settings.parallel);
    let fits = refs.len() <= settings.max_leaf_size;
    if refs.len() == 1 {
        return (extent.bounds, None);
    }
    if depth < SAH_DEPTH {
        // Small nodes need few bins: more would stay empty.
        let binning = Binning::new(&extent.centroids, settings.bins.min(refs.len().max(8)));
        if let Some(split) = split::find(refs, binning, settings.block, settings.parallel) {
            let keep = fits && !pays(&split, &extent.bounds, refs.len(), settings);
            return (extent.bounds, (!keep).then(|| partition(refs, &split)));
        }
    }
    (extent.bounds, (!fits).then(|| halve(refs, &extent.centroids)))
}

/// Whether cutting is expected to be cheaper than a leaf.
fn pays(split: &Split, bounds: &Aabb, count: usize, settings: &Settings) -> bool {
    let area = half_area(bounds);
    settings.traversal_cost * area + split.cost < area * count.div_ceil(settings.block) as f64
}

/// Moves the left side to the front and returns its length; both sides are non-empty.
fn partition(refs: &mut [PrimRef], split: &Split) -> usize {
    let (mut left, mut right) = (0, refs.len());
    while left < right {
        if split.goes_left(&refs[left]) {
            left += 1;
        } else {
            right -= 1;
            refs.swap(left, right);
        }
    }
    left
}

/// Cuts at the median of the widest axis of the centroids; the index of the primitive breaks ties.
fn halve(refs: &mut [PrimRef], centroids: &Aabb) -> usize {
    let size = centroids.size();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let middle = refs.len() / 2;
    refs.select_nth_unstable_by(middle, |a, b| {
        a.centroid(axis).total_cmp(&b.centroid(axis)).then(a.prim.cmp(&b.prim))
    });
    middle
}

fn leaf(refs: &mut [PrimRef], first: usize, bounds: Aabb) -> Bvh2Node {
    refs.sort_unstable_by_key(|r| r.prim);
    Bvh2Node { bounds, first: index(first), count: index(refs.len()) }
}

fn push_pair(nodes: &mut Vec<Bvh2Node>) -> usize {
    let node = Bvh2Node { bounds: Aabb::EMPTY, first: 0, count: 0 };
    nodes.extend([node, node]);
    nodes.len() - 2
}

#[allow(clippy::cast_possible_truncation, reason = "callers limit the primitives to 2^30")]
fn index(i: usize) -> u32 {
    i as u32
}
