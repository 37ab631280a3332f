use fearless_simd::{Level, Simd, dispatch};
use sunfleck_kernel::{Coherence, HitStream, MISS, Tlas};

use crate::RayKind;
use crate::query::Query;
use crate::rays::RaySlice;

/// Form in which rays are passed to Sunfleck's kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryForm {
    /// Single rays: `Tlas::intersect`, `Tlas::occluded`.
    Single,
    /// Streams with the coherence hint that a renderer would give for the kind of rays.
    Stream,
    /// Streams without a hint.
    Auto,
}

impl QueryForm {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Single, Self::Stream, Self::Auto];

    /// Name in tables and on the command line.
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

/// Sunfleck's kernel with one scene and one form of query.
#[derive(Debug)]
pub(crate) struct OurQuery<'a> {
    tlas: &'a Tlas,
    level: Level,
    form: QueryForm,
    coherence: Coherence,
}

impl Query for OurQuery<'_> {
    fn name(&self) -> String {
        self.form.name().to_string()
    }

    fn always_timed(&self) -> bool {
        true
    }

    fn closest(&self, slice: &RaySlice<'_>, hits: &mut HitStream<'_>) {
        let Self { tlas, level, form, coherence } = *self;
        dispatch!(level, simd => match form {
            QueryForm::Single => closest_single(simd, tlas, slice, hits),
            QueryForm::Stream | QueryForm::Auto => {
                tlas.intersect_stream(simd.level(), &slice.stream, coherence, hits);
            }
        });
    }

    fn occluded(&self, slice: &RaySlice<'_>, occluded: &mut [bool]) {
        let Self { tlas, level, form, coherence } = *self;
        dispatch!(level, simd => match form {
            QueryForm::Single => any_single(simd, tlas, slice, occluded),
            QueryForm::Stream | QueryForm::Auto => {
                tlas.occluded_stream(simd.level(), &slice.stream, coherence, occluded);
            }
        });
    }
}

#[inline(always)]
fn closest_single<S: Simd>(simd: S, tlas: &Tlas, slice: &RaySlice<'_>, hits: &mut HitStream<'_>) {
    let outputs = hits.t.iter_mut().zip(&mut *hits.prim_id).zip(hits.u.iter_mut().zip(&mut *hits.v));
    for (ray, ((t, prim), (u, v))) in slice.rays.iter().zip(outputs) {
        let hit = tlas.intersect(simd, ray);
        (*t, *prim) = hit.map_or((f32::INFINITY, MISS), |hit| (hit.t, hit.prim_id));
        (*u, *v) = hit.map_or((0.0, 0.0), |hit| (hit.u, hit.v));
    }
}

#[inline(always)]
fn any_single<S: Simd>(simd: S, tlas: &Tlas, slice: &RaySlice<'_>, occluded: &mut [bool]) {
    for (ray, blocked) in slice.rays.iter().zip(occluded) {
        *blocked = tlas.occluded(simd, ray);
    }
}
