//! Stream queries: many rays in one call.

mod coherent;
mod filtered;
mod hits;
mod interleaved;
mod level;
mod masked_tlas;
mod one_by_one;
mod packet;
mod rays;

pub use hits::{HitBuffer, HitStream, MISS};
pub use packet::{HitPacket, RayPacket};
pub use rays::{RayBuffer, RayStream};

use fearless_simd::{Level, dispatch};

use crate::geometry::Tlas;
use crate::primitive::Candidate;
use crate::query::{Faces, Query};
use interleaved::Selection;
use level::{StreamLevel, dispatch_stream};
use masked_tlas::MaskedTlas;

/// Hint about the coherence of the rays of a stream. It changes the speed but not the hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coherence {
    /// Neighbours in the stream are neighbours in space: camera rays in tiles, shadow rays to a point.
    Coherent,
    /// Neighbours diverge: diffuse bounces, random rays.
    Incoherent,
    /// Unknown: the kernel measures it.
    #[default]
    Unknown,
}

impl Tlas {
    /// Finds the closest hit of each ray, as [`Tlas::intersect`].
    ///
    /// Many rays are traced at once on SIMD levels with wide vectors or many registers, in triangle meshes on the first
    /// level of instances; otherwise rays are traced one at a time.
    pub fn intersect_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        hits: &mut HitStream<'_>,
    ) {
        self.intersect_stream_with(level, rays, coherence, &Query::ALL, hits);
    }

    /// Finds the closest hit of each ray for a query, as [`Tlas::intersect_with`]. Queries for one side of surfaces
    /// trace one ray at a time.
    pub fn intersect_stream_with(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        query: &Query,
        hits: &mut HitStream<'_>,
    ) {
        let Some(stream_level) = StreamLevel::of(level).filter(|_| query.faces == Faces::Both) else {
            return dispatch!(level, simd => one_by_one::closest(self, simd, rays, query, hits));
        };
        let world = MaskedTlas { tlas: self, mask: query.mask };
        let len = rays.len().min(hits.len());
        let (selection, measure_coherence) = (Selection::First(len), coherence == Coherence::Unknown);
        hits.clear(len);
        if coherence == Coherence::Incoherent {
            dispatch_stream!(stream_level, simd => interleaved::trace(simd, world, rays, selection, &mut ClosestHitSink { hits }));
        } else {
            dispatch_stream!(stream_level, simd => coherent::closest(simd, world, rays, measure_coherence, hits));
        }
    }

    /// Finds for each ray whether it hits anything, as [`Tlas::occluded`].
    pub fn occluded_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        occluded: &mut [bool],
    ) {
        self.occluded_stream_with(level, rays, coherence, &Query::ALL, occluded);
    }

    /// Finds for each ray whether it hits anything for a query, as [`Tlas::occluded_with`]. Queries for one
    /// side of surfaces trace one ray at a time.
    pub fn occluded_stream_with(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        query: &Query,
        occluded: &mut [bool],
    ) {
        let Some(stream_level) = StreamLevel::of(level).filter(|_| query.faces == Faces::Both) else {
            return dispatch!(level, simd => one_by_one::any(self, simd, rays, query, occluded));
        };
        let world = MaskedTlas { tlas: self, mask: query.mask };
        let len = rays.len().min(occluded.len());
        let (selection, measure_coherence) = (Selection::First(len), coherence == Coherence::Unknown);
        occluded[..len].fill(false);
        if coherence == Coherence::Incoherent {
            dispatch_stream!(stream_level, simd => interleaved::trace(simd, world, rays, selection, &mut OcclusionSink { occluded }));
        } else {
            dispatch_stream!(stream_level, simd => coherent::any(simd, world, rays, measure_coherence, occluded));
        }
    }
}

/// Writes the closest hits of a stream.
struct ClosestHitSink<'a, 'b> {
    hits: &'a mut HitStream<'b>,
}

impl interleaved::Sink for ClosestHitSink<'_, '_> {
    const ANY: bool = false;
    #[inline(always)]
    fn hit(&mut self, i: usize, prim: u32, inst: u32, candidate: &Candidate) {
        self.hits.t[i] = candidate.t;
        self.hits.u[i] = candidate.u;
        self.hits.v[i] = candidate.v;
        self.hits.prim_id[i] = prim;
        self.hits.inst_id[i] = inst;
    }
}

/// Writes which rays of a stream are occluded.
struct OcclusionSink<'a> {
    occluded: &'a mut [bool],
}

impl interleaved::Sink for OcclusionSink<'_> {
    const ANY: bool = true;
    #[inline(always)]
    fn hit(&mut self, i: usize, _: u32, _: u32, _: &Candidate) {
        self.occluded[i] = true;
    }
}
