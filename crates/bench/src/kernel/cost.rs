use std::sync::Arc;

use rayon::ThreadPoolBuilder;
use serde::Serialize;
use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
use sunfleck_math::Affine3;

use crate::clock::{Elapsed, Stopwatch, Whose};
use crate::embree::{EmbreeScene, Library, Quality};
use crate::{BenchError, Mesh};

/// Smaller meshes are built three times, for the best.
const ONCE_FROM: usize = 1 << 20;

/// How much work goes into a structure, on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// For scenes that change with every frame.
    Fast,
    /// Neither.
    Balanced,
    /// For scenes that are traced often.
    #[default]
    Best,
}

impl Preset {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::Best];

    /// As in the table and on the command line.
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

    fn embree(self) -> Quality {
        match self {
            Self::Fast => Quality::Low,
            Self::Balanced => Quality::Medium,
            Self::Best => Quality::High,
        }
    }
}

/// What it took to make a structure.
#[derive(Clone, Debug, Serialize)]
pub struct BuildCost {
    /// Whose.
    pub builder: String,
    /// How many threads it had.
    pub threads: usize,
    /// All threads' together, seconds.
    pub cpu_secs: f64,
    /// Seconds.
    pub wall_secs: f64,
    /// Memory of the structure: all that tracing needs, bytes. Embree's is what it still holds, without the vertices and
    /// indices, which it shares with us.
    pub bytes: usize,
    /// The most memory at any time during the build, bytes, where it is known.
    pub peak_bytes: Option<usize>,
    /// See `sunfleck_kernel::BvhStats::sah_cost`.
    pub sah_cost: Option<f64>,
}

/// Our structure over one mesh: a bottom level and one instance of it.
pub(crate) fn build_ours(
    mesh: &Mesh,
    preset: Preset,
    threads: usize,
) -> Result<(Tlas, BuildCost), BenchError> {
    let options = BuildOptions { parallel: threads > 1, ..preset.ours() };
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let build = || Blas::build(&mesh.positions, &mesh.triangles, &options);
    let once = || -> Result<_, BenchError> {
        let watch = Stopwatch::start(Whose::Process);
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

/// Embree's structure over the same mesh.
pub(crate) fn build_embree(
    library: &Arc<Library>,
    mesh: &Mesh,
    preset: Preset,
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
