//! Stream queries that trace one ray at a time.

use fearless_simd::Simd;

use super::{HitStream, RayStream};
use crate::geometry::Tlas;
use crate::query::Query;

pub(super) fn closest<S: Simd>(
    tlas: &Tlas,
    simd: S,
    rays: &RayStream<'_>,
    query: &Query,
    hits: &mut HitStream<'_>,
) {
    for i in 0..rays.len().min(hits.len()) {
        let Some(ray) = rays.get(i) else { return };
        hits.set(i, tlas.intersect_with(simd, &ray, query).as_ref());
    }
}

pub(super) fn any<S: Simd>(tlas: &Tlas, simd: S, rays: &RayStream<'_>, query: &Query, occluded: &mut [bool]) {
    for (i, is_occluded) in occluded.iter_mut().enumerate().take(rays.len()) {
        *is_occluded = rays.get(i).is_some_and(|ray| tlas.occluded_with(simd, &ray, query));
    }
}
