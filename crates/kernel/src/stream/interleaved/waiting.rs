use fearless_simd::Simd;

use super::slot::Slot;
use super::{Scene, Sink};
use crate::layout::Bvh8Node;
use crate::primitive::{BATCH, Padding, RayBatch, RayNumbers, corners};
use crate::stream::RayStream;

/// Which rays of a stream to trace.
#[derive(Clone, Copy)]
pub(crate) enum Selection<'a> {
    /// So many from the start on.
    First(usize),
    /// Those with these indices.
    These(&'a [usize]),
}

impl Selection<'_> {
    fn len(&self) -> usize {
        match self {
            Self::First(len) => *len,
            Self::These(indices) => indices.len(),
        }
    }

    /// The index in the stream of number `i`.
    #[inline(always)]
    fn index(&self, i: usize) -> usize {
        match self {
            Self::First(_) => i,
            Self::These(indices) => indices.get(i).copied().unwrap_or(usize::MAX),
        }
    }
}

/// The rays that have not begun.
pub(super) struct Waiting<'a> {
    pub(super) rays: &'a RayStream<'a>,
    selection: Selection<'a>,
    /// Sixteen of them, and the same one after the other.
    batch: RayBatch,
    ready: [RayNumbers; BATCH],
    /// Where the batch begins in the selection.
    start: usize,
    /// Lanes of the batch that have not begun.
    lanes: u32,
    /// Where the next batch begins in the selection.
    next: usize,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(rays: &'a RayStream<'a>, selection: Selection<'a>) -> Self {
        let ready = [RayNumbers::UNSET; BATCH];
        Self { rays, selection, batch: RayBatch::EMPTY, ready, start: 0, lanes: 0, next: 0 }
    }

    /// Loads the next batch, if there is one.
    #[inline(always)]
    fn load<S: Simd, const WORLD: bool>(&mut self, simd: S, scene: &Scene<'_>) -> bool {
        self.start = self.next;
        let left = self.selection.len().saturating_sub(self.start);
        if left == 0 {
            return false;
        }
        let raw = match self.selection {
            Selection::First(_) => self.rays.load(simd, self.start, left),
            Selection::These(indices) => {
                self.rays.gather(simd, &indices[self.start..self.start + left.min(BATCH)])
            }
        };
        let (low, high) = corners(simd, &scene.bounds);
        let padding = match WORLD {
            true => Padding::Instances(scene.part.tlas.padding()),
            false => Padding::Triangles { low, high },
        };
        self.batch.prepare(simd, &raw, &padding);
        self.batch.cull(simd, &low, &high);
        self.batch.transpose(simd, &mut self.ready);
        self.lanes = self.batch.valid;
        self.next += BATCH;
        true
    }

    /// Takes a ray out of the batch and puts it into a slot; false when there are no more.
    #[inline(always)]
    pub(super) fn board<'b, S: Simd, K: Sink, const WORLD: bool>(
        &mut self,
        simd: S,
        scene: &Scene<'b>,
        slot: &mut Slot<'b>,
    ) -> bool {
        while self.lanes == 0 {
            if !self.load::<S, WORLD>(simd, scene) {
                return false;
            }
        }
        let lane = self.lanes.trailing_zeros() as usize;
        self.lanes &= self.lanes - 1;
        let index = self.selection.index(self.start + lane);
        slot.begin::<K>(&self.ready[lane & (BATCH - 1)], self.batch.class[lane & (BATCH - 1)], index);
        if WORLD {
            slot.tree = scene.tree;
            slot.top = true;
        }
        true
    }
}

/// Where in the nodes the planes are that a ray enters, and the shift that selects its order of visits.
#[inline(always)]
pub(super) fn course<K: Sink>(class: u32) -> ([u32; 3], u32) {
    let order = if K::ANY { Bvh8Node::ANY_HIT_ORDER } else { class & 7 };
    (Bvh8Node::entered_rows(class), 3 * order)
}
