//! The ray engine: a host program hands in batches of rays, and takes their hits when it wants them [RayEngine02, §5.2].
//!
//! [`RayEngine::submit`] gives a [`Ticket`] for a batch; tickets are polled, waited for or dropped, in any order, by any thread. Behind it are the
//! processor's cores, a GPU, or both ([`RayBackend`]); the paper's own organisation is one of them ([`RayBackend::Classic`]). The answers are the same.
//!
//! What batches in flight take is bounded by [`RayEngineSettings::in_flight_bytes`]: rays and answers count from [`submit`](RayEngine::submit) until the answers
//! are taken, or the ticket is dropped. What back ends need beside does not grow with the batches.

mod batch;
mod budget;
mod cores;
mod cost;
mod error;
mod feeder;
mod hub;
mod ring;
mod schedule;
mod slot;
#[cfg(test)]
mod tests;
mod ticket;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use fearless_simd::Level;
use sunfleck_gpu::{Gpu, GpuError, Mirror, RayQuery};
use sunfleck_kernel::Tlas;
use sunfleck_math::Ray;

pub use cost::{Cost, Costs};
pub use error::RayEngineError;
pub use schedule::Traced;
pub use ticket::Ticket;

use crate::answers::bytes_in_flight;
use crate::classic::{Classic, ClassicSettings};
use batch::{Batch, Piece};
use budget::Budget;
use feeder::CoProcessor;
use hub::Hub;
use ring::Ring;
use schedule::{Schedule, Who};

/// Who traces.
#[derive(Clone, Debug)]
pub enum RayBackend {
    /// The processor's cores.
    Cpu,
    /// A GPU; if it is lost or runs out of memory, the cores take over.
    Gpu(Arc<Gpu>),
    /// Both: each batch, cut into pieces, goes to whoever finishes it first by what rays cost there so far.
    Shared(Arc<Gpu>),
    /// As in 2002: an octree over triangles and a tree of rays on one core, all pairs of what belongs together on a GPU, if there is one.
    Classic(Option<Arc<Gpu>>, ClassicSettings),
}

/// Settings of a [`RayEngine`].
#[derive(Clone, Copy, Debug)]
pub struct RayEngineSettings {
    /// Threads that trace on the processor; none for one on each of its cores.
    pub threads: Option<usize>,
    /// Most memory for rays and answers in flight, bytes.
    pub in_flight_bytes: u64,
    /// Most rays that a GPU traces at a time. It keeps three loads of so many: 3 × 104 bytes for each ray.
    pub load: usize,
    /// The cores' instruction set.
    pub level: Level,
}

impl Default for RayEngineSettings {
    fn default() -> Self {
        Self { threads: None, in_flight_bytes: 256 << 20, load: 1 << 18, level: Level::new() }
    }
}

/// Rays of a piece: what a core takes at a time, and a GPU takes many of.
const PIECE: usize = 8192;

/// How long to wait for room before looking whether it will ever come.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Answers batches of ray queries in one world. Can be used by many threads at once.
pub struct RayEngine {
    hub: Arc<Hub>,
    threads: Vec<JoinHandle<()>>,
    submitted: AtomicU64,
}

impl RayEngine {
    /// For a world.
    ///
    /// # Errors
    /// [`RayEngineError::Gpu`] if [`RayBackend::Gpu`] or [`RayBackend::Classic`] cannot begin; [`RayBackend::Shared`] then goes on without, and [`trouble`](Self::trouble) says why.
    /// [`RayEngineError::Threads`].
    pub fn new(
        world: &Arc<Tlas>,
        backend: RayBackend,
        settings: &RayEngineSettings,
    ) -> Result<Self, RayEngineError> {
        let ring = |gpu: &Arc<Gpu>| -> Result<Box<dyn CoProcessor>, GpuError> {
            Ok(Box::new(Ring::new(gpu, &Mirror::new(gpu, world)?, settings.load)?))
        };
        if let RayBackend::Classic(gpu, classic) = &backend {
            return Self::classic(Classic::new(world, gpu.as_ref(), *classic)?, settings);
        }
        let (who, device) = match &backend {
            RayBackend::Cpu | RayBackend::Classic(..) => (Who::Cores, None),
            RayBackend::Gpu(gpu) => (Who::Gpu, Some(Ok(ring(gpu)?))),
            RayBackend::Shared(gpu) => (Who::Both, Some(ring(gpu))),
        };
        Self::with(world, who, device, settings)
    }

    fn classic(mut classic: Classic, settings: &RayEngineSettings) -> Result<Self, RayEngineError> {
        let hub = Hub::new(Schedule::new(Who::Cores, 1), Budget::new(settings.in_flight_bytes));
        let mut engine = Self { hub: hub.clone(), threads: Vec::new(), submitted: AtomicU64::new(0) };
        engine.start("classic rays", move || cores::work_classic(&hub, &mut classic))?;
        Ok(engine)
    }

    /// * `device` — a coprocessor, or why there is none.
    fn with(
        world: &Arc<Tlas>,
        who: Who,
        device: Option<Result<Box<dyn CoProcessor>, GpuError>>,
        settings: &RayEngineSettings,
    ) -> Result<Self, RayEngineError> {
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        let cores = settings.threads.unwrap_or_else(available).max(1);
        let hub = Hub::new(Schedule::new(who, cores), Budget::new(settings.in_flight_bytes));
        let mut engine = Self { hub: hub.clone(), threads: Vec::new(), submitted: AtomicU64::new(0) };
        for _ in 0..cores {
            let (hub, world, level) = (hub.clone(), world.clone(), settings.level);
            engine.start("rays", move || cores::work(&hub, &world, level))?;
        }
        match device {
            Some(Ok(mut device)) => engine.start("rays to GPU", move || feeder::feed(&hub, &mut *device))?,
            Some(Err(why)) => hub.gpu_lost(Vec::new(), why),
            None => {}
        }
        Ok(engine)
    }

    fn start(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), RayEngineError> {
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
        self.threads.push(thread.map_err(|error| RayEngineError::Threads { why: error.to_string() })?);
        Ok(())
    }

    /// Hands in a batch. Waits while there is no room for it and others are still being traced.
    ///
    /// # Errors
    /// [`RayEngineError::Full`] if only answers that nobody takes are in the way, or it is larger than all the room.
    pub fn submit(&self, query: RayQuery, rays: Vec<Ray>) -> Result<Ticket, RayEngineError> {
        let mut rays = rays;
        loop {
            // Asked before: while nothing is traced, nobody makes room
            let busy = self.hub.schedule().is_busy();
            match self.try_submit(query, rays) {
                Err(RayEngineError::Full { rays: back, .. }) if busy => rays = back,
                other => return other,
            }
            self.hub.budget.wait(LOOK_AGAIN);
        }
    }

    /// Hands in a batch if there is room for it now. Does not wait.
    ///
    /// # Errors
    /// [`RayEngineError::Full`], with the rays.
    pub fn try_submit(&self, query: RayQuery, rays: Vec<Ray>) -> Result<Ticket, RayEngineError> {
        let bytes = rays.len() as u64 * bytes_in_flight(query);
        let budget = &self.hub.budget;
        let Some(reserved) = budget.reserve(bytes) else {
            return Err(RayEngineError::Full {
                rays,
                bytes,
                in_flight: budget.used().0,
                limit: budget.limit(),
            });
        };
        let batch = Arc::new(Batch::new(query, rays, reserved));
        if batch.len() > 0 {
            self.hub.add(Piece::of(&batch, PIECE));
        }
        let number = self.submitted.fetch_add(1, Ordering::Relaxed);
        Ok(Ticket { number, batch, hub: self.hub.clone() })
    }

    /// Costs of a query as measured so far.
    pub fn costs(&self, query: RayQuery) -> Costs {
        self.hub.schedule().costs(query)
    }

    /// Number of rays traced so far, by device.
    pub fn traced(&self) -> Traced {
        self.hub.schedule().traced()
    }

    /// Why the GPU no longer takes part; none while it does, or if none was to.
    pub fn trouble(&self) -> Option<GpuError> {
        self.hub.schedule().trouble().cloned()
    }

    /// Memory of rays and answers in flight, bytes: now, and at most so far.
    pub fn in_flight_bytes(&self) -> (u64, u64) {
        self.hub.budget.used()
    }
}

impl Drop for RayEngine {
    /// Batches that are not answered never will be.
    fn drop(&mut self) {
        self.hub.close();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so
            drop(thread.join());
        }
    }
}

impl fmt::Debug for RayEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.threads.len();
        f.debug_struct("RayEngine").field("hub", &self.hub).field("threads", &threads).finish_non_exhaustive()
    }
}
