use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::{Coherence, HitStream, MISS, Tlas};

use crate::RayKind;
use crate::query::Query;
use crate::rays::Share;

/// How rays are handed to our kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One at a time: `Tlas::intersect`, `Tlas::occluded`.
    Single,
    /// As streams, with the hint that a renderer would give for the kind.
    Stream,
    /// As streams, without a hint.
    Auto,
}

impl Form {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Single, Self::Stream, Self::Auto];

    /// As in the table and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "1",
            Self::Stream => "stream",
            Self::Auto => "auto",
        }
    }

    pub(crate) fn query(self, tlas: &Tlas, level: Level, kind: RayKind) -> OurQuery<'_> {
        let coherence = match self {
            Self::Stream => kind.coherence(),
            Self::Single | Self::Auto => Coherence::Unknown,
        };
        OurQuery { tlas, level, form: self, coherence }
    }
}

/// Our kernel tracing one scene in one form.
#[derive(Debug)]
pub(crate) struct OurQuery<'a> {
    tlas: &'a Tlas,
    level: Level,
    form: Form,
    coherence: Coherence,
}

impl Query for OurQuery<'_> {
    fn name(&self) -> String {
        self.form.name().to_string()
    }

    fn stays(&self) -> bool {
        true
    }

    fn closest(&self, share: &Share<'_>, hits: &mut HitStream<'_>) {
        let Self { tlas, level, form, coherence } = *self;
        dispatch!(level, simd => match form {
            Form::Single => closest_single(simd, tlas, share, hits),
            Form::Stream | Form::Auto => tlas.intersect_stream(simd.level(), &share.stream, coherence, hits),
        });
    }

    fn occluded(&self, share: &Share<'_>, occluded: &mut [bool]) {
        let Self { tlas, level, form, coherence } = *self;
        dispatch!(level, simd => match form {
            Form::Single => any_single(simd, tlas, share, occluded),
            Form::Stream | Form::Auto => tlas.occluded_stream(simd.level(), &share.stream, coherence, occluded),
        });
    }
}

#[inline(always)]
fn closest_single<S: Simd>(simd: S, tlas: &Tlas, share: &Share<'_>, hits: &mut HitStream<'_>) {
    let outputs = hits.t.iter_mut().zip(&mut *hits.prim_id).zip(hits.u.iter_mut().zip(&mut *hits.v));
    for (ray, ((t, prim), (u, v))) in share.rays.iter().zip(outputs) {
        let hit = tlas.intersect(simd, ray);
        (*t, *prim) = hit.map_or((f32::INFINITY, MISS), |hit| (hit.t, hit.prim_id));
        (*u, *v) = hit.map_or((0.0, 0.0), |hit| (hit.u, hit.v));
    }
}

#[inline(always)]
fn any_single<S: Simd>(simd: S, tlas: &Tlas, share: &Share<'_>, occluded: &mut [bool]) {
    for (ray, blocked) in share.rays.iter().zip(occluded) {
        *blocked = tlas.occluded(simd, ray);
    }
}
