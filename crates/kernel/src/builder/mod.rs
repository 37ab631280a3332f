//! Builders of the canonical [`Bvh2`], from references to primitives; [`layout`](crate::layout) collapses it.
//!
//! All builders compute the collapse costs of a node from those of its children, on the way back from the recursion
//! ([`CollapseCosts`]). On the way down, [`top_down`] splits sets of references by the surface area heuristic, between
//! centroids ([`object_split`]) or through triangles ([`spatial_split`]); [`morton`] splits along a space-filling
//! curve. After spatial splits, some subtrees are reinserted.
//!
//! The tree depends on the references only: bins and ties have a fixed order, and threads work on disjoint ranges whose
//! splits do not depend on the thread. The depth is bounded for any input: below level [`SAH_DEPTH`], nodes are split
//! at the median, so that the recursion ends after at most [`MAX_DEPTH`] levels.

mod monitor;
mod morton;
mod object_split;
mod options;
mod prepare;
mod prim_ref;
mod spatial_split;
mod subtree;
mod top_down;

use fearless_simd::{Level, dispatch};
use rayon::prelude::*;
use sunfleck_math::Vec3;

pub(crate) use monitor::Monitor;
pub use monitor::Progress;
pub use options::{BuildOptions, Quality};
pub(crate) use prepare::{Prepared, is_degenerate, prepare};
pub(crate) use prim_ref::PrimRef;
use prim_ref::{Extent, SimdAabb};

use crate::layout::{Bvh2, CollapseCosts, CollapseDecision, CostModel, Reinsertion, decide_collapse};
use crate::memory;

/// Number of levels that are split by the surface area heuristic.
const SAH_DEPTH: usize = 64;

/// Maximum number of levels of a tree.
const MAX_DEPTH: usize = SAH_DEPTH + 32;

/// Reinsertion after spatial splits. More candidates would cost more time than they save.
const REINSERTION: Reinsertion = Reinsertion { nodes_per_candidate: 10, max_candidates: 1 << 20 };

/// Number of references per parallel task.
pub(crate) const CHUNK: usize = 1 << 13;

/// Function that returns the vertices of a triangle.
pub(crate) type Corners<'a> = dyn Fn(u32) -> [Vec3; 3] + Sync + 'a;

/// Settings of a build: [`BuildOptions`], clamped and completed by properties of the kind of primitive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuildSettings {
    quality: Quality,
    bins: usize,
    /// Number of references per bin in small sets, which need fewer bins.
    refs_per_bin: usize,
    cost_model: CostModel,
    /// Maximum number of references that are not split further: a block or, to save time, a little more.
    leaf_threshold: usize,
    parallel: bool,
    /// See [`BuildOptions::memory_limit`].
    memory_limit: Option<u64>,
}

impl BuildSettings {
    /// Creates settings for primitives that are tested in blocks of `block`, a power of two, with at most `leaf_limit`
    /// of them in a leaf.
    pub(crate) fn new(options: &BuildOptions, block: usize, leaf_limit: usize) -> Self {
        let max_leaf = options.max_leaf_size.clamp(1, leaf_limit);
        let node = if options.traversal_cost > 0.0 { options.traversal_cost.min(1e6) } else { 0.0 };
        let cuts = options.quality == Quality::Best && options.duplicates_percent > 0;
        Self {
            quality: options.quality,
            bins: options.bins.clamp(2, object_split::MAX_BINS),
            refs_per_bin: if cuts { 8 } else { 16 },
            cost_model: CostModel { node, block_log2: block.ilog2(), max_leaf },
            leaf_threshold: if options.quality == Quality::Fast { block * 3 / 2 } else { block }
                .min(max_leaf),
            parallel: options.parallel,
            memory_limit: options.memory_limit,
        }
    }

    /// Runs two functions, in parallel if the options allow it.
    fn join<A: Send, B: Send>(&self, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        if self.parallel { rayon::join(a, b) } else { (a(), b()) }
    }
}

/// Data that all steps of a build share.
#[derive(Clone, Copy)]
struct Context<'a> {
    settings: BuildSettings,
    level: Level,
    /// Factor by which lengths are multiplied before areas are computed; see [`object_split::unit_scale`].
    scale: f32,
    /// Area of the root, in scaled units.
    root_area: f32,
    /// Vertices of triangles, if spatial splits are allowed.
    corners: Option<&'a Corners<'a>>,
    monitor: &'a Monitor<'a>,
}

impl Context<'_> {
    /// Returns whether to build a subtree without a division into tasks: if it is small, or the build is serial and
    /// without progress callback, or it is cancelled.
    fn builds_serially(&self, refs: usize) -> bool {
        refs < CHUNK
            || !(self.settings.parallel || self.monitor.has_listener())
            || self.monitor.is_cancelled()
    }

    /// See [`CollapseCosts::join`].
    fn join(
        &self,
        area: f32,
        left: &CollapseCosts,
        right: &CollapseCosts,
    ) -> (CollapseCosts, CollapseDecision) {
        dispatch!(self.level, simd => CollapseCosts::join(simd, area, left, right, &self.settings.cost_model))
    }

    /// Returns the context of a subtree that is built by one thread.
    fn serial(&self) -> Self {
        Self { settings: BuildSettings { parallel: false, ..self.settings }, ..*self }
    }
}

/// Builds a tree in which each reference is in exactly one leaf; reorders `refs`.
pub(crate) fn build(refs: &mut [PrimRef], settings: &BuildSettings) -> Bvh2 {
    let live = refs.len();
    build_with(refs, live, None, settings, &Monitor::silent())
}

/// Builds a tree over the first `live` references; the rest is capacity for duplicates.
///
/// Spatial splits create duplicates if `corners` are given. A cancelled build returns an unfinished tree.
pub(crate) fn build_with(
    refs: &mut [PrimRef],
    live: usize,
    corners: Option<&Corners<'_>>,
    settings: &BuildSettings,
    monitor: &Monitor<'_>,
) -> Bvh2 {
    if live == 0 {
        return Bvh2 { nodes: Vec::new(), prims: Vec::new(), parallel: false };
    }
    let extent = if settings.parallel {
        // Unions are exact and the order of `reduce` is fixed, so any number of threads computes the same bits.
        refs[..live].par_chunks(CHUNK).map(Extent::of).reduce(|| Extent::EMPTY, Extent::union)
    } else {
        Extent::of(&refs[..live])
    };
    let scale = object_split::unit_scale(&extent.bounds);
    let context = Context {
        settings: *settings,
        level: Level::new(),
        scale,
        root_area: extent.bounds.half_area(scale),
        corners,
        monitor,
    };
    let parallel = settings.parallel;
    if settings.quality == Quality::Fast {
        let (nodes, prims) = morton::build(&refs[..live], &extent, &context);
        return Bvh2 { nodes, prims, parallel };
    }
    if let Some(corners) = corners {
        let mark = |r: &mut PrimRef| r.set_cuttable(spatial_split::may_split(&corners(r.prim())));
        refs[..live].par_iter_mut().with_min_len(CHUNK).for_each(mark);
    }
    let set = top_down::RefSet { refs: &mut *refs, live, first: 0, depth: 0, extent };
    let mut nodes = top_down::build(set, &context).0.into_nodes();
    // Reinsertion is part of `Quality::Best`, as are spatial splits.
    let fits = memory::has_room_for_reinsertion(refs.len(), nodes.len(), settings.memory_limit);
    if corners.is_some() && fits && !monitor.is_cancelled() {
        nodes = REINSERTION.optimize(nodes, MAX_DEPTH, parallel);
        // The inner nodes are new, so the collapse decisions are computed again.
        decide_collapse(&mut nodes, &settings.cost_model, |nodes, at| {
            SimdAabb::from(&nodes[at].bounds).half_area(scale)
        });
    }
    Bvh2 { nodes, prims: refs.iter().map(PrimRef::prim).collect(), parallel }
}
