//! Timing of one kind of query on one set of rays: Sunfleck's and the peer's query forms trace it in alternating
//! rounds.

use serde::Serialize;
use sunfleck_kernel::{HitBuffer, HitStream};

use crate::clock::{ClockScope, Elapsed, Stopwatch};
use crate::compare::Differences;
use crate::judge::Judgement;
use crate::query::Query;
use crate::{RayKind, RaySet};

/// Ratio of the number of rays to that of the round that screens the peer's query forms.
const SCREENED_SHARE: usize = 8;
/// Number of the peer's query forms that are timed in all rounds: the fastest of the screening. Single-ray queries are
/// timed in addition, since their answers are the most exact.
const FINALISTS: usize = 2;

/// Kind of query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum QueryKind {
    /// Closest hit.
    Closest,
    /// Any hit: whether the ray is occluded.
    Any,
}

impl QueryKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Closest, Self::Any];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Any => "any",
        }
    }
}

/// Speed of a query, millions of rays per second.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct QueryRate {
    /// Best round, per second of CPU time.
    pub best: f64,
    /// Median round, per second of CPU time.
    pub median: f64,
    /// Best round, per second of wall time, all threads together.
    pub wall: f64,
}

/// Timing of one query form, and the differences of its answers.
#[derive(Clone, Debug, Serialize)]
pub struct QueryTiming {
    /// Query form.
    pub name: String,
    /// Speed.
    pub rate: QueryRate,
    /// Speed in each round, Mrays per second of CPU time.
    pub rounds: Vec<f64>,
    /// Differences of the peer's answers from ours; `None` for our query forms.
    pub differences: Option<Differences>,
    /// Brute-force verdict on the answers that differ by more than rounding; `None` for our query forms.
    pub judgement: Option<Judgement>,
}

/// Comparison of Sunfleck and the peer in one kind of query on one set of rays.
#[derive(Clone, Debug, Serialize)]
pub struct QueryComparison {
    /// Kind of rays.
    pub kind: RayKind,
    /// Number of rays.
    pub rays: usize,
    /// Kind of query.
    pub question: QueryKind,
    /// Number of threads; each traces an equal part of the rays.
    pub threads: usize,
    /// Sunfleck's query forms.
    pub ours: Vec<QueryTiming>,
    /// The peer's fastest query forms, and its single-ray queries.
    pub peers: Vec<QueryTiming>,
    /// Names of all query forms of the peer, with their Mrays/s in the screening round.
    pub screened: Vec<(String, f64)>,
    /// Whether all our query forms returned the same bits.
    pub consistent: bool,
}

/// Answers of one query form: `hits` to closest-hit queries, `occluded` to any-hit queries.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    pub(crate) hits: HitBuffer,
    pub(crate) occluded: Vec<bool>,
}

impl Answers {
    fn with_len(rays: usize) -> Self {
        Self { hits: HitBuffer::with_len(rays), occluded: vec![false; rays] }
    }
}

impl QueryComparison {
    /// Screens the peer's query forms, then times ours and the fastest of the peer's in alternating rounds. Also
    /// returns their answers: first of ours, then of `peers` of the result.
    pub(crate) fn measure(
        question: QueryKind,
        rays: &RaySet,
        threads: usize,
        rounds: usize,
        ours: &[&dyn Query],
        peers: &[&dyn Query],
    ) -> (Self, Vec<Answers>) {
        // Warm up, and screen the peer's query forms
        let short = rays.sample(SCREENED_SHARE);
        let mut scratch = Answers::with_len(short.rays.len());
        let mut try_out = |query: &&dyn Query| {
            let times =
                [(); 2].map(|()| time_round(*query, question, &short, threads, &mut scratch).cpu_secs);
            mrays(short.rays.len(), times[0].min(times[1]))
        };
        ours.iter().for_each(|query| {
            try_out(query);
        });
        let mut screened: Vec<_> = peers.iter().map(|query| (*query, try_out(query))).collect();
        screened.sort_by(|a, b| b.1.total_cmp(&a.1));
        let is_finalist =
            |(rank, (query, _)): &(usize, &(&dyn Query, f64))| *rank < FINALISTS || query.always_timed();
        let finalists = screened.iter().enumerate().filter(is_finalist).map(|(_, (query, _))| *query);

        // Alternate between ours and the peer's, in reversed order every other round
        let queries: Vec<&dyn Query> = ours.iter().copied().chain(finalists).collect();
        let order = alternating(ours.len(), queries.len());
        let mut answers = vec![Answers::with_len(rays.rays.len()); queries.len()];
        let mut times: Vec<Vec<Elapsed>> = vec![Vec::new(); queries.len()];
        for round in 0..rounds.max(1) {
            let forwards = round % 2 == 0;
            let turn = |i: usize| if forwards { order[i] } else { order[order.len() - 1 - i] };
            for i in (0..order.len()).map(turn) {
                times[i].push(time_round(queries[i], question, rays, threads, &mut answers[i]));
            }
        }

        let timing = |(query, times): (&&dyn Query, &Vec<Elapsed>)| {
            QueryTiming::new(query.name(), rays.rays.len(), times)
        };
        let mut timings = queries.iter().zip(&times).map(timing);
        let comparison = Self {
            kind: rays.kind,
            rays: rays.rays.len(),
            question,
            threads,
            ours: timings.by_ref().take(ours.len()).collect(),
            peers: timings.collect(),
            screened: screened.iter().map(|(query, rate)| (query.name(), *rate)).collect(),
            consistent: true,
        };
        (comparison, answers)
    }

    /// Returns the peer's fastest query form.
    pub fn best_peer(&self) -> Option<&QueryTiming> {
        self.peers.iter().max_by(|a, b| a.rate.best.total_cmp(&b.rate.best))
    }

    /// Returns whether our answers are right as far as is known: our query forms agree with each other, and where the
    /// peer's answers differ, brute force finds none of ours wrong. (Embree's coherent packets miss hits that its
    /// single-ray queries find.)
    pub fn agrees(&self) -> bool {
        let fine = |peer: &QueryTiming| peer.judgement.is_none_or(|judgement| judgement.ours.is_empty());
        self.consistent && self.peers.iter().all(fine)
    }

    /// Returns the speed of one of our query forms relative to one of the peer's, by their best rounds.
    pub fn ratio(ours: &QueryTiming, peer: &QueryTiming) -> f64 {
        ours.rate.best / peer.rate.best
    }
}

impl QueryTiming {
    fn new(name: String, rays: usize, times: &[Elapsed]) -> Self {
        let rounds: Vec<f64> = times.iter().map(|time| mrays(rays, time.cpu_secs)).collect();
        let shortest = times.iter().map(|time| time.wall_secs).fold(f64::INFINITY, f64::min);
        let rate = QueryRate {
            best: rounds.iter().copied().fold(0.0, f64::max),
            median: median(&rounds),
            wall: mrays(rays, shortest),
        };
        Self { name, rate, rounds, differences: None, judgement: None }
    }
}

fn mrays(rays: usize, secs: f64) -> f64 {
    rays as f64 / 1e6 / secs.max(1e-12)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) * 0.5,
    }
}

/// Returns the order of a round: indices of ours (`0..ours`) and of the peer's forms (`ours..all`) alternate.
fn alternating(ours: usize, all: usize) -> Vec<usize> {
    let longest = ours.max(all - ours);
    let pair = |i: usize| [Some(i).filter(|&i| i < ours), Some(ours + i).filter(|&i| i < all)];
    (0..longest).flat_map(pair).flatten().collect()
}

/// Runs and times one round. Each thread traces an equal slice of consecutive rays. Returns the CPU time of all threads
/// together, and the wall time.
fn time_round(
    query: &dyn Query,
    question: QueryKind,
    rays: &RaySet,
    threads: usize,
    answers: &mut Answers,
) -> Elapsed {
    let size = rays.rays.len().div_ceil(threads.max(1)).max(1);
    let HitStream { t, u, v, prim_id, inst_id } = answers.hits.as_stream();
    let mut outputs = t
        .chunks_mut(size)
        .zip(u.chunks_mut(size))
        .zip(v.chunks_mut(size))
        .zip(prim_id.chunks_mut(size))
        .zip(inst_id.chunks_mut(size))
        .map(|((((t, u), v), prim_id), inst_id)| HitStream { t, u, v, prim_id, inst_id })
        .zip(answers.occluded.chunks_mut(size))
        .enumerate();
    let work = |(i, (mut hits, occluded)): (usize, (HitStream<'_>, &mut [bool]))| {
        let slice = rays.slice(i * size..(i * size + occluded.len()));
        let watch = Stopwatch::start(ClockScope::Thread);
        match question {
            QueryKind::Closest => query.closest(&slice, &mut hits),
            QueryKind::Any => query.occluded(&slice, occluded),
        }
        watch.stop()
    };
    if threads <= 1 {
        return outputs.next().map(work).unwrap_or_default();
    }
    let watch = Stopwatch::start(ClockScope::Thread);
    let cpu_secs = std::thread::scope(|scope| {
        let started: Vec<_> = outputs.map(|slice| scope.spawn(|| work(slice))).collect();
        started.into_iter().filter_map(|thread| thread.join().ok()).map(|time| time.cpu_secs).sum()
    });
    Elapsed { cpu_secs, wall_secs: watch.stop().wall_secs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_alternate_and_contain_each_form_once() {
        assert_eq!(alternating(2, 5), [0, 2, 1, 3, 4]);
        assert_eq!(alternating(3, 4), [0, 3, 1, 2]);
        assert_eq!(alternating(1, 1), [0]);
    }

    #[test]
    fn rates_follow_from_times() {
        let time = |cpu_secs, wall_secs| Elapsed { cpu_secs, wall_secs };
        let times = [time(2.0, 1.5), time(1.0, 0.75), time(4.0, 3.0)];
        let QueryRate { best, median, wall } = QueryTiming::new("x".into(), 3_000_000, &times).rate;
        assert_eq!((best, median, wall), (3.0, 1.5, 4.0));
        assert_eq!(super::median(&[1.0, 4.0, 2.0, 3.0]), 2.5);
    }
}
