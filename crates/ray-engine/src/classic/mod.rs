//! The ray engine of 2002: rays and triangles gathered on the processor, all pairs tested on the GPU [RayEngine02, §5.3 and §6.2].
//!
//! ```text
//! rays ──▶ ray tree ──bucket──▶ through the octree ──▶ cells with few triangles: tested here ──▶ goes on
//!             ▲                        │
//!             │                        ▼
//!             └──── no hit yet ◀── the cache of a cell with many: full, so all pairs on the GPU
//! ```
//!
//! Rays wait in a 5-D [ray tree](ray_tree::RayTree) whose buckets hold those that are alike. A bucket is taken, the fullest first, and its rays go through the
//! [octree](octree::Octree): what they meet in cells with few triangles is tested here; in a cell with at least `T_min` triangles they stop and wait in its
//! cache. When that has R rays, all pairs of them and the cell's triangles are tested by the crossbar, many cells in a dispatch. Rays that have hit nothing
//! nearer than the next cell go back into the tree. When nothing else is left to do, what caches hold is sent if it is worth it, or tested here.
//!
//! In contrast to the paper, reading back is asynchronous; [`ReadBack::Waiting`] does what the paper had to. Triangles are in world space, and the test is not
//! watertight: rays that pass an edge within rounding may find another triangle than the kernel does.

mod crossing;
mod journey;
mod meet;
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
use journey::{Journey, Traveller};
use meet::meet;
use octree::Octree;

/// Settings of a [`Classic`]: how rays and triangles are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassicSettings {
    /// `R`: rays that go to the GPU together, 1 to 65 536; the paper has 64 to 512.
    pub rays: usize,
    /// `T_min` and the most: cells with more triangles are cut; those with fewer than `T_min` are tested by the processor.
    pub triangles: [usize; 2],
    /// Rays that are worth sending to the GPU when nothing else is left to do.
    pub least_rays: usize,
    /// Rays that are on their way at once.
    pub cache: usize,
    /// What happens while the GPU works.
    pub read_back: ReadBack,
}

/// What the processor does while the GPU works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadBack {
    /// It waits for each dispatch, as in 2002.
    Waiting,
    /// It goes on with other rays.
    Asynchronous,
}

impl Default for ClassicSettings {
    /// The paper's best: 256 rays [RayEngine02, Table 5], 5 to 15 triangles [RayEngine02, Table 4].
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
    /// Rays that were answered.
    pub rays: u64,
    /// Of these, how many the GPU has tested with some cell.
    pub gpu_rays: u64,
    /// Pairs of a ray and a triangle that the GPU has tested.
    pub gpu_tests: u64,
    /// And the processor.
    pub cpu_tests: u64,
    /// Buckets that the GPU has got, and in how many dispatches.
    pub buckets: u64,
    /// See [`buckets`](Self::buckets).
    pub dispatches: u64,
    /// Seconds in which the processor had to wait for the GPU.
    pub waited_s: f64,
    /// Seconds in all.
    pub total_s: f64,
}

/// The ray engine of 2002 over one world. One thread uses it.
#[derive(Debug)]
pub struct Classic {
    settings: ClassicSettings,
    triangles: Vec<WorldTriangle>,
    octree: Octree,
    /// Of `octree.items`.
    planes: Vec<Plane>,
    crossbars: Option<Crossbars>,
    trouble: Option<GpuError>,
    stats: ClassicStats,
}

impl Classic {
    /// * `gpu` — none for the processor alone.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if something else than triangles is placed in the world; [`GpuError::Shader`], [`GpuError::TooLarge`],
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
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

    /// Answers for all rays. If the GPU fails, the processor goes on alone, and [`trouble`](Self::trouble) says why.
    pub fn trace(&mut self, query: RayQuery, rays: &[Ray]) -> Answers {
        let start = Instant::now();
        let mut answers = Answers::none(query, rays.len());
        for (i, rays) in rays.chunks(self.settings.cache.max(1)).enumerate() {
            let travellers = Journey::new(self, query, rays).end();
            for (place, traveller) in (i * self.settings.cache.max(1)..).zip(&travellers) {
                self.stats.gpu_rays += u64::from(traveller.on_gpu);
                let found = traveller.hit.prim_id != Hit::MISS;
                match &mut answers {
                    Answers::Closest(hits) => hits[place] = self.named(&traveller.hit),
                    Answers::Any(any) => any[place] = found,
                }
            }
        }
        self.stats.rays += rays.len() as u64;
        self.stats.total_s += start.elapsed().as_secs_f64();
        answers
    }

    /// The hit with the names that the world has for triangles.
    fn named(&self, hit: &Hit) -> Hit {
        if hit.prim_id == Hit::MISS {
            return *hit;
        }
        let triangle = &self.triangles[self.octree.items[hit.prim_id as usize] as usize];
        Hit { prim_id: triangle.prim_id, inst_id: triangle.inst_id, ..*hit }
    }

    /// Counters since it was made.
    pub fn stats(&self) -> ClassicStats {
        self.stats
    }

    /// Why the GPU no longer takes part.
    pub fn trouble(&self) -> Option<&GpuError> {
        self.trouble.as_ref()
    }

    /// Cells of the octree, and triangles in its leaves: those in several count several times.
    pub fn cells(&self) -> [usize; 2] {
        [self.octree.cells(), self.octree.items.len()]
    }

    /// Tests a ray with all triangles of a cell.
    fn test(&mut self, traveller: &mut Traveller, cell: u32) {
        let items = self.octree.items(cell);
        self.stats.cpu_tests += items.len() as u64;
        let first = u32::try_from(items.start).unwrap_or(u32::MAX);
        for (prim_id, plane) in (first..).zip(&self.planes[items]) {
            if let Some([t, u, v]) = meet(plane, &traveller.ray, traveller.hit.t) {
                traveller.hit = Hit { t, u, v, prim_id, inst_id: 0 };
            }
        }
    }
}
