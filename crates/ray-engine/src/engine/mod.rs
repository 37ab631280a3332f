//! The ray engine: a host program submits batches of rays, and takes their hits when it needs them [RayEngine02, §5.2].
//!
//! [`RayEngine::submit`] returns a [`Ticket`] for a batch; tickets are polled, waited for or dropped, in any order, by
//! any thread. Batches are traced by the CPU cores, a GPU, or both ([`RayBackend`]); the paper's own organisation is
//! one of the backends ([`RayBackend::Classic`]). Apart from rounding, the answers are the same.
//!
//! Memory of batches in flight is bounded by [`RayEngineSettings::in_flight_bytes`]: rays and answers count from
//! [`submit`](RayEngine::submit) until the answers are taken, or the ticket is dropped. Other memory of the backends
//! does not grow with the batches.

mod batch;
mod budget;
mod cores;
mod cost;
mod dispatcher;
mod error;
mod feeder;
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
use dispatcher::Dispatcher;
use feeder::CoProcessor;
use ring::Ring;
use schedule::{Schedule, Tracers};

/// Devices that trace rays.
#[derive(Clone, Debug)]
pub enum RayBackend {
    /// The CPU cores.
    Cpu,
    /// A GPU; if it is lost or runs out of memory, the CPU cores take over.
    Gpu(Arc<Gpu>),
    /// Both: the pieces of each batch go to the device that is predicted to finish them first.
    Shared(Arc<Gpu>),
    /// The organisation of 2002: an octree over triangles and a tree of rays on one core, and brute-force tests of
    /// buckets with cells on a GPU, if there is one.
    Classic(Option<Arc<Gpu>>, ClassicSettings),
}

/// Settings of a [`RayEngine`].
#[derive(Clone, Copy, Debug)]
pub struct RayEngineSettings {
    /// Number of threads that trace on the CPU; `None` for one per core.
    pub threads: Option<usize>,
    /// Maximum memory of rays and answers in flight, in bytes.
    pub in_flight_bytes: u64,
    /// Maximum number of rays in a GPU load. Memory is allocated for three loads: 3 × 104 bytes per ray.
    pub load: usize,
    /// SIMD level of the cores.
    pub level: Level,
}

impl Default for RayEngineSettings {
    fn default() -> Self {
        Self { threads: None, in_flight_bytes: 256 << 20, load: 1 << 18, level: Level::new() }
    }
}

/// Number of rays in a piece: a core takes one piece at a time, a GPU many.
const PIECE: usize = 8192;

/// Timeout of waiting for memory, after which it is checked whether any can become free.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Ray engine: answers batches of ray queries in one world. Many threads can use it at once.
pub struct RayEngine {
    dispatcher: Arc<Dispatcher>,
    threads: Vec<JoinHandle<()>>,
    submitted: AtomicU64,
}

impl RayEngine {
    /// Starts an engine for a world.
    ///
    /// # Errors
    /// [`RayEngineError::Gpu`] if [`RayBackend::Gpu`] or [`RayBackend::Classic`] cannot start; [`RayBackend::Shared`]
    /// then continues without a GPU, and [`trouble`](Self::trouble) says why. [`RayEngineError::Threads`].
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
        let (tracers, device) = match &backend {
            RayBackend::Cpu | RayBackend::Classic(..) => (Tracers::Cores, None),
            RayBackend::Gpu(gpu) => (Tracers::Gpu, Some(Ok(ring(gpu)?))),
            RayBackend::Shared(gpu) => (Tracers::Both, Some(ring(gpu))),
        };
        Self::with(world, tracers, device, settings)
    }

    fn classic(mut classic: Classic, settings: &RayEngineSettings) -> Result<Self, RayEngineError> {
        let dispatcher =
            Dispatcher::new(Schedule::new(Tracers::Cores, 1), Budget::new(settings.in_flight_bytes));
        let mut engine =
            Self { dispatcher: dispatcher.clone(), threads: Vec::new(), submitted: AtomicU64::new(0) };
        engine.start("classic rays", move || cores::work_classic(&dispatcher, &mut classic))?;
        Ok(engine)
    }

    /// Starts an engine with CPU cores and possibly a coprocessor.
    ///
    /// * `device` — the coprocessor, or why it cannot be used.
    fn with(
        world: &Arc<Tlas>,
        tracers: Tracers,
        device: Option<Result<Box<dyn CoProcessor>, GpuError>>,
        settings: &RayEngineSettings,
    ) -> Result<Self, RayEngineError> {
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        let cores = settings.threads.unwrap_or_else(available).max(1);
        let dispatcher =
            Dispatcher::new(Schedule::new(tracers, cores), Budget::new(settings.in_flight_bytes));
        let mut engine =
            Self { dispatcher: dispatcher.clone(), threads: Vec::new(), submitted: AtomicU64::new(0) };
        for _ in 0..cores {
            let (dispatcher, world, level) = (dispatcher.clone(), world.clone(), settings.level);
            engine.start("rays", move || cores::work(&dispatcher, &world, level))?;
        }
        match device {
            Some(Ok(mut device)) => {
                engine.start("rays to GPU", move || feeder::feed(&dispatcher, &mut *device))?;
            }
            Some(Err(why)) => dispatcher.gpu_lost(Vec::new(), why),
            None => {}
        }
        Ok(engine)
    }

    fn start(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), RayEngineError> {
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
        self.threads.push(thread.map_err(|error| RayEngineError::Threads { why: error.to_string() })?);
        Ok(())
    }

    /// Submits a batch. Waits while there is no memory for it and other batches are still being traced.
    ///
    /// # Errors
    /// [`RayEngineError::Full`] if all memory is held by answers that are not taken, or the batch exceeds the budget.
    pub fn submit(&self, query: RayQuery, rays: Vec<Ray>) -> Result<Ticket, RayEngineError> {
        let mut rays = rays;
        loop {
            // Checked before the attempt: if nothing is being traced, waiting frees no memory
            let busy = self.dispatcher.schedule().is_busy();
            match self.try_submit(query, rays) {
                Err(RayEngineError::Full { rays: back, .. }) if busy => rays = back,
                other => return other,
            }
            self.dispatcher.budget.wait(POLL_INTERVAL);
        }
    }

    /// Submits a batch if there is memory for it now. Does not wait.
    ///
    /// # Errors
    /// [`RayEngineError::Full`], with the rays.
    pub fn try_submit(&self, query: RayQuery, rays: Vec<Ray>) -> Result<Ticket, RayEngineError> {
        let bytes = rays.len() as u64 * bytes_in_flight(query);
        let budget = &self.dispatcher.budget;
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
            self.dispatcher.add(Piece::of(&batch, PIECE));
        }
        let number = self.submitted.fetch_add(1, Ordering::Relaxed);
        Ok(Ticket { number, batch, dispatcher: self.dispatcher.clone() })
    }

    /// Returns the measured costs of a query.
    pub fn costs(&self, query: RayQuery) -> Costs {
        self.dispatcher.schedule().costs(query)
    }

    /// Number of rays traced so far, by device.
    pub fn traced(&self) -> Traced {
        self.dispatcher.schedule().traced()
    }

    /// Returns why the GPU is no longer used; `None` while it is used, or if the backend has none.
    pub fn trouble(&self) -> Option<GpuError> {
        self.dispatcher.schedule().trouble().cloned()
    }

    /// Returns the memory of rays and answers in flight in bytes: the current value, and the maximum so far.
    pub fn in_flight_bytes(&self) -> (u64, u64) {
        self.dispatcher.budget.used()
    }
}

impl Drop for RayEngine {
    /// Unanswered batches are abandoned.
    fn drop(&mut self) {
        self.dispatcher.close();
        for thread in self.threads.drain(..) {
            // A panic was already reported by its thread
            drop(thread.join());
        }
    }
}

impl fmt::Debug for RayEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.threads.len();
        f.debug_struct("RayEngine")
            .field("dispatcher", &self.dispatcher)
            .field("threads", &threads)
            .finish_non_exhaustive()
    }
}
