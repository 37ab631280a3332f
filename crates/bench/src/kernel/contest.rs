//! Everybody answers the same question about the same rays, in turn, several times.

use serde::Serialize;
use sunfleck_kernel::{HitBuffer, HitStream};

use crate::clock::{Elapsed, Stopwatch, Whose};
use crate::compare::Differences;
use crate::judge::Judgement;
use crate::query::Query;
use crate::{RayKind, RaySet};

/// A peer's ways of being asked are tried with one ray in so many …
const SCREENED_SHARE: usize = 8;
/// … and so many of the fastest stay, with the one-ray calls, whose answers are the most exact.
const FINALISTS: usize = 2;

/// What is asked about each ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// What does it hit first?
    Closest,
    /// Does it hit anything?
    Any,
}

impl Question {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Closest, Self::Any];

    /// Name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Any => "any",
        }
    }
}

/// Millions of rays per second.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Rate {
    /// Of the best round, per second of CPU time.
    pub best: f64,
    /// Of the median round, per second of CPU time.
    pub median: f64,
    /// Of the best round, per second on the wall, all threads together.
    pub wall: f64,
}

/// Somebody who took part.
#[derive(Clone, Debug, Serialize)]
pub struct Entrant {
    /// How it was asked.
    pub name: String,
    /// How fast it was.
    pub rate: Rate,
    /// Mrays/s of CPU time in each round.
    pub rounds: Vec<f64>,
    /// How a peer's answers differ from ours.
    pub differences: Option<Differences>,
    /// Who is right where they differ by more than rounding.
    pub judgement: Option<Judgement>,
}

/// One question about one set of rays.
#[derive(Clone, Debug, Serialize)]
pub struct Contest {
    /// How the rays were made.
    pub kind: RayKind,
    /// How many.
    pub rays: usize,
    /// What was asked.
    pub question: Question,
    /// How many threads, each with its share of the rays.
    pub threads: usize,
    /// We, in all forms asked for.
    pub ours: Vec<Entrant>,
    /// The peer in its fastest forms.
    pub peers: Vec<Entrant>,
    /// Mrays/s of all its forms in the short round that chose those.
    pub screened: Vec<(String, f64)>,
    /// Whether all our forms gave the same bits.
    pub consistent: bool,
}

/// What was answered.
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

impl Contest {
    /// Lets them compete. Returns the answers, too: of all of ours, then of all peers in the contest.
    pub(crate) fn hold(
        question: Question,
        rays: &RaySet,
        threads: usize,
        rounds: usize,
        ours: &[&dyn Query],
        peers: &[&dyn Query],
    ) -> (Self, Vec<Answers>) {
        // Warm everybody up, and see which of the peer's forms are worth their time
        let short = rays.sample(SCREENED_SHARE);
        let mut scratch = Answers::with_len(short.rays.len());
        let mut try_out = |query: &&dyn Query| {
            let times = [(); 2].map(|()| ask(*query, question, &short, threads, &mut scratch).cpu_secs);
            mrays(short.rays.len(), times[0].min(times[1]))
        };
        ours.iter().for_each(|query| {
            try_out(query);
        });
        let mut screened: Vec<_> = peers.iter().map(|query| (*query, try_out(query))).collect();
        screened.sort_by(|a, b| b.1.total_cmp(&a.1));
        let stays = |(place, (query, _)): &(usize, &(&dyn Query, f64))| *place < FINALISTS || query.stays();
        let finalists = screened.iter().enumerate().filter(stays).map(|(_, (query, _))| *query);

        // In turn, and back
        let everybody: Vec<&dyn Query> = ours.iter().copied().chain(finalists).collect();
        let order = alternating(ours.len(), everybody.len());
        let mut answers = vec![Answers::with_len(rays.rays.len()); everybody.len()];
        let mut times: Vec<Vec<Elapsed>> = vec![Vec::new(); everybody.len()];
        for round in 0..rounds.max(1) {
            let forwards = round % 2 == 0;
            let turn = |i: usize| if forwards { order[i] } else { order[order.len() - 1 - i] };
            for who in (0..order.len()).map(turn) {
                times[who].push(ask(everybody[who], question, rays, threads, &mut answers[who]));
            }
        }

        let entrant =
            |(query, times): (&&dyn Query, &Vec<Elapsed>)| Entrant::new(query.name(), rays.rays.len(), times);
        let mut ours_first = everybody.iter().zip(&times).map(entrant);
        let contest = Self {
            kind: rays.kind,
            rays: rays.rays.len(),
            question,
            threads,
            ours: ours_first.by_ref().take(ours.len()).collect(),
            peers: ours_first.collect(),
            screened: screened.iter().map(|(query, rate)| (query.name(), *rate)).collect(),
            consistent: true,
        };
        (contest, answers)
    }

    /// The peer's fastest form.
    pub fn best_peer(&self) -> Option<&Entrant> {
        self.peers.iter().max_by(|a, b| a.rate.best.total_cmp(&b.rate.best))
    }

    /// Whether ours are right as far as can be seen: our forms agree with each other, and where a peer's answers
    /// differ, brute force finds no fault with ours. (Embree's packets for coherent rays lose hits that its one-ray
    /// calls find.)
    pub fn agrees(&self) -> bool {
        let fine = |peer: &Entrant| peer.judgement.is_none_or(|judgement| judgement.ours.is_empty());
        self.consistent && self.peers.iter().all(fine)
    }

    /// How many times as fast as a form of the peer one of ours was, by the best rounds.
    pub fn ratio(ours: &Entrant, peer: &Entrant) -> f64 {
        ours.rate.best / peer.rate.best
    }
}

impl Entrant {
    fn new(name: String, rays: usize, times: &[Elapsed]) -> Self {
        let rounds: Vec<f64> = times.iter().map(|time| mrays(rays, time.cpu_secs)).collect();
        let shortest = times.iter().map(|time| time.wall_secs).fold(f64::INFINITY, f64::min);
        let rate = Rate {
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

/// The places of ours (`0..ours`) and of peers (`ours..all`), taking turns.
fn alternating(ours: usize, all: usize) -> Vec<usize> {
    let longest = ours.max(all - ours);
    let pair = |i: usize| [Some(i).filter(|&i| i < ours), Some(ours + i).filter(|&i| i < all)];
    (0..longest).flat_map(pair).flatten().collect()
}

/// One round: threads take equal shares of neighbours. The CPU times of all threads together, and the wall time.
fn ask(
    query: &dyn Query,
    question: Question,
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
        let share = rays.share(i * size..(i * size + occluded.len()));
        let watch = Stopwatch::start(Whose::Thread);
        match question {
            Question::Closest => query.closest(&share, &mut hits),
            Question::Any => query.occluded(&share, occluded),
        }
        watch.stop()
    };
    if threads <= 1 {
        return outputs.next().map(work).unwrap_or_default();
    }
    let watch = Stopwatch::start(Whose::Thread);
    let cpu_secs = std::thread::scope(|scope| {
        let started: Vec<_> = outputs.map(|share| scope.spawn(|| work(share))).collect();
        started.into_iter().filter_map(|thread| thread.join().ok()).map(|time| time.cpu_secs).sum()
    });
    Elapsed { cpu_secs, wall_secs: watch.stop().wall_secs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_alternate_and_nobody_is_left_out() {
        assert_eq!(alternating(2, 5), [0, 2, 1, 3, 4]);
        assert_eq!(alternating(3, 4), [0, 3, 1, 2]);
        assert_eq!(alternating(1, 1), [0]);
    }

    #[test]
    fn rates_follow_from_times() {
        let time = |cpu_secs, wall_secs| Elapsed { cpu_secs, wall_secs };
        let times = [time(2.0, 1.5), time(1.0, 0.75), time(4.0, 3.0)];
        let Rate { best, median, wall } = Entrant::new("x".into(), 3_000_000, &times).rate;
        assert_eq!((best, median, wall), (3.0, 1.5, 4.0));
        assert_eq!(super::median(&[1.0, 4.0, 2.0, 3.0]), 2.5);
    }
}
