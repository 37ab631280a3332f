use fearless_simd::Simd;

use super::slot::Slot;
use super::{Scene, Sink};
use crate::layout::Bvh8Node;
use crate::primitive::{BATCH, Padding, RayBatch, RayNumbers, corners};
use crate::stream::RayStream;

/// Selection of rays of a stream.
#[derive(Clone, Copy)]
pub(crate) enum Selection<'a> {
    /// The first rays of the stream, as many as given.
    First(usize),
    /// Rays with these indices.
    Indices(&'a [usize]),
}

impl Selection<'_> {
    fn len(&self) -> usize {
        match self {
            Self::First(len) => *len,
            Self::Indices(indices) => indices.len(),
        }
    }

    /// Returns the index in the stream of the selection's ray `i`.
    #[inline(always)]
    fn index(&self, i: usize) -> usize {
        match self {
            Self::First(_) => i,
            Self::Indices(indices) => indices.get(i).copied().unwrap_or(usize::MAX),
        }
    }
}

/// Rays that have not started yet.
pub(super) struct PendingRays<'a> {
    pub(super) rays: &'a RayStream<'a>,
    selection: Selection<'a>,
    /// Current batch of sixteen rays.
    batch: RayBatch,
    /// Rays of the batch, transposed.
    ready: [RayNumbers; BATCH],
    /// Start of the batch in the selection.
    start: usize,
    /// Lanes of the batch that have not started.
    lanes: u32,
    /// Start of the next batch in the selection.
    next: usize,
}

impl<'a> PendingRays<'a> {
    pub(super) fn new(rays: &'a RayStream<'a>, selection: Selection<'a>) -> Self {
        let ready = [RayNumbers::UNSET; BATCH];
        Self { rays, selection, batch: RayBatch::EMPTY, ready, start: 0, lanes: 0, next: 0 }
    }

    /// Loads the next batch, if there is one.
    #[inline(always)]
    fn load<S: Simd, const TWO_LEVEL: bool>(&mut self, simd: S, scene: &Scene<'_>) -> bool {
        self.start = self.next;
        let left = self.selection.len().saturating_sub(self.start);
        if left == 0 {
            return false;
        }
        let raw = match self.selection {
            Selection::First(_) => self.rays.load(simd, self.start, left),
            Selection::Indices(indices) => {
                self.rays.gather(simd, &indices[self.start..self.start + left.min(BATCH)])
            }
        };
        let (low, high) = corners(simd, &scene.bounds);
        let padding = match TWO_LEVEL {
            true => Padding::Instances(scene.world.tlas.padding()),
            false => Padding::Triangles { low, high },
        };
        self.batch.prepare(simd, &raw, &padding);
        self.batch.cull(simd, &low, &high);
        self.batch.transpose(simd, &mut self.ready);
        self.lanes = self.batch.valid;
        self.next += BATCH;
        true
    }

    /// Moves a ray from the batch into a slot. Returns false if there are none left.
    #[inline(always)]
    pub(super) fn start_next_ray<'b, S: Simd, K: Sink, const TWO_LEVEL: bool>(
        &mut self,
        simd: S,
        scene: &Scene<'b>,
        slot: &mut Slot<'b>,
    ) -> bool {
        while self.lanes == 0 {
            if !self.load::<S, TWO_LEVEL>(simd, scene) {
                return false;
            }
        }
        let lane = self.lanes.trailing_zeros() as usize;
        self.lanes &= self.lanes - 1;
        let index = self.selection.index(self.start + lane);
        slot.begin::<K>(&self.ready[lane & (BATCH - 1)], self.batch.class[lane & (BATCH - 1)], index);
        if TWO_LEVEL {
            slot.tree = scene.tree;
            slot.top = true;
        }
        true
    }
}

/// Returns the rows of a ray's entry planes in nodes, and the shift that selects its visiting order.
#[inline(always)]
pub(super) fn rows_and_order<K: Sink>(class: u32) -> ([u32; 3], u32) {
    let order = if K::ANY { Bvh8Node::ANY_HIT_ORDER } else { class & 7 };
    (Bvh8Node::entered_rows(class), 3 * order)
}
