use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use sunfleck_integrators::{RayCount, StageTimes, StopReason};

use super::InTurn;
use super::interface::FrameOrder;
use crate::canvas::Accumulation;
use crate::job::Job;
use crate::ticket::{FrameResult, RenderedBy};

impl InTurn {
    /// Renders a frame within its time budget on the first backend that can render it, in the current rayon pool.
    pub(crate) fn run(&mut self, job: &Job) {
        guard(job, || {
            let Job { world, frame, canvas, .. } = job;
            if frame.film_window().area() == 0 {
                return failed();
            }
            let mut work = canvas.work();
            work.set_view(world, frame);
            let pixels = u64::from(frame.width) * u64::from(frame.height);
            let algorithm = work.pace.fit(&frame.algorithm, pixels, frame.budget.time);
            let order = FrameOrder { job, algorithm: &algorithm, begun: Instant::now(), first: work.next };
            self.render(&order, &mut work).unwrap_or_else(failed)
        });
    }
}

/// Runs `render` and finishes the ticket even if it panics: a thread that waits for the ticket would never wake up
/// otherwise.
fn guard(job: &Job, render: impl FnOnce() -> FrameResult) {
    // State left incomplete by a panic is discarded, so that it is never observed
    let result = catch_unwind(AssertUnwindSafe(render)).unwrap_or_else(|_| {
        *job.canvas.work() = Accumulation::default();
        failed()
    });
    job.ticket.finish(result);
}

/// Returns the result of a frame without pixels, or one that no backend could render.
fn failed() -> FrameResult {
    FrameResult {
        ended: StopReason::Failed,
        samples: 0,
        rays: RayCount::default(),
        elapsed: Duration::ZERO,
        stages: StageTimes::default(),
        vpls: 0,
        by: RenderedBy::PROCESSOR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::open;
    use crate::{Canvas, EngineOptions, FrameRequest};

    #[test]
    fn a_panic_finishes_the_ticket_and_clears_the_canvas() {
        let world = crate::EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let frame = FrameRequest::new(world.cameras()[0].clone(), 16, 16);
        let canvas = Canvas::new();
        let job = || Job::new(world.committed(), &frame, &canvas);
        let mut backends = open(&EngineOptions::default()).unwrap();
        let (ticket, first) = job();
        backends.run(&first);
        assert_eq!((ticket.wait().ended, canvas.film().is_some()), (StopReason::Done, true));

        let (ticket, broken) = job();
        guard(&broken, || {
            // The canvas is locked, as while a frame is rendered
            let _work = broken.canvas.work();
            panic!("a panic for this test");
        });
        assert_eq!(ticket.wait().ended, StopReason::Failed);
        assert!(canvas.film().is_none(), "sums of an incomplete pass are discarded");

        let (ticket, again) = job();
        backends.run(&again);
        assert_eq!(
            (ticket.wait().ended, ticket.wait().samples),
            (StopReason::Done, 1),
            "the next frame is rendered normally"
        );
    }
}
