use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use fearless_simd::Level;
use rayon::ThreadPoolBuilder;
use sunfleck_gpu::GpuError;
use sunfleck_integrators::Schedule;

use crate::backend::{self, Device, Health};
use crate::canvas::Canvas;
use crate::frame::FrameRequest;
use crate::job::Job;
use crate::ticket::Ticket;
use crate::world::EditableWorld;

/// Renders frames in the background, one after the other, each on all threads or on a GPU.
#[derive(Debug)]
pub struct Engine {
    /// `None` only while it is dropped.
    queue: Option<Sender<Job>>,
    worker: Option<JoinHandle<()>>,
    health: Health,
}

/// What changes the speed of an engine, but no bit of its pictures; a GPU changes them by rounding.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// How many threads; 0: one for each processor.
    pub threads: usize,
    /// Tiles and instruction set.
    pub schedule: Schedule,
    /// Who renders.
    pub device: Device,
    /// Whether worlds are edited while somebody looks: then a GPU has kernels ready for what moves before anything does, which are a little slower.
    pub changes: bool,
    /// Whether the processor does what a GPU cannot; else such frames end as [`StopReason::Failed`](sunfleck_integrators::StopReason::Failed).
    pub fall_back: bool,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            threads: 0,
            schedule: Schedule { tile_size: 32, level: Level::new() },
            device: Device::Processor,
            changes: true,
            fall_back: true,
        }
    }
}

/// Why an engine cannot start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The system gives no threads.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// The GPU that was asked for cannot be used.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl Engine {
    /// Starts the threads, and opens the GPU if there is to be one. Errors: [`EngineError`].
    pub fn new(options: EngineOptions) -> Result<Self, EngineError> {
        let pool = ThreadPoolBuilder::new().num_threads(options.threads).build();
        let pool = pool.map_err(|error| EngineError::Threads(error.to_string()))?;
        let (queue, jobs) = channel::<Job>();
        let mut backends = backend::open(&options)?;
        let health = backends.health().clone();
        let work = move || {
            for job in jobs {
                pool.install(|| backends.run(&job));
            }
        };
        let worker = thread::Builder::new().name("sunfleck-engine".into()).spawn(work);
        let worker = worker.map_err(|error| EngineError::Threads(error.to_string()))?;
        Ok(Self { queue: Some(queue), worker: Some(worker), health })
    }

    /// The GPU that renders, as its driver calls it; `None` if the processor does: it was to, or there is no GPU, or that has failed for good.
    pub fn gpu(&self) -> Option<Arc<str>> {
        self.health.name()
    }

    /// Why the GPU has not rendered the newest frame, if it should have.
    pub fn trouble(&self) -> Option<GpuError> {
        self.health.trouble()
    }

    /// Renders a frame of the world as it was last committed onto a canvas. Returns at once; frames wait for those asked
    /// for before them.
    pub fn render(&self, world: &EditableWorld, frame: &FrameRequest, canvas: &Canvas) -> Ticket {
        let (ticket, job) = Job::new(world.committed(), frame, canvas);
        // The worker lives as long as the engine: the queue takes every job
        if let Some(queue) = &self.queue {
            drop(queue.send(job));
        }
        ticket
    }
}

impl Drop for Engine {
    /// Waits for the frames asked for.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(worker) = self.worker.take() {
            drop(worker.join());
        }
    }
}
