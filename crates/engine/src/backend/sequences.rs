//! Steady frames on a GPU: images of a moving camera, each the mean of several frames.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use fearless_simd::Level;
use sunfleck_gpu::{FrameSequence, GpuError, Renderer};
use sunfleck_integrators::{Algorithm, RayCount, StageTimes, StopReason, World};

use crate::canvas::{Accumulation, Canvas, CanvasKey};
use crate::frame::{Budget, FrameRequest};
use crate::job::Job;
use crate::ticket::{FrameResult, RenderedBy};

/// Number of frames that are averaged for an image while the world does not change.
const MEAN_OF: u32 = 8;

/// Temporal sequences, one per canvas.
#[derive(Debug, Default)]
pub(crate) struct TemporalSequences {
    sequences: Vec<TemporalSequence>,
}

/// Temporal sequence of a canvas: state that is kept from frame to frame.
#[derive(Debug)]
struct TemporalSequence {
    canvas: CanvasKey,
    world: Arc<World>,
    /// Number under which the renderer held the world.
    held: u64,
    frame: FrameRequest,
    algorithm: Algorithm,
    mean_of: u32,
    frames: Box<dyn FrameSequence>,
}

impl TemporalSequence {
    /// Returns whether `frame` differs from the previous one only in its camera and its budget.
    fn is_like(&self, frame: &FrameRequest, by: &Algorithm) -> bool {
        let FrameRequest { camera, algorithm, budget, .. } = frame.clone();
        self.algorithm == *by && *frame == FrameRequest { camera, algorithm, budget, ..self.frame.clone() }
    }
}

impl TemporalSequences {
    /// Renders a steady frame of the world that the renderer holds under the number `held`. Returns `None` if the
    /// algorithm has no temporal reuse.
    ///
    /// If the world has changed since the previous frame, everything is computed again, so that changes of lighting are
    /// visible at once. Otherwise each frame computes a part. The first image is the mean of as many frames as the
    /// following ones.
    pub(crate) fn show(
        &mut self,
        renderer: &mut Renderer,
        held: u64,
        job: &Job,
        work: &mut Accumulation,
        algorithm: &Algorithm,
        level: Level,
    ) -> Result<Option<FrameResult>, GpuError> {
        let start = Instant::now();
        let Job { world, frame, canvas, ticket } = job;
        let spec = frame.view();
        let before = self.take(canvas).filter(|sequence| sequence.is_like(frame, algorithm));
        let mean_of = match &before {
            Some(sequence) if !Arc::ptr_eq(&sequence.world, world) => 1,
            _ => MEAN_OF,
        };
        let known = before.filter(|sequence| sequence.mean_of == mean_of && sequence.held == held);
        let (mut sequence, first) = match known {
            Some(sequence) => (sequence, 1),
            None => {
                let Some(frames) = renderer.sequence(world, &spec, algorithm, level, mean_of)? else {
                    return Ok(None);
                };
                let (canvas, world, frame) = (canvas.key(), world.clone(), frame.clone());
                (
                    TemporalSequence { canvas, world, held, frame, algorithm: *algorithm, mean_of, frames },
                    mean_of,
                )
            }
        };
        let Budget { samples, time, .. } = frame.budget;
        let wanted = first.max(samples.unwrap_or(1));
        let mut rays = RayCount::default();
        for shown in 0..wanted {
            let enough = time.is_some_and(|time| start.elapsed() >= time);
            if shown > 0 && (enough || ticket.cancel.load(Ordering::Relaxed)) {
                break;
            }
            rays += sequence.frames.show(&spec)?;
        }
        if let Some(picture) = sequence.frames.picture()? {
            canvas.show_picture(Arc::new(picture), 1);
        }
        let vpls = sequence.frames.vpls();
        self.sequences.push(sequence);
        work.discard_for_sequence();
        let cancelled = ticket.cancel.load(Ordering::Relaxed);
        Ok(Some(FrameResult {
            ended: if cancelled { StopReason::Cancelled } else { StopReason::Done },
            samples: 1,
            rays,
            elapsed: start.elapsed(),
            stages: StageTimes::default(),
            vpls,
            by: RenderedBy { name: "GPU", gpu_samples: 1 },
        }))
    }

    /// Removes and returns the sequence of a canvas, and drops those whose canvas no longer exists.
    fn take(&mut self, canvas: &Canvas) -> Option<TemporalSequence> {
        self.sequences.retain(|sequence| !sequence.canvas.is_gone());
        let at = self.sequences.iter().position(|sequence| sequence.canvas.is_of(canvas))?;
        Some(self.sequences.swap_remove(at))
    }

    /// Releases all sequences. Returns whether there were any. The next frames start without a history.
    pub(crate) fn forget(&mut self) -> bool {
        !std::mem::take(&mut self.sequences).is_empty()
    }
}
