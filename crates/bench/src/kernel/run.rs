use std::sync::Arc;

use fearless_simd::Level;

use super::cost::{build_embree, build_ours};
use super::matching::both_questions;
use super::{Form, KernelReport, Preset, SceneReport};
use crate::embree::{EmbreeQuery, EmbreeScene, Form as PeerForm, Library};
use crate::query::Query;
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
    /// Number of timings.
    pub rounds: usize,
    /// Primary rays per side of the image.
    pub resolution: u32,
    /// Whether the peer's robust mode takes part, too: watertight as ours, and never its fastest.
    pub robust: bool,
    /// How much work goes into the structures.
    pub preset: Preset,
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
            robust: false,
            preset: Preset::Best,
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

/// One subject.
pub(super) fn measure(
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
        let (tlas, cost) = build_ours(mesh, settings.preset, threads)?;
        scene.builds.push(cost);
        let mut built = Vec::new();
        if let Some(library) = peer {
            for robust in [false, true].into_iter().take(1 + usize::from(settings.robust)) {
                let (peer, cost) = build_embree(library, mesh, settings.preset, robust, threads)?;
                scene.builds.push(cost);
                built.push(peer);
            }
        }

        let peers: Vec<_> = built.iter().flat_map(peer_forms).collect();
        let peers: Vec<&dyn Query> = peers.iter().map(|query| query as &dyn Query).collect();

        // Trace
        let maker = RayMaker::new(subject, &tlas, settings.level, settings.resolution);
        let lit = subject.rays.is_empty() && settings.kinds.contains(&RayKind::Shadow);
        scene.light = lit.then(|| maker.light().to_array());
        let contest = |rays: &RaySet, progress: &mut dyn FnMut(&str)| {
            progress(&format!("{name}: {} {} rays", rays.rays.len(), rays.kind.name()));
            let forms = settings.forms.iter().map(|form| form.query(&tlas, settings.level, rays.kind));
            let forms: Vec<_> = forms.collect();
            let ours: Vec<&dyn Query> = forms.iter().map(|query| query as &dyn Query).collect();
            both_questions(&subject.mesh, rays, threads, settings.rounds, &ours, &peers)
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

/// All ways of asking; of the robust mode only one-ray calls, for information.
fn peer_forms(scene: &EmbreeScene) -> impl Iterator<Item = EmbreeQuery<'_>> {
    let forms = if scene.robust() { &[PeerForm::Single][..] } else { &PeerForm::ALL };
    forms.iter().map(move |&form| EmbreeQuery { scene, form })
}
