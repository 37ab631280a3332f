//! Both questions about the same rays, and whose answers are right.

use sunfleck_kernel::{HitBuffer, MISS};

use super::contest::Answers;
use super::{Contest, Question};
use crate::compare::Differences;
use crate::judge::{Answer, Judgement};
use crate::query::Query;
use crate::{Mesh, RaySet};

/// Closest hits, then any hits.
pub(super) fn both_questions(
    mesh: &Mesh,
    rays: &RaySet,
    threads: usize,
    rounds: usize,
    ours: &[&dyn Query],
    peers: &[&dyn Query],
) -> [Contest; 2] {
    let hold = |question| Contest::hold(question, rays, threads, rounds, ours, peers);
    let (mut closest, hits) = hold(Question::Closest);
    let (mut any, blocked) = hold(Question::Any);
    closest.compare_hits(&hits, mesh, rays);
    any.compare_occlusion(&blocked, &hits, mesh, rays);
    [closest, any]
}

impl Contest {
    /// Our forms with each other, which must agree bit for bit, and the first of them with the peer's.
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
                    MISS => Answer::Nothing,
                    prim => Answer::Hit { t: hits.t[ray], prim },
                })
            });
            (peer.differences, peer.judgement) = (Some(differences), Some(judgement));
        }
    }

    /// The same for any hits; and ours are where there is a closest one.
    fn compare_occlusion(&mut self, answers: &[Answers], closest: &[Answers], mesh: &Mesh, rays: &RaySet) {
        let (ours, peers) = answers.split_at(self.ours.len());
        let (Some(first), Some(closest)) = (ours.first(), closest.first()) else { return };
        let expected: Vec<bool> = closest.hits.prim_id.iter().map(|&prim| prim != MISS).collect();
        self.consistent = ours.iter().all(|answers| answers.occluded == expected);
        for (peer, answers) in self.peers.iter_mut().zip(peers) {
            let (differences, differing) = Differences::of_occlusion(&first.occluded, &answers.occluded);
            let judgement = Judgement::of(mesh, &rays.rays, &differing, |ray| {
                let blocked = [first.occluded[ray], answers.occluded[ray]];
                blocked.map(|blocked| if blocked { Answer::Something } else { Answer::Nothing })
            });
            (peer.differences, peer.judgement) = (Some(differences), Some(judgement));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Form, Preset, SceneReport};
    use crate::rays::{RayMaker, Share};
    use crate::{Faults, RayKind, Subject};
    use fearless_simd::Level;
    use sunfleck_kernel::HitStream;

    /// One hit in `every` of an honest one is spoilt.
    struct Faulty<'a> {
        honest: &'a dyn Query,
        every: usize,
        fault: Fault,
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Fault {
        /// Hits are lost.
        Loses,
        /// Hits come too early; where there is none, there is one.
        Invents,
    }

    impl Query for Faulty<'_> {
        fn name(&self) -> String {
            "faulty".to_string()
        }

        fn stays(&self) -> bool {
            true
        }

        fn closest(&self, share: &Share<'_>, hits: &mut HitStream<'_>) {
            self.honest.closest(share, hits);
            let met = (0..hits.t.len()).filter(|&i| hits.prim_id[i] != MISS);
            for i in met.step_by(self.every).collect::<Vec<_>>() {
                match self.fault {
                    Fault::Loses => (hits.t[i], hits.prim_id[i]) = (f32::INFINITY, MISS),
                    Fault::Invents => hits.t[i] *= 0.5,
                }
            }
        }

        fn occluded(&self, share: &Share<'_>, occluded: &mut [bool]) {
            self.honest.occluded(share, occluded);
            let (from, to) = (self.fault == Fault::Loses, self.fault == Fault::Invents);
            occluded.iter_mut().filter(|blocked| **blocked == from).step_by(self.every).for_each(|b| *b = to);
        }
    }

    /// Camera rays at a teapot; `faults` are ours, then the peer's.
    fn contests(every: usize, faults: [Option<Fault>; 2]) -> [Contest; 2] {
        let subject = Subject::teapot(4);
        let (tlas, _) = crate::kernel::cost::build_ours(&subject.mesh, Preset::Balanced, 1).unwrap();
        let level = Level::new();
        let rays = RayMaker::new(&subject, &tlas, level, 128).rays(RayKind::Primary);
        let honest = Form::Stream.query(&tlas, level, RayKind::Primary);
        let [ours, peer] = faults.map(|fault| fault.map(|fault| Faulty { honest: &honest, every, fault }));
        let [ours, peer] = [&ours, &peer].map(|side| side.as_ref().map_or(&honest as &dyn Query, |f| f));
        both_questions(&subject.mesh, &rays, 1, 1, &[ours], &[peer])
    }

    fn faults(contest: &Contest) -> [Faults; 2] {
        let Judgement { differing, examined, ours, peer, open } = contest.peers[0].judgement.unwrap();
        assert_eq!(differing, examined, "these are few");
        assert_eq!(open, 0, "and far from edges");
        [ours, peer]
    }

    fn printed(contests: [Contest; 2]) -> String {
        let (name, contests) = ("teapot".to_string(), contests.to_vec());
        SceneReport { name, triangles: 0, light: None, builds: Vec::new(), contests }.to_string()
    }

    #[test]
    fn who_agrees_is_not_judged() {
        let contests = contests(25, [None, None]);
        for contest in &contests {
            assert!(contest.agrees());
            assert_eq!(contest.peers[0].judgement, Some(Judgement::default()));
        }
        assert!(!printed(contests).contains("brute force"));
    }

    #[test]
    fn a_peer_that_loses_hits_is_no_fault_of_ours() {
        let contests = contests(25, [None, Some(Fault::Loses)]);
        for contest in &contests {
            let [ours, peer] = faults(contest);
            assert!(contest.agrees() && ours.is_empty());
            assert!(peer.lost > 100 && peer.invented == 0, "{peer:?}");
        }
        let lost = contests[0].peers[0].judgement.unwrap().peer.lost;
        let line = format!("faulty: peer loses {lost} hits (brute force agrees with ours)");
        let report = printed(contests);
        assert_eq!(report.matches(&line).count(), 2, "{line}\n{report}");
    }

    #[test]
    fn hits_that_ours_lose_are_found() {
        let contests = contests(25, [Some(Fault::Loses), None]);
        for contest in &contests {
            let [ours, peer] = faults(contest);
            assert!(!contest.agrees() && peer.is_empty());
            assert!(ours.lost > 100 && ours.invented == 0, "{ours:?}");
        }
        assert!(printed(contests).contains("OURS LOSES"));
    }

    #[test]
    fn invented_hits_are_told_from_lost_ones() {
        for contest in contests(25, [None, Some(Fault::Invents)]) {
            let [ours, peer] = faults(&contest);
            assert!(contest.agrees() && ours.is_empty());
            assert!(peer.lost == 0 && peer.invented > 100, "{peer:?}");
        }
        let contests = contests(25, [Some(Fault::Invents), None]);
        assert!(contests.iter().all(|contest| !contest.agrees()));
    }
}
