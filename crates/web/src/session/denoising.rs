//! Thread that denoises images at rest, while the session goes on handling requests. Previews are denoised as they are
//! rendered.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use sunfleck_engine::{Canvas, Denoiser, OidnError};
use sunfleck_image::Picture;
use tokio::sync::mpsc;

use super::StartError;
use super::event::Event;
use crate::priority;

/// Image to denoise. No frame is rendered on its canvas until the result arrives: both need the canvas for themselves.
#[derive(Debug)]
pub(super) struct DenoiseJob {
    pub(super) canvas: Canvas,
    pub(super) denoiser: Denoiser,
    pub(super) image: DenoisedImage,
}

/// Which image is denoised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DenoisedImage {
    /// Index of the image: 0 or 1.
    pub(super) side: usize,
    /// Number of the change that the image shows.
    pub(super) change: u64,
    /// Number of changes of the denoiser.
    pub(super) denoiser_change: u64,
    /// Samples per pixel.
    pub(super) samples: u32,
}

/// Result of a job.
#[derive(Debug)]
pub(crate) struct DenoiseResult {
    pub(super) image: DenoisedImage,
    /// `None` if the canvas has no samples to denoise: a GPU was lost, or keeps none.
    pub(super) picture: Result<Option<Arc<Picture>>, DenoiseError>,
    pub(super) elapsed: Duration,
}

/// Reason why an image could not be denoised.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DenoiseError {
    #[error(transparent)]
    Library(#[from] OidnError),
    #[error("the denoiser crashed, which is a bug in Sunfleck")]
    Crashed,
}

/// Queue of the thread.
#[derive(Debug)]
pub(super) struct Denoising(Sender<DenoiseJob>);

impl Denoising {
    /// Starts the thread; results are sent as events.
    ///
    /// * `threads` — number of threads that denoise an image; 0: one per logical CPU.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub(super) fn start(events: &mpsc::Sender<Event>, threads: usize) -> Result<Self, StartError> {
        // In a pool of their own, and with a lower priority, so that previews and their encoding do not wait for an
        // image of the view before
        let pool =
            ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| priority::lower()).build()?;
        let (queue, jobs) = channel();
        let events = events.clone();
        let work = move || denoise_all(&jobs, &pool, &events);
        std::thread::Builder::new().name("sunfleck-denoiser".into()).spawn(work)?;
        Ok(Self(queue))
    }

    /// Starts to denoise an image.
    pub(super) fn denoise(&self, job: DenoiseJob) {
        // Fails only when the session is ending
        drop(self.0.send(job));
    }
}

/// Handles jobs on the threads of a pool until the session ends.
fn denoise_all(jobs: &Receiver<DenoiseJob>, pool: &ThreadPool, events: &mpsc::Sender<Event>) {
    for oldest in jobs {
        // Results of earlier jobs would be ignored
        let DenoiseJob { canvas, denoiser, image } = jobs.try_iter().last().unwrap_or(oldest);
        let start = Instant::now();
        let run = || pool.install(|| canvas.denoised(&denoiser));
        let picture = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(picture)) => Ok(picture.map(Arc::new)),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(DenoiseError::Crashed),
        };
        drop(canvas);
        let result = DenoiseResult { image, picture, elapsed: start.elapsed() };
        if events.blocking_send(Event::Denoised(Box::new(result))).is_err() {
            break;
        }
    }
}
