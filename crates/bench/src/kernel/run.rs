use std::sync::Arc;

use fearless_simd::Level;

use super::cost::{build_embree, build_ours};
use super::matching::compare_both_kinds;
use super::{BuildPreset, KernelReport, KernelSceneReport, QueryForm};
use crate::embree::{EmbreeForm, EmbreeLibrary, EmbreeQuery, EmbreeScene};
use crate::query::Query;
use crate::rays::RayGenerator;
use crate::{BenchError, RayKind, RaySet, Subject};

/// Settings of the kernel benchmark.
#[derive(Clone, Debug)]
pub struct KernelBenchSettings {
    /// Kinds of rays; a [`Subject`] that has its own rays is traced with those instead.
    pub kinds: Vec<RayKind>,
    /// Query forms of Sunfleck's kernel.
    pub forms: Vec<QueryForm>,
    /// Numbers of threads, measured one after the other.
    pub threads: Vec<usize>,
    /// SIMD level of Sunfleck's kernel; the peer chooses its own.
    pub level: Level,
    /// Number of timings.
    pub rounds: usize,
    /// Primary rays per side of the image.
    pub resolution: u32,
    /// Whether to measure the peer's robust mode, too: it is watertight, as Sunfleck's kernel is, and slower.
    pub robust: bool,
    /// Build quality of the acceleration structures.
    pub preset: BuildPreset,
}

impl Default for KernelBenchSettings {
    fn default() -> Self {
        Self {
            kinds: RayKind::ALL.to_vec(),
            forms: vec![QueryForm::Single, QueryForm::Stream],
            threads: vec![1],
            level: Level::new(),
            rounds: 5,
            resolution: 1024,
            robust: false,
            preset: BuildPreset::Best,
        }
    }
}

/// Measures all scenes, and Embree on the same scenes if it is given.
///
/// * `progress` — receives a line of text before each step.
///
/// Errors: a structure cannot be built. Differences in hits are in the report.
pub fn run(
    settings: &KernelBenchSettings,
    subjects: &[Subject],
    peer: Option<&Arc<EmbreeLibrary>>,
    progress: &mut dyn FnMut(&str),
) -> Result<KernelReport, BenchError> {
    let measure = |subject: &Subject| measure(settings, subject, peer, progress);
    let scenes = subjects.iter().map(measure).collect::<Result<_, _>>()?;
    Ok(KernelReport::new(peer.map(|library| library.version()), scenes))
}

/// Measures one scene.
pub(super) fn measure(
    settings: &KernelBenchSettings,
    subject: &Subject,
    peer: Option<&Arc<EmbreeLibrary>>,
    progress: &mut dyn FnMut(&str),
) -> Result<KernelSceneReport, BenchError> {
    let Subject { name, mesh, .. } = subject;
    let mut scene = KernelSceneReport {
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
        let generator = RayGenerator::new(subject, &tlas, settings.level, settings.resolution);
        let lit = subject.rays.is_empty() && settings.kinds.contains(&RayKind::Shadow);
        scene.light = lit.then(|| generator.light().to_array());
        let comparison = |rays: &RaySet, progress: &mut dyn FnMut(&str)| {
            progress(&format!("{name}: {} {} rays", rays.rays.len(), rays.kind.name()));
            let forms = settings.forms.iter().map(|form| form.query(&tlas, settings.level, rays.kind));
            let forms: Vec<_> = forms.collect();
            let ours: Vec<&dyn Query> = forms.iter().map(|query| query as &dyn Query).collect();
            compare_both_kinds(&subject.mesh, rays, threads, settings.rounds, &ours, &peers)
        };
        match subject.rays.as_slice() {
            [] => {
                for &kind in &settings.kinds {
                    scene.contests.extend(comparison(&generator.rays(kind), progress));
                }
            }
            given => scene.contests.extend(given.iter().flat_map(|rays| comparison(rays, progress))),
        }
    }
    Ok(scene)
}

/// Returns the query forms of Embree; in robust mode only single rays, for information.
fn peer_forms(scene: &EmbreeScene) -> impl Iterator<Item = EmbreeQuery<'_>> {
    let forms = if scene.robust() { &[EmbreeForm::Single][..] } else { &EmbreeForm::ALL };
    forms.iter().map(move |&form| EmbreeQuery { scene, form })
}
