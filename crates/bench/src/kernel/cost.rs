use std::sync::Arc;

use rayon::ThreadPoolBuilder;
use serde::Serialize;
use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
use sunfleck_math::Affine3;

use crate::clock::{ClockScope, Elapsed, Stopwatch};
use crate::embree::{BuildQuality, EmbreeLibrary, EmbreeScene};
use crate::{BenchError, Mesh};

/// Number of triangles below which a mesh is built three times; the fastest build counts.
const ONCE_FROM: usize = 1 << 20;

/// Build quality of acceleration structures, of Sunfleck and of the peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BuildPreset {
    /// Fastest build, for scenes that change in every frame.
    Fast,
    /// Compromise between build time and traversal speed.
    Balanced,
    /// Fastest traversal, for static scenes.
    #[default]
    Best,
}

impl BuildPreset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::Best];

    /// Name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Balanced => "balanced",
            Self::Best => "best",
        }
    }

    pub(crate) fn ours(self) -> BuildOptions {
        match self {
            Self::Fast => BuildOptions::FAST,
            Self::Balanced => BuildOptions::BALANCED,
            Self::Best => BuildOptions::BEST,
        }
    }

    fn embree(self) -> BuildQuality {
        match self {
            Self::Fast => BuildQuality::Low,
            Self::Balanced => BuildQuality::Medium,
            Self::Best => BuildQuality::High,
        }
    }
}

/// Time and memory of the build of an acceleration structure.
#[derive(Clone, Debug, Serialize)]
pub struct BuildCost {
    /// Builder: `sunfleck`, or `embree` with its build quality.
    pub builder: String,
    /// Number of threads.
    pub threads: usize,
    /// CPU time of all threads together, seconds.
    pub cpu_secs: f64,
    /// Wall time, seconds.
    pub wall_secs: f64,
    /// Memory of the structure, bytes: all that traversal needs. For Embree the memory that it holds after the build,
    /// without vertices and indices, whose buffers belong to this program.
    pub bytes: usize,
    /// Peak memory during the build, bytes; `None` for Sunfleck.
    pub peak_bytes: Option<usize>,
    /// `sunfleck_kernel::BvhStats::sah_cost`; `None` for Embree.
    pub sah_cost: Option<f64>,
}

/// Builds Sunfleck's structure of a mesh: a BLAS, and a TLAS with one instance of it.
pub(crate) fn build_ours(
    mesh: &Mesh,
    preset: BuildPreset,
    threads: usize,
) -> Result<(Tlas, BuildCost), BenchError> {
    let options = BuildOptions { parallel: threads > 1, ..preset.ours() };
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let build = || Blas::build(&mesh.positions, &mesh.triangles, &options);
    let once = || -> Result<_, BenchError> {
        let watch = Stopwatch::start(ClockScope::Process);
        let blas = if options.parallel { pool.install(build) } else { build() }?;
        Ok((blas, watch.stop()))
    };
    let (blas, elapsed) = best_of(mesh, once, |(_, elapsed)| *elapsed)?;
    let (stats, Elapsed { cpu_secs, wall_secs }) = (blas.stats(), elapsed);
    let cost = BuildCost {
        builder: "sunfleck".to_string(),
        threads,
        cpu_secs,
        wall_secs,
        bytes: stats.bytes,
        peak_bytes: None,
        sah_cost: Some(stats.sah_cost),
    };
    let instance = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
    Ok((Tlas::build(vec![Arc::new(blas)], vec![instance], &options)?, cost))
}

/// Builds Embree's structure of a mesh.
pub(crate) fn build_embree(
    library: &Arc<EmbreeLibrary>,
    mesh: &Mesh,
    preset: BuildPreset,
    robust: bool,
    threads: usize,
) -> Result<(EmbreeScene, BuildCost), BenchError> {
    let quality = preset.embree();
    let once = || EmbreeScene::build(library, mesh, quality, robust, threads);
    let scene = best_of(mesh, once, |scene| scene.elapsed)?;
    let (memory, Elapsed { cpu_secs, wall_secs }) = (scene.memory(), scene.elapsed);
    let cost = BuildCost {
        builder: format!("embree {}{}", quality.name(), if robust { " robust" } else { "" }),
        threads,
        cpu_secs,
        wall_secs,
        bytes: memory.final_bytes,
        peak_bytes: Some(memory.peak_bytes),
        sah_cost: None,
    };
    Ok((scene, cost))
}

/// Runs a build once, or three times if the mesh is small; returns the result of the smallest CPU time.
fn best_of<T>(
    mesh: &Mesh,
    mut once: impl FnMut() -> Result<T, BenchError>,
    elapsed: impl Fn(&T) -> Elapsed,
) -> Result<T, BenchError> {
    let mut best = once()?;
    let again = if mesh.triangles.len() < ONCE_FROM { 2 } else { 0 };
    for _ in 0..again {
        let next = once()?;
        if elapsed(&next).cpu_secs < elapsed(&best).cpu_secs {
            best = next;
        }
    }
    Ok(best)
}
