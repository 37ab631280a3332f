use std::sync::Arc;

use fearless_simd::Level;
use sunfleck_kernel::HitBuffer;

use super::contest::Answers;
use super::cost::{build_embree, build_ours};
use super::{Contest, Form, KernelReport, Query, Question, SceneReport};
use crate::compare::Differences;
use crate::embree::{EmbreeQuery, EmbreeScene, Form as PeerForm, Library, Quality};
use crate::rays::RayMaker;
use crate::{BenchError, RayKind, RaySet, Subject};

/// What is measured, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which rays; a [`Subject`] that brings its own is traced with those.
    pub kinds: Vec<RayKind>,
    /// How our kernel is asked.
    pub forms: Vec<Form>,
    /// Numbers of threads, one after the other.
    pub threads: Vec<usize>,
    /// Our instruction set; the peer chooses its own.
    pub level: Level,
    /// How often everything is timed.
    pub rounds: usize,
    /// Primary rays per side of the picture.
    pub resolution: u32,
    /// How well the peer builds.
    pub quality: Quality,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kinds: RayKind::ALL.to_vec(),
            forms: vec![Form::Single, Form::Stream],
            threads: vec![1],
            level: Level::new(),
            rounds: 5,
            resolution: 1024,
            quality: Quality::High,
        }
    }
}

/// Measures all subjects, beside Embree if there is one.
///
/// * `progress` — is told what happens next.
///
/// Errors: a structure cannot be built. Differences in hits are in the report.
pub fn run(
    settings: &Settings,
    subjects: &[Subject],
    peer: Option<&Arc<Library>>,
    progress: &mut dyn FnMut(&str),
) -> Result<KernelReport, BenchError> {
    let measure = |subject: &Subject| measure(settings, subject, peer, progress);
    let scenes = subjects.iter().map(measure).collect::<Result<_, _>>()?;
    Ok(KernelReport::new(peer.map(|library| library.version()), scenes))
}

/// Our closest hits of some rays, by the first of the forms.
///
/// Errors: the structure cannot be built.
pub fn trace(settings: &Settings, subject: &Subject, rays: &RaySet) -> Result<HitBuffer, BenchError> {
    let (tlas, _) = build_ours(&subject.mesh, 1)?;
    let form = settings.forms.first().copied().unwrap_or(Form::Single);
    let mut hits = HitBuffer::with_len(rays.rays.len());
    let query = form.query(&tlas, settings.level, rays.kind);
    query.closest(&rays.share(0..rays.rays.len()), &mut hits.as_stream());
    Ok(hits)
}

fn measure(
    settings: &Settings,
    subject: &Subject,
    peer: Option<&Arc<Library>>,
    progress: &mut dyn FnMut(&str),
) -> Result<SceneReport, BenchError> {
    let Subject { name, mesh, .. } = subject;
    let mut scene = SceneReport {
        name: name.clone(),
        triangles: mesh.triangles.len(),
        light: None,
        builds: Vec::new(),
        contests: Vec::new(),
    };
    for &threads in &settings.threads {
        // Build
        progress(&format!("{name}: building {} triangles", mesh.triangles.len()));
        let (tlas, cost) = build_ours(mesh, threads)?;
        scene.builds.push(cost);
        let peer = match peer {
            Some(library) => {
                let (peer, cost) = build_embree(library, mesh, settings.quality, threads)?;
                scene.builds.push(cost);
                Some(peer)
            }
            None => None,
        };

        // Trace
        let maker = RayMaker::new(subject, &tlas, settings.level, settings.resolution);
        scene.light = settings.kinds.contains(&RayKind::Shadow).then(|| maker.light().to_array());
        let contest = |rays: &RaySet, progress: &mut dyn FnMut(&str)| {
            progress(&format!("{name}: {} {} rays", rays.rays.len(), rays.kind.name()));
            let forms = settings.forms.iter().map(|form| form.query(&tlas, settings.level, rays.kind));
            let forms: Vec<_> = forms.collect();
            let ours: Vec<&dyn Query> = forms.iter().map(|query| query as &dyn Query).collect();
            both_questions(settings, subject, rays, threads, &ours, peer.as_ref())
        };
        match subject.rays.as_slice() {
            [] => {
                for &kind in &settings.kinds {
                    scene.contests.extend(contest(&maker.rays(kind), progress));
                }
            }
            given => scene.contests.extend(given.iter().flat_map(|rays| contest(rays, progress))),
        }
    }
    Ok(scene)
}

fn both_questions(
    settings: &Settings,
    subject: &Subject,
    rays: &RaySet,
    threads: usize,
    ours: &[&dyn Query],
    peer: Option<&EmbreeScene>,
) -> [Contest; 2] {
    let forms: Vec<_> = peer
        .iter()
        .flat_map(|scene| PeerForm::ALL.map(|form| EmbreeQuery { scene, form }))
        .collect();
    let peers: Vec<&dyn Query> = forms.iter().map(|query| query as &dyn Query).collect();
    let diagonal = subject.mesh.bounds().diagonal();
    Question::ALL.map(|question| {
        let (mut contest, answers) =
            Contest::hold(question, rays, threads, settings.rounds, ours, &peers);
        contest.compare(&answers, diagonal);
        contest
    })
}

impl Contest {
    /// Our forms with each other, which must agree bit for bit, and the first of them with the peer's fastest.
    fn compare(&mut self, answers: &[Answers], diagonal: f32) {
        let (ours, peers) = answers.split_at(self.ours.len());
        let Some((first, others)) = ours.split_first() else { return };
        self.consistent = others.iter().all(|other| match self.question {
            Question::Closest => {
                let Answers { hits: a, .. } = first;
                let Answers { hits: b, .. } = other;
                a.t == b.t && a.prim_id == b.prim_id && a.u == b.u && a.v == b.v
            }
            Question::Any => first.occluded == other.occluded,
        });
        self.differences = peers.first().map(|peer| match self.question {
            Question::Closest => Differences::of_hits(&first.hits, &peer.hits, diagonal),
            Question::Any => Differences::of_occlusion(&first.occluded, &peer.occluded),
        });
    }
}
