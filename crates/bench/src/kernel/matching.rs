//! Comparison of answers: times both kinds of query on the same rays, counts where Sunfleck and the peer differ, and
//! judges the differences.

use sunfleck_kernel::{HitBuffer, MISS};

use super::comparison::Answers;
use super::{QueryComparison, QueryKind};
use crate::compare::Differences;
use crate::judge::{Answer, Judgement};
use crate::query::Query;
use crate::{Mesh, RaySet};

/// Compares closest hits, then any hits.
pub(super) fn compare_both_kinds(
    mesh: &Mesh,
    rays: &RaySet,
    threads: usize,
    rounds: usize,
    ours: &[&dyn Query],
    peers: &[&dyn Query],
) -> [QueryComparison; 2] {
    let measure = |question| QueryComparison::measure(question, rays, threads, rounds, ours, peers);
    let (mut closest, hits) = measure(QueryKind::Closest);
    let (mut any, blocked) = measure(QueryKind::Any);
    closest.compare_hits(&hits, mesh, rays);
    any.compare_occlusion(&blocked, &hits, mesh, rays);
    [closest, any]
}

impl QueryComparison {
    /// Compares closest hits: our query forms with each other, which must agree bit for bit, and the first of them with
    /// the peer's forms.
    fn compare_hits(&mut self, answers: &[Answers], mesh: &Mesh, rays: &RaySet) {
        let (ours, peers) = answers.split_at(self.ours.len());
        let Some((first, others)) = ours.split_first() else { return };
        let same =
            |a: &HitBuffer, b: &HitBuffer| a.t == b.t && a.prim_id == b.prim_id && a.u == b.u && a.v == b.v;
        self.consistent = others.iter().all(|other| same(&first.hits, &other.hits));
        let diagonal = mesh.bounds().diagonal();
        for (peer, answers) in self.peers.iter_mut().zip(peers) {
            let (differences, differing) = Differences::of_hits(&first.hits, &answers.hits, diagonal);
            let judgement = Judgement::of(mesh, &rays.rays, &differing, |ray| {
                [&first.hits, &answers.hits].map(|hits| match hits.prim_id[ray] {
                    MISS => Answer::Miss,
                    prim => Answer::Hit { t: hits.t[ray], prim },
                })
            });
            (peer.differences, peer.judgement) = (Some(differences), Some(judgement));
        }
    }

    /// Compares occlusion as [`compare_hits`](Self::compare_hits) does closest hits. Our query forms must find
    /// exactly the rays with a closest hit occluded.
    fn compare_occlusion(&mut self, answers: &[Answers], closest: &[Answers], mesh: &Mesh, rays: &RaySet) {
        let (ours, peers) = answers.split_at(self.ours.len());
        let (Some(first), Some(closest)) = (ours.first(), closest.first()) else { return };
        let expected: Vec<bool> = closest.hits.prim_id.iter().map(|&prim| prim != MISS).collect();
        self.consistent = ours.iter().all(|answers| answers.occluded == expected);
        for (peer, answers) in self.peers.iter_mut().zip(peers) {
            let (differences, differing) = Differences::of_occlusion(&first.occluded, &answers.occluded);
            let judgement = Judgement::of(mesh, &rays.rays, &differing, |ray| {
                let blocked = [first.occluded[ray], answers.occluded[ray]];
                blocked.map(|blocked| if blocked { Answer::AnyHit } else { Answer::Miss })
            });
            (peer.differences, peer.judgement) = (Some(differences), Some(judgement));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{BuildPreset, KernelSceneReport, QueryForm};
    use crate::rays::{RayGenerator, RaySlice};
    use crate::{Faults, RayKind, Subject};
    use fearless_simd::Level;
    use sunfleck_kernel::HitStream;

    /// Query that spoils one of `every` hits of a correct one.
    struct Faulty<'a> {
        correct: &'a dyn Query,
        every: usize,
        fault: Fault,
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Fault {
        /// Reports hits as misses.
        Misses,
        /// Halves the distances of hits, and reports unoccluded rays as occluded.
        Fakes,
    }

    impl Query for Faulty<'_> {
        fn name(&self) -> String {
            "faulty".to_string()
        }

        fn always_timed(&self) -> bool {
            true
        }

        fn closest(&self, slice: &RaySlice<'_>, hits: &mut HitStream<'_>) {
            self.correct.closest(slice, hits);
            let met = (0..hits.t.len()).filter(|&i| hits.prim_id[i] != MISS);
            for i in met.step_by(self.every).collect::<Vec<_>>() {
                match self.fault {
                    Fault::Misses => (hits.t[i], hits.prim_id[i]) = (f32::INFINITY, MISS),
                    Fault::Fakes => hits.t[i] *= 0.5,
                }
            }
        }

        fn occluded(&self, slice: &RaySlice<'_>, occluded: &mut [bool]) {
            self.correct.occluded(slice, occluded);
            let (from, to) = (self.fault == Fault::Misses, self.fault == Fault::Fakes);
            occluded.iter_mut().filter(|blocked| **blocked == from).step_by(self.every).for_each(|b| *b = to);
        }
    }

    /// Compares primary rays on a teapot; `faults` are those of our query form and of the peer's.
    fn compared(every: usize, faults: [Option<Fault>; 2]) -> [QueryComparison; 2] {
        let subject = Subject::teapot(4);
        let (tlas, _) = crate::kernel::cost::build_ours(&subject.mesh, BuildPreset::Balanced, 1).unwrap();
        let level = Level::new();
        let rays = RayGenerator::new(&subject, &tlas, level, 128).rays(RayKind::Primary);
        let correct = QueryForm::Stream.query(&tlas, level, RayKind::Primary);
        let [ours, peer] = faults.map(|fault| fault.map(|fault| Faulty { correct: &correct, every, fault }));
        let [ours, peer] = [&ours, &peer].map(|side| side.as_ref().map_or(&correct as &dyn Query, |f| f));
        compare_both_kinds(&subject.mesh, &rays, 1, 1, &[ours], &[peer])
    }

    fn faults(comparison: &QueryComparison) -> [Faults; 2] {
        let Judgement { differing, examined, ours, peer, open } = comparison.peers[0].judgement.unwrap();
        assert_eq!(differing, examined, "all are examined");
        assert_eq!(open, 0, "none passes near an edge");
        [ours, peer]
    }

    fn printed(comparisons: [QueryComparison; 2]) -> String {
        let (name, contests) = ("teapot".to_string(), comparisons.to_vec());
        KernelSceneReport { name, triangles: 0, light: None, builds: Vec::new(), contests }.to_string()
    }

    #[test]
    fn equal_answers_are_not_judged() {
        let comparisons = compared(25, [None, None]);
        for comparison in &comparisons {
            assert!(comparison.agrees());
            assert_eq!(comparison.peers[0].judgement, Some(Judgement::default()));
        }
        assert!(!printed(comparisons).contains("brute force"));
    }

    #[test]
    fn lost_hits_of_the_peer_do_not_count_against_ours() {
        let comparisons = compared(25, [None, Some(Fault::Misses)]);
        for comparison in &comparisons {
            let [ours, peer] = faults(comparison);
            assert!(comparison.agrees() && ours.is_empty());
            assert!(peer.lost > 100 && peer.invented == 0, "{peer:?}");
        }
        let lost = comparisons[0].peers[0].judgement.unwrap().peer.lost;
        let line = format!("faulty: peer misses {lost} hits (brute force agrees with ours)");
        let report = printed(comparisons);
        assert_eq!(report.matches(&line).count(), 2, "{line}\n{report}");
    }

    #[test]
    fn lost_hits_of_ours_are_found() {
        let comparisons = compared(25, [Some(Fault::Misses), None]);
        for comparison in &comparisons {
            let [ours, peer] = faults(comparison);
            assert!(!comparison.agrees() && peer.is_empty());
            assert!(ours.lost > 100 && ours.invented == 0, "{ours:?}");
        }
        assert!(printed(comparisons).contains("OURS MISSES"));
    }

    #[test]
    fn false_hits_are_told_from_lost_ones() {
        for comparison in compared(25, [None, Some(Fault::Fakes)]) {
            let [ours, peer] = faults(&comparison);
            assert!(comparison.agrees() && ours.is_empty());
            assert!(peer.lost == 0 && peer.invented > 100, "{peer:?}");
        }
        let comparisons = compared(25, [Some(Fault::Fakes), None]);
        assert!(comparisons.iter().all(|comparison| !comparison.agrees()));
    }
}
