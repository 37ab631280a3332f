//! Top-down builder: splits sets of references recursively, and computes collapse costs on the way back.

use fearless_simd::{Simd, dispatch};

use super::object_split::{Bins, ObjectSplit};
use super::prim_ref::{Extent, PrimRef};
use super::spatial_split::SpatialSplit;
use super::subtree::Subtree;
use super::{Context, SAH_DEPTH};
use crate::layout::{Bvh2Node, CollapseCosts, index, push_pair};

/// Set of references over which a subtree is built: the first `live` of `refs`; the rest is capacity for duplicates.
pub(super) struct RefSet<'a> {
    pub(super) refs: &'a mut [PrimRef],
    pub(super) live: usize,
    /// Index of `refs[0]` in the array of all references.
    pub(super) first: usize,
    pub(super) depth: usize,
    pub(super) extent: Extent,
}

impl<'a> RefSet<'a> {
    /// Splits the set in two; returns it as an error if it becomes a leaf.
    #[inline]
    #[allow(clippy::result_large_err, reason = "inlined, so nothing is copied")]
    fn split(self, context: &Context<'_>, bins: &mut Bins) -> Result<[Self; 2], Self> {
        if self.live <= context.settings.leaf_threshold {
            return Err(self);
        }
        Ok(dispatch!(context.level, simd => self.split_now(simd, context, bins)))
    }

    #[inline(always)]
    fn split_now<S: Simd>(self, simd: S, context: &Context<'_>, bins: &mut Bins) -> [Self; 2] {
        let RefSet { refs, live, first, depth, extent } = self;
        let room = refs.len() - live;
        let mut split = None;
        if depth < SAH_DEPTH {
            let object = ObjectSplit::find(simd, &refs[..live], &extent, &context.settings, bins);
            split = SpatialSplit::find(simd, &refs[..live], &extent, object.as_ref(), room, context)
                .and_then(|spatial| spatial.partition(simd, refs, live, context));
            if let (None, Some(object)) = (&split, &object) {
                let (left, sides) = object.partition(simd, &mut refs[..live]);
                split = Some((left, live, sides));
            }
        }
        let (left, live, sides) = split.unwrap_or_else(|| {
            let left = median_split(&mut refs[..live], &extent, context.settings.leaf_threshold);
            (left, live, [Extent::of(&refs[..left]), Extent::of(&refs[left..live])])
        });

        // Each side gets a share of the capacity. References at the front of the right side move behind the left share.
        let gap = (refs.len() - live) * left / live;
        let moved = gap.min(live - left);
        refs.copy_within(left..left + moved, live + gap - moved);
        let (left_refs, right_refs) = refs.split_at_mut(left + gap);
        let right_first = first + left_refs.len();
        let [a, b] = sides;
        [
            RefSet { refs: left_refs, live: left, first, depth: depth + 1, extent: a },
            RefSet { refs: right_refs, live: live - left, first: right_first, depth: depth + 1, extent: b },
        ]
    }

    fn leaf(&self, context: &Context<'_>) -> (Bvh2Node, CollapseCosts) {
        let bounds = &self.extent.bounds;
        let costs =
            CollapseCosts::leaf(bounds.half_area(context.scale), self.live, &context.settings.cost_model);
        (Bvh2Node::leaf(bounds.aabb(), index(self.first), index(self.live)), costs)
    }
}

/// Builds a subtree, the children of large nodes in parallel.
pub(super) fn build(set: RefSet<'_>, context: &Context<'_>) -> (Subtree, CollapseCosts) {
    if context.builds_serially(set.live) {
        let live = set.live;
        let mut nodes = Vec::with_capacity(live);
        nodes.push(Bvh2Node::VACANT);
        let costs = build_serial(set, 0, &mut nodes, &mut Bins::new(), &context.serial());
        context.monitor.advance(live);
        return (Subtree::Nodes(nodes), costs);
    }
    let bounds = set.extent.bounds;
    match set.split(context, &mut Bins::new()) {
        Err(set) => {
            let (leaf, costs) = set.leaf(context);
            (Subtree::Nodes(vec![leaf]), costs)
        }
        Ok([left, right]) => {
            let (left, right) = context.settings.join(|| build(left, context), || build(right, context));
            Subtree::pair(&bounds, left, right, context)
        }
    }
}

/// Builds a small subtree into `nodes[slot]` and appended nodes.
fn build_serial(
    set: RefSet<'_>,
    slot: usize,
    nodes: &mut Vec<Bvh2Node>,
    bins: &mut Bins,
    context: &Context<'_>,
) -> CollapseCosts {
    let bounds = set.extent.bounds;
    match set.split(context, bins) {
        Err(set) => {
            let (leaf, costs) = set.leaf(context);
            nodes[slot] = leaf;
            costs
        }
        Ok([left, right]) => {
            let children = push_pair(nodes);
            let left = build_serial(left, children, nodes, bins, context);
            let right = build_serial(right, children + 1, nodes, bins, context);
            let area = bounds.half_area(context.scale);
            let (costs, decision) = context.join(area, &left, &right);
            nodes[slot] = Bvh2Node::inner(bounds.aabb(), index(children), decision);
            costs
        }
    }
}

/// Splits near the median along the axis in which the centroids extend furthest, and returns the number of references
/// on the left. The index of the primitive breaks ties.
fn median_split(refs: &mut [PrimRef], extent: &Extent, leaf_threshold: usize) -> usize {
    let [x, y, z] = extent.centroids.size();
    let axis = if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    };
    // The left side fills whole blocks.
    let middle = (refs.len() / 2).next_multiple_of(leaf_threshold).min(refs.len() - 1);
    let centroid = |r: &PrimRef| r.lanes().doubled_centroid().lower(axis);
    refs.select_nth_unstable_by(middle, |a, b| {
        centroid(a).total_cmp(&centroid(b)).then(a.prim().cmp(&b.prim()))
    });
    middle
}
