//! Primitive references → one canonical [`Bvh2`], which [`layout`](crate::layout) converts.
//!
//! Three builders share the way up: each node learns from its children what it costs as part of a wide tree
//! ([`Forest`]). On the way down, [`grow`] cuts sets of references by the surface area heuristic ([`object_split`]) and
//! through triangles ([`spatial_split`]), after which some subtrees are reinserted; [`morton`] follows a space-filling curve.
//!
//! The tree is a function of the references alone: bins and ties have a fixed order, and threads work on disjoint
//! ranges whose cuts do not depend on who makes them. The depth is bounded: below [`SAH_DEPTH`] nodes are halved by
//! count, so recursion ends after at most [`DEEPEST`] levels whatever the input.

mod grow;
mod monitor;
mod morton;
mod object_split;
mod options;
mod prepare;
mod prim_ref;
mod spatial_split;
mod subtree;

use fearless_simd::{Level, dispatch};
use rayon::prelude::*;
use sunfleck_math::Vec3;

pub(crate) use monitor::Monitor;
pub use monitor::Progress;
pub use options::{BuildOptions, Quality};
pub(crate) use prepare::{Prepared, is_degenerate, prepare};
pub(crate) use prim_ref::PrimRef;
use prim_ref::{Extent, Lanes};

use crate::layout::{Bvh2, Choice, Forest, Prices, Reinsertion, choose};
use crate::memory;

/// Levels that follow the surface area heuristic.
const SAH_DEPTH: usize = 64;

/// Levels that a tree has at most.
const DEEPEST: usize = SAH_DEPTH + 32;

/// More subtrees take longer than they bring.
const REINSERTION: Reinsertion = Reinsertion { share: 10, most: 1 << 20 };

/// References that one thread works on at a time.
pub(crate) const CHUNK: usize = 1 << 13;

/// The vertices of a triangle.
pub(crate) type Corners<'a> = dyn Fn(u32) -> [Vec3; 3] + Sync + 'a;

/// [`BuildOptions`], clamped and with what the primitive's kind decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    quality: Quality,
    bins: usize,
    /// Small sets have one bin for so many references.
    refs_per_bin: usize,
    prices: Prices,
    /// Sets of up to this many references are not cut: a block, or, to save time, a little more.
    granule: usize,
    parallel: bool,
    /// Bytes.
    memory_limit: Option<u64>,
}

impl Settings {
    /// `block` primitives, a power of two, are tested at the price of one, and a leaf holds at most `leaf_limit` of them.
    pub(crate) fn new(options: &BuildOptions, block: usize, leaf_limit: usize) -> Self {
        let max_leaf = options.max_leaf_size.clamp(1, leaf_limit);
        let node = if options.traversal_cost > 0.0 { options.traversal_cost.min(1e6) } else { 0.0 };
        let cuts = options.quality == Quality::Best && options.duplicates_percent > 0;
        Self {
            quality: options.quality,
            bins: options.bins.clamp(2, object_split::MAX_BINS),
            refs_per_bin: if cuts { 8 } else { 16 },
            prices: Prices { node, block_log2: block.ilog2(), max_leaf },
            granule: if options.quality == Quality::Fast { block * 3 / 2 } else { block }.min(max_leaf),
            parallel: options.parallel,
            memory_limit: options.memory_limit,
        }
    }

    /// Does two things, side by side if it may.
    fn join<A: Send, B: Send>(&self, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
        if self.parallel { rayon::join(a, b) } else { (a(), b()) }
    }
}

/// What all steps of a build share.
#[derive(Clone, Copy)]
struct Context<'a> {
    settings: Settings,
    level: Level,
    /// Lengths are multiplied by this before areas are taken.
    scale: f32,
    root_area: f32,
    /// Where triangles may be cut.
    corners: Option<&'a Corners<'a>>,
    monitor: &'a Monitor<'a>,
}

impl Context<'_> {
    /// Whether to build a set without a break: on one thread, small, or with nobody to tell how far it is.
    fn is_one_piece(&self, refs: usize) -> bool {
        refs < CHUNK || !(self.settings.parallel || self.monitor.is_heard()) || self.monitor.is_cancelled()
    }

    /// See [`Forest::join`].
    fn join(&self, area: f32, left: &Forest, right: &Forest) -> (Forest, Choice) {
        dispatch!(self.level, simd => Forest::join(simd, area, left, right, &self.settings.prices))
    }

    /// For small sets.
    fn serial(&self) -> Self {
        Self { settings: Settings { parallel: false, ..self.settings }, ..*self }
    }
}

/// Builds a tree in which each reference is in exactly one leaf; `refs` is reordered.
pub(crate) fn build(refs: &mut [PrimRef], settings: &Settings) -> Bvh2 {
    let live = refs.len();
    build_with(refs, live, None, settings, &Monitor::silent())
}

/// Builds a tree over the first `live` references; the rest is room for duplicates, which are made where `corners` are
/// known. Half a tree when cancelled.
pub(crate) fn build_with(
    refs: &mut [PrimRef],
    live: usize,
    corners: Option<&Corners<'_>>,
    settings: &Settings,
    monitor: &Monitor<'_>,
) -> Bvh2 {
    if live == 0 {
        return Bvh2 { nodes: Vec::new(), prims: Vec::new(), parallel: false };
    }
    let extent = if settings.parallel {
        // Unions are exact and the order of `reduce` is fixed: the same bits for every number of threads.
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
    let set = grow::Set { refs: &mut *refs, live, first: 0, depth: 0, extent };
    let mut nodes = grow::grow(set, &context).0.into_nodes();
    // What is built with care is worth some more
    let fits = memory::has_room_for_reinsertion(refs.len(), nodes.len(), settings.memory_limit);
    if corners.is_some() && fits && !monitor.is_cancelled() {
        nodes = REINSERTION.optimize(nodes, DEEPEST, parallel);
        // Other inner nodes, other choices
        choose(&mut nodes, &settings.prices, |nodes, at| Lanes::from(&nodes[at].bounds).half_area(scale));
    }
    Bvh2 { nodes, prims: refs.iter().map(PrimRef::prim).collect(), parallel }
}
