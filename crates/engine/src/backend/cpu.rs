use std::sync::Arc;
use std::time::Instant;

use sunfleck_gpu::GpuError;
use sunfleck_image::Aov;
use sunfleck_integrators::{
    Algorithm, RenderProgress, RenderStage, Schedule, StopReason, View, ViewSpec, World, render,
};

use super::full_image::FullImage;
use super::interface::{Backend, FrameOrder};
use crate::FrameRequest;
use crate::canvas::{Accumulation, SteadyFrame};
use crate::job::{FrameObservers, Job};
use crate::ticket::{FrameResult, RenderedBy};

/// Backend of the CPU, which uses all threads of the current rayon pool. It can render everything.
#[derive(Debug)]
pub(super) struct OnCpu {
    schedule: Schedule,
}

impl OnCpu {
    pub(super) fn new(schedule: Schedule) -> Self {
        Self { schedule }
    }
}

impl Backend for OnCpu {
    fn gpu(&self) -> Option<Arc<str>> {
        None
    }

    fn check(&self, _frame: &FrameRequest, _algorithm: &Algorithm) -> Result<(), GpuError> {
        Ok(())
    }

    fn prepare(&mut self, _world: &Arc<World>) -> Result<(), GpuError> {
        Ok(())
    }

    fn render(&mut self, order: &FrameOrder<'_>, work: &mut Accumulation) -> Result<FrameResult, GpuError> {
        let Job { world, frame, ticket, .. } = order.job;
        if frame.steady {
            return Ok(self.render_steady(order, work));
        }
        let mut film = work.film_for(world, frame);
        let (first, start) = (work.next, work.start());
        let (cancel, observer) = (&ticket.cancel, FrameObservers(order.job));
        let view = View::new(world, frame.view());
        let (rules, schedule) = (order.rules(first), &self.schedule);
        let outcome = render(&view, order.algorithm, &mut film, start, &rules, schedule, cancel, &observer);
        Ok(work.return_film(film, order.algorithm, &outcome, RenderedBy::PROCESSOR))
    }
}

impl OnCpu {
    /// Renders a frame that reuses previous ones.
    fn render_steady(&self, order: &FrameOrder<'_>, work: &mut Accumulation) -> FrameResult {
        let Job { world, frame, ticket, canvas } = order.job;
        let full = frame.view();
        let spec = match &frame.upsampling {
            None => ViewSpec { aovs: order.steady_aovs(), ..full },
            Some(_) => {
                let [width, height] = frame.film_size();
                ViewSpec { aovs: order.steady_aovs().with(Aov::Features), width, height, ..full }
            }
        };
        let (mut film, first) = work.steady_film(world, frame, order.algorithm, spec.aovs);
        let view = View::new(world, spec).with_history(&work.history);
        let (rules, schedule, cancel) = (order.steady_rules(first), &self.schedule, &ticket.cancel);
        let report = |progress: &RenderProgress| ticket.report(progress);
        let mut outcome = render(&view, order.algorithm, &mut film, first, &rules, schedule, cancel, &report);
        // A frame that was interrupted before all pixels had samples is not added
        let steady = (outcome.samples > first).then(|| {
            let begun = Instant::now();
            let reused = work.reuse.add(world, &spec, &frame.algorithm, &film, schedule);
            outcome.rays += reused.rays;
            outcome.stages.add(RenderStage::Reuse, begun.elapsed());
            let complete = match &frame.upsampling {
                None => Some((Arc::new(reused.picture.clone()), SteadyFrame::OnCpu(reused))),
                Some(upsampling) => {
                    let previous = work.take_upsampled();
                    let full = FullImage { world, spec: &full, algorithm: &frame.algorithm, upsampling };
                    let next = full.frame(reused, previous, schedule.level, cancel, &mut outcome);
                    next.map(|next| (next.picture.clone(), SteadyFrame::Upsampled(next)))
                }
            };
            outcome.elapsed += begun.elapsed();
            match complete {
                Some((picture, steady)) => {
                    canvas.show_picture(picture, outcome.samples - first);
                    Some(steady)
                }
                None => {
                    (outcome.ended, outcome.samples) = (StopReason::Cancelled, first);
                    None
                }
            }
        });
        let steady = steady.flatten();
        work.return_steady_film(film, order.algorithm, &outcome, steady)
    }
}
