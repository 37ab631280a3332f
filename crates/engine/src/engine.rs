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

/// Rendering engine. It renders frames in the background, one at a time, each on all threads or on a GPU.
#[derive(Debug)]
pub struct Engine {
    /// Queue of requested frames; `None` only while the engine is dropped.
    queue: Option<Sender<Job>>,
    worker: Option<JoinHandle<()>>,
    health: Health,
}

/// Options of an engine. They change its speed but no bit of its images, except that a GPU rounds differently.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// Number of threads; 0: one per logical CPU.
    pub threads: usize,
    /// Tile size and SIMD level.
    pub schedule: Schedule,
    /// Device that renders.
    pub device: Device,
    /// Whether worlds are edited while they are shown. If so, a GPU compiles its kernels in advance for features that
    /// edits may introduce, such as moving objects, which makes them slightly slower.
    pub changes: bool,
    /// Whether the CPU renders what a GPU cannot; else such frames end as
    /// [`StopReason::Failed`](sunfleck_integrators::StopReason::Failed).
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

/// Reason why an engine cannot start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The threads could not be created.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// The requested GPU cannot be used.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl Engine {
    /// Starts the threads, and opens the GPU if one is requested. Errors: [`EngineError`].
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

    /// Returns the name of the GPU that renders, as reported by its driver. `None` if the CPU renders: because it was
    /// selected, because there is no GPU, or because the GPU failed permanently.
    pub fn gpu(&self) -> Option<Arc<str>> {
        self.health.name()
    }

    /// Returns the reason why the latest frame was not rendered by the requested GPU, if so.
    pub fn trouble(&self) -> Option<GpuError> {
        self.health.trouble()
    }

    /// Renders a frame of the last committed world onto a canvas. Returns at once; frames are rendered in the order in
    /// which they were requested.
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
    /// Waits for the requested frames.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(worker) = self.worker.take() {
            drop(worker.join());
        }
    }
}
