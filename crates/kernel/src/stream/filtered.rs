//! Streams with filters. The stream is traced as if everything were opaque; then the rays whose closest hit is on a
//! non-opaque instance are traced again, one at a time. A filter only removes hits, so a closest hit that needs no
//! filtering remains the closest.

use fearless_simd::{Level, dispatch};

use super::{Coherence, HitBuffer, HitStream, RayStream};
use crate::geometry::Tlas;
use crate::hit::Hit;
use crate::query::Query;

impl Tlas {
    /// Finds the closest hit of each ray for a query that the filter accepts, as
    /// [`Tlas::intersect_with_filter`].
    ///
    /// * `filter` — called with the index of the ray and a hit.
    pub fn intersect_stream_with_filter(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        query: &Query,
        filter: &mut dyn FnMut(usize, &Hit) -> bool,
        hits: &mut HitStream<'_>,
    ) {
        self.intersect_stream_with(level, rays, coherence, query, hits);
        self.apply_filter(level, rays, query, filter, hits);
    }

    /// Finds for each ray whether anything is hit for a query that the filter accepts, as
    /// [`Tlas::occluded_with_filter`].
    ///
    /// * `filter` — called with the index of the ray and a hit.
    pub fn occluded_stream_with_filter(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        query: &Query,
        filter: &mut dyn FnMut(usize, &Hit) -> bool,
        occluded: &mut [bool],
    ) {
        if self.is_opaque() {
            return self.occluded_stream_with(level, rays, coherence, query, occluded);
        }
        let len = rays.len().min(occluded.len());
        let mut hits = HitBuffer::with_len(len);
        self.intersect_stream_with_filter(level, rays, coherence, query, filter, &mut hits.as_stream());
        for (occluded, t) in occluded.iter_mut().zip(&hits.t) {
            *occluded = *t < f32::INFINITY;
        }
    }

    /// Traces the rays again whose hits have to be filtered.
    fn apply_filter(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        query: &Query,
        filter: &mut dyn FnMut(usize, &Hit) -> bool,
        hits: &mut HitStream<'_>,
    ) {
        if self.is_opaque() {
            return;
        }
        for i in 0..rays.len().min(hits.len()) {
            let instance = self.instances().get(hits.inst_id[i] as usize);
            let (Some(ray), Some(false)) = (rays.get(i), instance.map(|instance| instance.opaque)) else {
                continue;
            };
            let hit =
                dispatch!(level, simd => self.intersect_with_filter(simd, &ray, query, |hit| filter(i, hit)));
            hits.set(i, hit.as_ref());
        }
    }
}
