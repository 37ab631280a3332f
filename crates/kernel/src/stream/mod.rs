//! Many rays at once.

mod coherent;
mod hits;
mod interleaved;
mod packet;
mod rays;

pub use hits::{HitBuffer, HitStream, MISS};
pub use packet::{HitPacket, RayPacket};
pub use rays::{RayBuffer, RayStream};

use fearless_simd::{Level, Simd, dispatch};

use crate::primitive::Candidate;
use crate::tlas::Tlas;
use interleaved::Selection;

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

/// Runs an operation with the token of a [`Wide`] level.
macro_rules! on {
    ($level:expr, $simd:ident => $operation:expr) => {
        match $level {
            Wide::Large($simd) => $operation,
            Wide::Small($simd) => $operation,
        }
    };
}

impl Tlas {
    /// The closest hit of each ray, as [`Tlas::intersect`] finds it.
    ///
    /// Many rays are traced at once on levels whose vectors are wide or whose registers are many, and in geometry made of
    /// triangles, on the first level of instances; elsewhere it is one ray after the other.
    pub fn intersect_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        hits: &mut HitStream<'_>,
    ) {
        let Some(level) = Wide::of(level) else {
            return dispatch!(level, simd => one_by_one(self, simd, rays, hits));
        };
        let len = rays.len().min(hits.len());
        let (first, wary) = (Selection::First(len), coherence == Coherence::Unknown);
        hits.clear(len);
        if coherence == Coherence::Incoherent {
            on!(level, simd => interleaved::trace(simd, self, rays, first, &mut Closest { hits }));
        } else {
            on!(level, simd => coherent::closest(simd, self, rays, wary, hits));
        }
    }

    /// For each ray whether it hits anything, as [`Tlas::occluded`] finds it.
    pub fn occluded_stream(
        &self,
        level: Level,
        rays: &RayStream<'_>,
        coherence: Coherence,
        occluded: &mut [bool],
    ) {
        let Some(level) = Wide::of(level) else {
            return dispatch!(level, simd => occluded_one_by_one(self, simd, rays, occluded));
        };
        let len = rays.len().min(occluded.len());
        let (first, wary) = (Selection::First(len), coherence == Coherence::Unknown);
        occluded[..len].fill(false);
        if coherence == Coherence::Incoherent {
            on!(level, simd => interleaved::trace(simd, self, rays, first, &mut Any { occluded }));
        } else {
            on!(level, simd => coherent::any(simd, self, rays, wary, occluded));
        }
    }
}

/// The levels that tracers of many rays are compiled for: code for the others would be large, and no faster than one ray
/// after the other.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
enum Wide {
    /// Thirty-two registers.
    Large(fearless_simd::Avx512),
    /// Sixteen.
    Small(fearless_simd::Avx2),
}

#[cfg(target_arch = "x86_64")]
impl Wide {
    fn of(level: Level) -> Option<Self> {
        level.as_avx512().map(Self::Large).or_else(|| level.as_avx2().map(Self::Small))
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "elsewhere there is but one kind of wide level")]
enum Wide {
    Large(WideToken),
    Small(WideToken),
}

#[cfg(target_arch = "aarch64")]
type WideToken = fearless_simd::Neon;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type WideToken = fearless_simd::Fallback;

#[cfg(not(target_arch = "x86_64"))]
impl Wide {
    fn of(level: Level) -> Option<Self> {
        #[cfg(target_arch = "aarch64")]
        return level.as_neon().map(Self::Large);
        #[cfg(not(target_arch = "aarch64"))]
        {
            let _ = level;
            None
        }
    }
}

fn one_by_one<S: Simd>(tlas: &Tlas, simd: S, rays: &RayStream<'_>, hits: &mut HitStream<'_>) {
    for i in 0..rays.len().min(hits.len()) {
        let Some(ray) = rays.get(i) else { return };
        let hit = tlas.intersect(simd, &ray);
        hits.t[i] = hit.map_or(f32::INFINITY, |h| h.t);
        hits.u[i] = hit.map_or(0.0, |h| h.u);
        hits.v[i] = hit.map_or(0.0, |h| h.v);
        hits.prim_id[i] = hit.map_or(MISS, |h| h.prim_id);
        hits.inst_id[i] = hit.map_or(MISS, |h| h.inst_id);
    }
}

fn occluded_one_by_one<S: Simd>(tlas: &Tlas, simd: S, rays: &RayStream<'_>, occluded: &mut [bool]) {
    for (i, blocked) in occluded.iter_mut().enumerate().take(rays.len()) {
        *blocked = rays.get(i).is_some_and(|ray| tlas.occluded(simd, &ray));
    }
}

struct Closest<'a, 'b> {
    hits: &'a mut HitStream<'b>,
}

impl interleaved::Sink for Closest<'_, '_> {
    const ANY: bool = false;
    #[inline(always)]
    fn hit(&mut self, i: usize, prim: u32, inst: u32, found: &Candidate) {
        self.hits.t[i] = found.t;
        self.hits.u[i] = found.u;
        self.hits.v[i] = found.v;
        self.hits.prim_id[i] = prim;
        self.hits.inst_id[i] = inst;
    }
}

struct Any<'a> {
    occluded: &'a mut [bool],
}

impl interleaved::Sink for Any<'_> {
    const ANY: bool = true;
    #[inline(always)]
    fn hit(&mut self, i: usize, _: u32, _: u32, _: &Candidate) {
        self.occluded[i] = true;
    }
}
