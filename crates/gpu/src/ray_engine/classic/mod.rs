//! The paper's own organisation [RayEngine02, §5.3 and §6.2].
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
mod meet;
mod octree;
mod ray_tree;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use sunfleck_kernel::Tlas;
use sunfleck_math::Ray;
use sunfleck_shaders::layout::{Hit, Plane};

use super::question::{Answers, Question};
use crate::world_triangles::{WorldTriangle, world_triangles};
use crate::{Gpu, GpuError};
use crossing::{Crossbars, Dispatch};
use meet::meet;
use octree::{CellRay, NOWHERE, Octree};
use ray_tree::{Key, RayTree};

/// How rays and triangles are gathered.
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

/// What was done so far.
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

/// A ray on its way.
#[derive(Clone, Copy, Debug)]
struct Traveller {
    ray: Ray,
    cells: CellRay,
    /// The cell where it was last.
    cell: u32,
    /// The closest hit so far; `prim_id` counts triangles of all cells.
    hit: Hit,
    on_gpu: bool,
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
    pub fn trace(&mut self, question: Question, rays: &[Ray]) -> Answers {
        let start = Instant::now();
        let mut answers = Answers::none(question, rays.len());
        for (i, rays) in rays.chunks(self.settings.cache.max(1)).enumerate() {
            let travellers = Journey::new(self, question, rays).end();
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

    /// What was done so far.
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
}

/// The way of some rays to their answers.
struct Journey<'a> {
    engine: &'a mut Classic,
    any: bool,
    travellers: Vec<Traveller>,
    tree: RayTree,
    /// Rays that wait in cells, by cell, and the cells where some wait.
    caches: std::collections::BTreeMap<u32, Vec<u32>>,
    dispatch: Dispatch,
}

/// A dispatch is sent when it has so many rays, whatever else is to do.
const WORTH_SENDING: usize = 1 << 14;

/// How long to wait for the GPU before looking whether it is lost.
const PATIENCE: Duration = Duration::from_millis(5);

impl<'a> Journey<'a> {
    fn new(engine: &'a mut Classic, question: Question, rays: &[Ray]) -> Self {
        let traveller = |ray: &Ray| Traveller {
            ray: *ray,
            cells: CellRay::new(ray),
            cell: NOWHERE,
            hit: Hit { t: ray.t_far, u: 0.0, v: 0.0, prim_id: Hit::MISS, inst_id: Hit::MISS },
            on_gpu: false,
        };
        let mut journey = Self {
            any: question == Question::Any,
            travellers: rays.iter().map(traveller).collect(),
            tree: RayTree::new(engine.settings.rays),
            caches: std::collections::BTreeMap::new(),
            dispatch: Dispatch::default(),
            engine,
        };
        // In an order without order, which keeps the tree balanced [RayEngine02, §5.3]
        let count = rays.len() as u64;
        let stride = coprime(count);
        for i in 0..count {
            journey.board(u32::try_from(i * stride % count).unwrap_or(u32::MAX));
        }
        journey
    }

    /// Lets all rays arrive.
    fn end(mut self) -> Vec<Traveller> {
        loop {
            self.take_results(Duration::ZERO);
            if !self.tree.is_empty() {
                let bucket = self.tree.take();
                bucket.into_iter().for_each(|(i, _)| self.advance(i));
                if self.dispatch.rays() >= WORTH_SENDING {
                    self.send();
                }
            } else if !self.caches.is_empty() {
                self.empty_caches();
            } else if self.dispatch.rays() > 0 {
                self.send();
            } else if self.is_waiting() {
                self.wait();
            } else {
                return self.travellers;
            }
        }
    }

    /// Puts a ray into the tree, at the place where it is.
    fn board(&mut self, i: u32) {
        let Traveller { ray, .. } = &self.travellers[i as usize];
        self.tree.insert((i, key(ray)));
    }

    /// Takes a ray through cells until it stops in one for the GPU, or is done.
    fn advance(&mut self, i: u32) {
        let least = self.engine.settings.triangles[0];
        let has_gpu = self.engine.crossbars.is_some();
        let mut traveller = self.travellers[i as usize];
        let mut stop = None;
        while let Some(cell) = self.next(&traveller) {
            traveller.cell = cell;
            if has_gpu && self.engine.octree.items(cell).len() >= least {
                stop = Some(cell);
                break;
            }
            self.engine.test(&mut traveller, cell);
        }
        self.travellers[i as usize] = traveller;
        if let Some(cell) = stop {
            let cache = self.caches.entry(cell).or_default();
            cache.push(i);
            if cache.len() >= self.engine.settings.rays {
                let rays = self.caches.remove(&cell).unwrap_or_default();
                self.bucket(cell, rays);
            }
        }
    }

    fn next(&self, traveller: &Traveller) -> Option<u32> {
        let Traveller { cells, cell, hit, .. } = traveller;
        if self.any && hit.prim_id != Hit::MISS {
            return None;
        }
        self.engine.octree.next(cells, *cell, hit.t)
    }

    /// Adds a full bucket to the next dispatch.
    fn bucket(&mut self, cell: u32, rays: Vec<u32>) {
        if !self.dispatch.fits(rays.len()) {
            self.send();
        }
        for &i in &rays {
            self.travellers[i as usize].on_gpu = true;
        }
        let travellers = &self.travellers;
        let shortened = |i: u32| {
            let Traveller { ray, hit, .. } = &travellers[i as usize];
            Ray { t_far: hit.t, ..*ray }
        };
        self.dispatch.add(self.engine.octree.items(cell), &rays, shortened);
        self.engine.stats.buckets += 1;
    }

    /// What caches hold goes to the GPU where it is worth it; of the others the processor tests those of one cell, the fullest.
    fn empty_caches(&mut self) {
        let least = self.engine.settings.least_rays;
        let worth: Vec<u32> =
            self.caches.iter().filter(|(_, rays)| rays.len() >= least).map(|(&cell, _)| cell).collect();
        for &cell in &worth {
            let rays = self.caches.remove(&cell).unwrap_or_default();
            self.bucket(cell, rays);
        }
        if !worth.is_empty() || self.dispatch.rays() > 0 || self.is_waiting() {
            // Their rays may come to cells where others wait
            self.send();
            self.wait();
            return;
        }
        for (cell, rays) in std::mem::take(&mut self.caches) {
            rays.into_iter().for_each(|i| self.test_here(i, cell));
        }
    }

    /// Tests a ray in a cell that the GPU would have tested.
    fn test_here(&mut self, i: u32, cell: u32) {
        let mut traveller = self.travellers[i as usize];
        self.engine.test(&mut traveller, cell);
        self.travellers[i as usize] = traveller;
        self.board(i);
    }

    fn is_waiting(&self) -> bool {
        self.engine.crossbars.as_ref().is_some_and(|crossbars| !crossbars.is_idle())
    }

    /// Sends what is gathered.
    fn send(&mut self) {
        if self.dispatch.rays() == 0 {
            return;
        }
        while self.engine.crossbars.as_ref().is_some_and(|crossbars| !crossbars.has_room()) {
            self.wait();
        }
        let dispatch = std::mem::take(&mut self.dispatch);
        let numbers = dispatch.numbers.clone();
        self.engine.stats.gpu_tests += dispatch.tests;
        self.engine.stats.dispatches += 1;
        match &mut self.engine.crossbars {
            Some(crossbars) => match crossbars.start(dispatch) {
                Ok(()) if self.engine.settings.read_back == ReadBack::Waiting => {
                    while self.is_waiting() {
                        self.wait();
                    }
                }
                Ok(()) => {}
                Err(why) => self.lose(why),
            },
            None => self.test_again(numbers),
        }
    }

    fn wait(&mut self) {
        let start = Instant::now();
        self.take_results(PATIENCE);
        self.engine.stats.waited_s += start.elapsed().as_secs_f64();
    }

    /// Takes what the GPU has found; waits for it as long as patience lasts.
    fn take_results(&mut self, patience: Duration) {
        let Some(crossbars) = &mut self.engine.crossbars else { return };
        match crossbars.finish(patience) {
            Ok(None) => {}
            Ok(Some((dispatch, hits))) => {
                for (i, hit) in dispatch.numbers.into_iter().zip(hits) {
                    if hit.prim_id != Hit::MISS {
                        self.travellers[i as usize].hit = hit;
                    }
                    self.board(i);
                }
            }
            Err(why) => self.lose(why),
        }
    }

    /// The GPU is no more: its rays are tested here.
    fn lose(&mut self, why: GpuError) {
        self.engine.trouble = Some(why);
        let flying: Vec<u32> =
            self.engine.crossbars.take().into_iter().flat_map(Crossbars::into_flying).collect();
        let gathered = std::mem::take(&mut self.dispatch);
        self.test_again(flying.into_iter().chain(gathered.numbers).collect());
    }

    fn test_again(&mut self, rays: Vec<u32>) {
        for i in rays {
            self.test_here(i, self.travellers[i as usize].cell);
        }
    }
}

impl Classic {
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

/// Where a ray is in five dimensions: its origin, and its direction on the unfolded octahedron.
fn key(ray: &Ray) -> Key {
    let d = ray.direction / ray.direction.abs().element_sum();
    let fold = |a: f32, b: f32| (1.0 - b.abs()).copysign(a);
    let (u, v) = if d.z < 0.0 { (fold(d.x, d.y), fold(d.y, d.x)) } else { (d.x, d.y) };
    let [x, y, z] = ray.origin.to_array();
    [x, y, z, u, v]
}

/// A stride through so many places that comes to all of them, about the golden section of them.
fn coprime(count: u64) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = count / 1000 * 618 + count % 1000 * 618 / 1000;
    (golden.max(1)..).find(|&stride| gcd(stride, count) == 1).unwrap_or(1)
}
