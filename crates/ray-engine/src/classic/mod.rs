//! The ray engine of 2002: rays and triangles are gathered on the CPU, and all pairs are tested on the GPU
//! [RayEngine02, §5.3 and §6.2].
//!
//! ```text
//! rays ──▶ ray tree ──bucket──▶ through the octree ──▶ cells with few triangles: tested by the CPU ──▶ next cell
//!             ▲                        │
//!             │                        ▼
//!             └──── no hit yet ◀── the cache of a cell with many: full, so all pairs on the GPU
//! ```
//!
//! Rays wait in a 5-D [ray tree](ray_tree::RayTree) whose buckets hold similar rays. The fullest bucket is taken first,
//! and its rays traverse the [octree](octree::Octree). In cells with few triangles they are tested on the CPU; in a
//! cell with at least `T_min` triangles they stop and wait in its cache. When the cache has R rays, all pairs of them
//! and the cell's triangles are tested by the crossbar, many cells in a dispatch. Rays without a hit nearer than the
//! next cell are inserted into the tree again. When nothing else is left to do, caches with enough rays are sent to the
//! GPU, and the others are tested on the CPU.
//!
//! Unlike in the paper, read-back is asynchronous by default; [`ReadBack::Waiting`] makes it synchronous, as in the
//! paper. Triangles are in world space, and the test is not watertight: for rays that pass within rounding error of an
//! edge, it may find another triangle than the kernel does.

mod crossing;
mod in_flight;
mod intersect;
mod octree;
mod ray_tree;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use sunfleck_gpu::{Gpu, GpuError, RayQuery};
use sunfleck_kernel::Tlas;
use sunfleck_math::Ray;
use sunfleck_shaders::layout::{Hit, Plane};

use crate::answers::Answers;
use crate::world_triangles::{WorldTriangle, world_triangles};
use crossing::Crossbars;
use in_flight::{RayBatchInFlight, RayInFlight};
use intersect::intersect;
use octree::Octree;

/// Settings of a [`Classic`]: how rays and triangles are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassicSettings {
    /// `R`: number of rays that are tested together on the GPU, 1 to 65 536; the paper has 64 to 512.
    pub rays: usize,
    /// `T_min` and the maximum number of triangles per cell: cells with more triangles are split; those with fewer than
    /// `T_min` are tested by the CPU.
    pub triangles: [usize; 2],
    /// Minimum number of rays of a bucket that is sent to the GPU when nothing else is left to do.
    pub least_rays: usize,
    /// Maximum number of rays in flight.
    pub cache: usize,
    /// Read-back mode.
    pub read_back: ReadBack,
}

/// Read-back mode: what the CPU does while the GPU works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadBack {
    /// It waits for each dispatch, as in 2002.
    Waiting,
    /// It continues with other rays.
    Asynchronous,
}

impl Default for ClassicSettings {
    /// The best settings of the paper: 256 rays [RayEngine02, Table 5], 5 to 15 triangles [RayEngine02, Table 4].
    fn default() -> Self {
        Self {
            rays: 256,
            triangles: [5, 15],
            least_rays: 64,
            cache: 1 << 17,
            read_back: ReadBack::Asynchronous,
        }
    }
}

/// Counters of a [`Classic`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClassicStats {
    /// Number of rays answered.
    pub rays: u64,
    /// Number of these rays that the GPU tested in at least one cell.
    pub gpu_rays: u64,
    /// Number of ray–triangle pairs tested by the GPU.
    pub gpu_tests: u64,
    /// Number of pairs tested by the CPU.
    pub cpu_tests: u64,
    /// Number of buckets sent to the GPU, and of dispatches.
    pub buckets: u64,
    /// See [`buckets`](Self::buckets).
    pub dispatches: u64,
    /// Time that the CPU waited for the GPU, seconds.
    pub waited_s: f64,
    /// Total time, seconds.
    pub total_s: f64,
}

/// The ray engine of 2002 over one world. It is used by a single thread.
#[derive(Debug)]
pub struct Classic {
    settings: ClassicSettings,
    triangles: Vec<WorldTriangle>,
    octree: Octree,
    /// Planes of `octree.items`.
    planes: Vec<Plane>,
    crossbars: Option<Crossbars>,
    trouble: Option<GpuError>,
    stats: ClassicStats,
}

impl Classic {
    /// Creates the engine for a world.
    ///
    /// * `gpu` — `None` for the CPU alone.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the world has geometry other than triangles; [`GpuError::Shader`],
    /// [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn new(world: &Tlas, gpu: Option<&Arc<Gpu>>, settings: ClassicSettings) -> Result<Self, GpuError> {
        let triangles = world_triangles(world)?;
        let octree = Octree::new(&triangles, settings.triangles[1].max(1));
        let plane = |&i: &u32| Plane::new(triangles[i as usize].corners);
        let planes: Vec<Plane> = octree.items.iter().map(plane).collect();
        let crossbars = gpu.map(|gpu| Crossbars::new(gpu, &planes)).transpose()?;
        let rays = settings.rays.clamp(1, crossing::MOST_RAYS);
        let settings = ClassicSettings { rays, ..settings };
        Ok(Self {
            settings,
            triangles,
            octree,
            planes,
            crossbars,
            trouble: None,
            stats: ClassicStats::default(),
        })
    }

    /// Returns the answers for all rays. If the GPU fails, the CPU continues alone, and [`trouble`](Self::trouble)
    /// says why.
    pub fn trace(&mut self, query: RayQuery, rays: &[Ray]) -> Answers {
        let start = Instant::now();
        let mut answers = Answers::none(query, rays.len());
        for (i, rays) in rays.chunks(self.settings.cache.max(1)).enumerate() {
            let states = RayBatchInFlight::new(self, query, rays).end();
            for (place, state) in (i * self.settings.cache.max(1)..).zip(&states) {
                self.stats.gpu_rays += u64::from(state.on_gpu);
                let found = state.hit.prim_id != Hit::MISS;
                match &mut answers {
                    Answers::Closest(hits) => hits[place] = self.with_world_ids(&state.hit),
                    Answers::Any(any) => any[place] = found,
                }
            }
        }
        self.stats.rays += rays.len() as u64;
        self.stats.total_s += start.elapsed().as_secs_f64();
        answers
    }

    /// Returns the hit with the primitive and instance ids of the world.
    fn with_world_ids(&self, hit: &Hit) -> Hit {
        if hit.prim_id == Hit::MISS {
            return *hit;
        }
        let triangle = &self.triangles[self.octree.items[hit.prim_id as usize] as usize];
        Hit { prim_id: triangle.prim_id, inst_id: triangle.inst_id, ..*hit }
    }

    /// Returns the counters since creation.
    pub fn stats(&self) -> ClassicStats {
        self.stats
    }

    /// Returns why the GPU is no longer used.
    pub fn trouble(&self) -> Option<&GpuError> {
        self.trouble.as_ref()
    }

    /// Returns the number of cells of the octree, and of references to triangles in its leaves.
    pub fn cells(&self) -> [usize; 2] {
        [self.octree.cells(), self.octree.items.len()]
    }

    /// Tests a ray with all triangles of a cell.
    fn test(&mut self, state: &mut RayInFlight, cell: u32) {
        let items = self.octree.items(cell);
        self.stats.cpu_tests += items.len() as u64;
        let first = u32::try_from(items.start).unwrap_or(u32::MAX);
        for (prim_id, plane) in (first..).zip(&self.planes[items]) {
            if let Some([t, u, v]) = intersect(plane, &state.ray, state.hit.t) {
                state.hit = Hit { t, u, v, prim_id, inst_id: 0 };
            }
        }
    }
}
