use std::sync::Arc;
use std::time::Instant;

use fearless_simd::Level;
use sunfleck_gpu::RayQuery;
use sunfleck_kernel::{Coherence, HitBuffer, RayBuffer, Tlas};
use sunfleck_math::Ray;
use sunfleck_shaders::layout::Hit;

use super::batch::Piece;
use super::dispatcher::{Dispatcher, answer_all};
use crate::answers::{Answers, FoundAnswers};
use crate::classic::Classic;

/// Worker loop of a core, until the engine is closed.
pub(crate) fn work(dispatcher: &Arc<Dispatcher>, world: &Tlas, level: Level) {
    let mut core = Core::default();
    while let Some(piece) = dispatcher.piece_for_core() {
        let start = Instant::now();
        let found = core.trace(world, level, piece.query(), piece.rays());
        let seconds = start.elapsed().as_secs_f64();
        dispatcher.core_answered(piece, found, seconds);
    }
}

/// Worker loop of the 2002 organisation's single core: it takes all waiting pieces of a query at once, so that buckets
/// fill.
pub(crate) fn work_classic(dispatcher: &Arc<Dispatcher>, classic: &mut Classic) {
    while let Some(pieces) = dispatcher.load_for_core(CLASSIC_LOAD) {
        let Some(query) = pieces.first().map(Piece::query) else { continue };
        let start = Instant::now();
        let rays: Vec<Ray> = pieces.iter().flat_map(Piece::rays).copied().collect();
        let answers = classic.trace(query, &rays);
        let found = match &answers {
            Answers::Closest(hits) => FoundAnswers::Closest(hits),
            Answers::Any(any) => FoundAnswers::Any(any),
        };
        let last = answer_all(pieces, found);
        if let Some(why) = classic.trouble() {
            dispatcher.schedule().note_trouble(why);
        }
        dispatcher.core_answered_all(query, rays.len(), last, start.elapsed().as_secs_f64());
    }
}

/// Maximum number of rays that the 2002 organisation takes at a time.
const CLASSIC_LOAD: usize = 1 << 20;

/// Buffers of a worker thread, reused from piece to piece.
#[derive(Debug, Default)]
struct Core {
    rays: RayBuffer,
    hits: HitBuffer,
    closest: Vec<Hit>,
    any: Vec<bool>,
}

impl Core {
    fn trace(&mut self, world: &Tlas, level: Level, query: RayQuery, rays: &[Ray]) -> FoundAnswers<'_> {
        let Self { rays: stream, hits, closest, any } = self;
        stream.clear();
        rays.iter().for_each(|ray| stream.push(ray));
        match query {
            RayQuery::Closest => {
                hits.resize(rays.len());
                world.intersect_stream(level, &stream.as_stream(), Coherence::Unknown, &mut hits.as_stream());
                closest.clear();
                closest.extend(rays.iter().enumerate().map(|(i, ray)| hit(hits, i, ray)));
                FoundAnswers::Closest(closest)
            }
            RayQuery::Any => {
                any.resize(rays.len(), false);
                world.occluded_stream(level, &stream.as_stream(), Coherence::Unknown, any);
                FoundAnswers::Any(any)
            }
        }
    }
}

/// Returns a hit in the format of the GPU.
fn hit(hits: &HitBuffer, i: usize, ray: &Ray) -> Hit {
    let prim_id = hits.prim_id[i];
    let t = if prim_id == Hit::MISS { ray.t_far } else { hits.t[i] };
    Hit { t, u: hits.u[i], v: hits.v[i], prim_id, inst_id: hits.inst_id[i] }
}
