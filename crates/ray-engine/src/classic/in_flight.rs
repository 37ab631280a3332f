//! Rays in flight of the 2002 organisation: the queues in which they wait, and the order of work.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sunfleck_gpu::{GpuError, RayQuery};
use sunfleck_math::Ray;
use sunfleck_shaders::layout::Hit;

use super::crossing::{Crossbars, Dispatch};
use super::octree::{CellRay, NO_CELL};
use super::ray_tree::{Key, RayTree};
use super::{Classic, ReadBack};

/// State of a ray in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct RayInFlight {
    pub(super) ray: Ray,
    cells: CellRay,
    /// Last visited cell.
    cell: u32,
    /// Closest hit so far; `prim_id` counts the triangles of all cells.
    pub(super) hit: Hit,
    pub(super) on_gpu: bool,
}

/// A set of rays on their way from submission to their answers.
pub(super) struct RayBatchInFlight<'a> {
    engine: &'a mut Classic,
    any: bool,
    states: Vec<RayInFlight>,
    tree: RayTree,
    /// Caches of the cells with waiting rays: the indices of these rays, by cell.
    caches: BTreeMap<u32, Vec<u32>>,
    dispatch: Dispatch,
}

/// Number of rays at which a dispatch is submitted in any case.
const DISPATCH_RAYS: usize = 1 << 14;

/// Timeout after which the GPU is checked for being lost.
const PATIENCE: Duration = Duration::from_millis(5);

impl<'a> RayBatchInFlight<'a> {
    pub(super) fn new(engine: &'a mut Classic, query: RayQuery, rays: &[Ray]) -> Self {
        let state = |ray: &Ray| RayInFlight {
            ray: *ray,
            cells: CellRay::new(ray),
            cell: NO_CELL,
            hit: Hit { t: ray.t_far, u: 0.0, v: 0.0, prim_id: Hit::MISS, inst_id: Hit::MISS },
            on_gpu: false,
        };
        let mut in_flight = Self {
            any: query == RayQuery::Any,
            states: rays.iter().map(state).collect(),
            tree: RayTree::new(engine.settings.rays),
            caches: BTreeMap::new(),
            dispatch: Dispatch::default(),
            engine,
        };
        // Insertion in a scattered order keeps the tree balanced [RayEngine02, §5.3]
        let count = rays.len() as u64;
        let stride = coprime(count);
        for i in 0..count {
            in_flight.insert(u32::try_from(i * stride % count).unwrap_or(u32::MAX));
        }
        in_flight
    }

    /// Runs until all rays have their answers.
    pub(super) fn end(mut self) -> Vec<RayInFlight> {
        loop {
            self.take_results(Duration::ZERO);
            if !self.tree.is_empty() {
                let bucket = self.tree.take();
                bucket.into_iter().for_each(|(i, _)| self.advance(i));
                if self.dispatch.rays() >= DISPATCH_RAYS {
                    self.send();
                }
            } else if !self.caches.is_empty() {
                self.empty_caches();
            } else if self.dispatch.rays() > 0 {
                self.send();
            } else if self.is_waiting() {
                self.wait();
            } else {
                return self.states;
            }
        }
    }

    /// Inserts a ray into the ray tree.
    fn insert(&mut self, i: u32) {
        let RayInFlight { ray, .. } = &self.states[i as usize];
        self.tree.insert((i, key(ray)));
    }

    /// Traverses cells until the ray is finished or stops in a cell that the GPU tests.
    fn advance(&mut self, i: u32) {
        let least = self.engine.settings.triangles[0];
        let has_gpu = self.engine.crossbars.is_some();
        let mut state = self.states[i as usize];
        let mut stop = None;
        while let Some(cell) = self.next(&state) {
            state.cell = cell;
            if has_gpu && self.engine.octree.items(cell).len() >= least {
                stop = Some(cell);
                break;
            }
            self.engine.test(&mut state, cell);
        }
        self.states[i as usize] = state;
        if let Some(cell) = stop {
            let cache = self.caches.entry(cell).or_default();
            cache.push(i);
            if cache.len() >= self.engine.settings.rays {
                let rays = self.caches.remove(&cell).unwrap_or_default();
                self.bucket(cell, rays);
            }
        }
    }

    fn next(&self, state: &RayInFlight) -> Option<u32> {
        let RayInFlight { cells, cell, hit, .. } = state;
        if self.any && hit.prim_id != Hit::MISS {
            return None;
        }
        self.engine.octree.next(cells, *cell, hit.t)
    }

    /// Adds the rays of a cell as a bucket to the next dispatch.
    fn bucket(&mut self, cell: u32, rays: Vec<u32>) {
        if !self.dispatch.fits(rays.len()) {
            self.send();
        }
        for &i in &rays {
            self.states[i as usize].on_gpu = true;
        }
        let states = &self.states;
        let shortened = |i: u32| {
            let RayInFlight { ray, hit, .. } = &states[i as usize];
            Ray { t_far: hit.t, ..*ray }
        };
        self.dispatch.add(self.engine.octree.items(cell), &rays, shortened);
        self.engine.stats.buckets += 1;
    }

    /// Flushes the caches: those with enough rays go to the GPU; when it is idle, the CPU tests the others.
    fn empty_caches(&mut self) {
        let least = self.engine.settings.least_rays;
        let full_enough: Vec<u32> =
            self.caches.iter().filter(|(_, rays)| rays.len() >= least).map(|(&cell, _)| cell).collect();
        for &cell in &full_enough {
            let rays = self.caches.remove(&cell).unwrap_or_default();
            self.bucket(cell, rays);
        }
        if !full_enough.is_empty() || self.dispatch.rays() > 0 || self.is_waiting() {
            // The rays of these buckets may next enter cells in which other rays wait
            self.send();
            self.wait();
            return;
        }
        for (cell, rays) in std::mem::take(&mut self.caches) {
            rays.into_iter().for_each(|i| self.test_on_cpu(i, cell));
        }
    }

    /// Tests a ray on the CPU in a cell that the GPU would have tested.
    fn test_on_cpu(&mut self, i: u32, cell: u32) {
        let mut state = self.states[i as usize];
        self.engine.test(&mut state, cell);
        self.states[i as usize] = state;
        self.insert(i);
    }

    fn is_waiting(&self) -> bool {
        self.engine.crossbars.as_ref().is_some_and(|crossbars| !crossbars.is_idle())
    }

    /// Submits the gathered dispatch.
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
                Err(why) => self.handle_lost_gpu(why),
            },
            None => self.test_again(numbers),
        }
    }

    fn wait(&mut self) {
        let start = Instant::now();
        self.take_results(PATIENCE);
        self.engine.stats.waited_s += start.elapsed().as_secs_f64();
    }

    /// Receives the results of the GPU; waits for them up to a timeout.
    fn take_results(&mut self, patience: Duration) {
        let Some(crossbars) = &mut self.engine.crossbars else { return };
        match crossbars.finish(patience) {
            Ok(None) => {}
            Ok(Some((dispatch, hits))) => {
                for (i, hit) in dispatch.numbers.into_iter().zip(hits) {
                    if hit.prim_id != Hit::MISS {
                        self.states[i as usize].hit = hit;
                    }
                    self.insert(i);
                }
            }
            Err(why) => self.handle_lost_gpu(why),
        }
    }

    /// Handles a lost GPU: its rays are tested on the CPU.
    fn handle_lost_gpu(&mut self, why: GpuError) {
        self.engine.trouble = Some(why);
        let in_flight_rays: Vec<u32> =
            self.engine.crossbars.take().into_iter().flat_map(Crossbars::into_rays_in_flight).collect();
        let gathered = std::mem::take(&mut self.dispatch);
        self.test_again(in_flight_rays.into_iter().chain(gathered.numbers).collect());
    }

    fn test_again(&mut self, rays: Vec<u32>) {
        for i in rays {
            self.test_on_cpu(i, self.states[i as usize].cell);
        }
    }
}

/// Returns the five coordinates of a ray: its origin, and its direction on the unfolded octahedron.
fn key(ray: &Ray) -> Key {
    let d = ray.direction / ray.direction.abs().element_sum();
    let fold = |a: f32, b: f32| (1.0 - b.abs()).copysign(a);
    let (u, v) = if d.z < 0.0 { (fold(d.x, d.y), fold(d.y, d.x)) } else { (d.x, d.y) };
    let [x, y, z] = ray.origin.to_array();
    [x, y, z, u, v]
}

/// Returns a stride near the golden section of `count` that is coprime to it, so that it visits all indices.
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
