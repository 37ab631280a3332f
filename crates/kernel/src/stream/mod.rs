//! Many rays at once.

mod hits;
mod rays;

pub use hits::{HitBuffer, HitStream, MISS};
pub use rays::{RayBuffer, RayStream};

use fearless_simd::Simd;

use crate::tlas::Tlas;

/// What the caller knows about the rays of a stream. Speed depends on it, hits do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coherence {
    /// Neighbours in the stream are neighbours in space: camera rays in tiles, shadow rays to a point.
    Coherent,
    /// Neighbours go separate ways: diffuse bounces, random rays.
    Incoherent,
    /// Not known: the kernel looks.
    #[default]
    Unknown,
}

impl Tlas {
    /// The closest hit of each ray, as [`Tlas::intersect`] finds it.
    pub fn intersect_stream<S: Simd>(
        &self,
        simd: S,
        rays: &RayStream<'_>,
        coherence: Coherence,
        hits: &mut HitStream<'_>,
    ) {
        let _ = coherence;
        for i in 0..rays.len() {
            let Some(ray) = rays.get(i) else { return };
            let hit = self.intersect(simd, &ray);
            hits.t[i] = hit.map_or(f32::INFINITY, |h| h.t);
            hits.u[i] = hit.map_or(0.0, |h| h.u);
            hits.v[i] = hit.map_or(0.0, |h| h.v);
            hits.prim_id[i] = hit.map_or(MISS, |h| h.prim_id);
            hits.inst_id[i] = hit.map_or(MISS, |h| h.inst_id);
        }
    }

    /// For each ray whether it hits anything, as [`Tlas::occluded`] finds it.
    pub fn occluded_stream<S: Simd>(
        &self,
        simd: S,
        rays: &RayStream<'_>,
        coherence: Coherence,
        occluded: &mut [bool],
    ) {
        let _ = coherence;
        for (i, blocked) in occluded.iter_mut().enumerate().take(rays.len()) {
            *blocked = rays.get(i).is_some_and(|ray| self.occluded(simd, &ray));
        }
    }
}
