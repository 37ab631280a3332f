//! Top-down: cut, recur, and price the result on the way back up.

use fearless_simd::{Simd, dispatch};

use super::object_split::{Bins, ObjectSplit};
use super::prim_ref::{Extent, PrimRef};
use super::spatial_split::SpatialSplit;
use super::subtree::Subtree;
use super::{Context, SAH_DEPTH};
use crate::layout::{Bvh2Node, Forest, index, push_pair};

/// A set of references to be put under a tree: those at the front of `refs`; the rest is room for duplicates.
pub(super) struct Set<'a> {
    pub(super) refs: &'a mut [PrimRef],
    pub(super) live: usize,
    /// Position of `refs` in the whole.
    pub(super) first: usize,
    pub(super) depth: usize,
    pub(super) extent: Extent,
}

impl<'a> Set<'a> {
    /// The set in two, or, where it is to be a leaf, the set again.
    #[inline]
    #[allow(clippy::result_large_err, reason = "inlined: nothing is copied")]
    fn cut(self, context: &Context<'_>, bins: &mut Bins) -> Result<[Self; 2], Self> {
        if self.live <= context.settings.granule {
            return Err(self);
        }
        Ok(dispatch!(context.level, simd => self.cut_anyway(simd, context, bins)))
    }

    #[inline(always)]
    fn cut_anyway<S: Simd>(self, simd: S, context: &Context<'_>, bins: &mut Bins) -> [Self; 2] {
        let Set { refs, live, first, depth, extent } = self;
        let room = refs.len() - live;
        let mut cut = None;
        if depth < SAH_DEPTH {
            let object = ObjectSplit::find(simd, &refs[..live], &extent, &context.settings, bins);
            cut = SpatialSplit::find(simd, &refs[..live], &extent, object.as_ref(), room, context)
                .and_then(|split| split.partition(simd, refs, live, context));
            if let (None, Some(split)) = (&cut, &object) {
                let (left, sides) = split.partition(simd, &mut refs[..live]);
                cut = Some((left, live, sides));
            }
        }
        let (left, live, sides) = cut.unwrap_or_else(|| {
            let left = halve(&mut refs[..live], &extent, context.settings.granule);
            (left, live, [Extent::of(&refs[..left]), Extent::of(&refs[left..live])])
        });

        // Each side gets a share of the room; in between, references of the right side change places with it.
        let gap = (refs.len() - live) * left / live;
        let moved = gap.min(live - left);
        refs.copy_within(left..left + moved, live + gap - moved);
        let (left_refs, right_refs) = refs.split_at_mut(left + gap);
        let right_first = first + left_refs.len();
        let [a, b] = sides;
        [
            Set { refs: left_refs, live: left, first, depth: depth + 1, extent: a },
            Set { refs: right_refs, live: live - left, first: right_first, depth: depth + 1, extent: b },
        ]
    }

    fn leaf(&self, context: &Context<'_>) -> (Bvh2Node, Forest) {
        let bounds = &self.extent.bounds;
        let forest = Forest::leaf(bounds.half_area(context.scale), self.live, &context.settings.prices);
        (Bvh2Node::leaf(bounds.aabb(), index(self.first), index(self.live)), forest)
    }
}

/// Builds the large nodes at the top, children side by side.
pub(super) fn grow(set: Set<'_>, context: &Context<'_>) -> (Subtree, Forest) {
    if context.is_one_piece(set.live) {
        let live = set.live;
        let mut nodes = Vec::with_capacity(live);
        nodes.push(Bvh2Node::VACANT);
        let forest = grow_serial(set, 0, &mut nodes, &mut Bins::new(), &context.serial());
        context.monitor.advance(live);
        return (Subtree::Nodes(nodes), forest);
    }
    let bounds = set.extent.bounds;
    match set.cut(context, &mut Bins::new()) {
        Err(set) => {
            let (leaf, forest) = set.leaf(context);
            (Subtree::Nodes(vec![leaf]), forest)
        }
        Ok([left, right]) => {
            let (left, right) = context.settings.join(|| grow(left, context), || grow(right, context));
            Subtree::pair(&bounds, left, right, context)
        }
    }
}

/// Builds a small subtree into `nodes[slot]` and appended nodes.
fn grow_serial(
    set: Set<'_>,
    slot: usize,
    nodes: &mut Vec<Bvh2Node>,
    bins: &mut Bins,
    context: &Context<'_>,
) -> Forest {
    let bounds = set.extent.bounds;
    match set.cut(context, bins) {
        Err(set) => {
            let (leaf, forest) = set.leaf(context);
            nodes[slot] = leaf;
            forest
        }
        Ok([left, right]) => {
            let children = push_pair(nodes);
            let left = grow_serial(left, children, nodes, bins, context);
            let right = grow_serial(right, children + 1, nodes, bins, context);
            let area = bounds.half_area(context.scale);
            let (forest, choice) = context.join(area, &left, &right);
            nodes[slot] = Bvh2Node::inner(bounds.aabb(), index(children), choice);
            forest
        }
    }
}

/// Cuts near the median of the widest axis of the centroids; the index of the primitive breaks ties.
fn halve(refs: &mut [PrimRef], extent: &Extent, granule: usize) -> usize {
    let [x, y, z] = extent.centroids.size();
    let axis = if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    };
    // Whole blocks, where there are several
    let middle = (refs.len() / 2).next_multiple_of(granule).min(refs.len() - 1);
    let centroid = |r: &PrimRef| r.lanes().doubled_centroid().lower(axis);
    refs.select_nth_unstable_by(middle, |a, b| {
        centroid(a).total_cmp(&centroid(b)).then(a.prim().cmp(&b.prim()))
    });
    middle
}
