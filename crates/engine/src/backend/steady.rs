//! Steady frames of any algorithm on a GPU, which reuse previous frames where they show the same surfaces.

use std::sync::Arc;
use std::time::Instant;

use fearless_simd::Level;
use sunfleck_gpu::{GpuError, Renderer};
use sunfleck_integrators::{RenderProgress, StopRules, ViewSpec};

use super::interface::FrameOrder;
use crate::canvas::Accumulation;
use crate::job::Job;
use crate::ticket::FrameResult;

/// Renders a frame that reuses previous ones. Afterwards the renderer may hold the world under another number.
pub(super) fn render_steady(
    renderer: &mut Renderer,
    order: &FrameOrder<'_>,
    work: &mut Accumulation,
    level: Level,
) -> Result<FrameResult, GpuError> {
    let &FrameOrder { job, algorithm, .. } = order;
    let Job { world, frame, ticket, canvas } = job;
    let spec = ViewSpec { aovs: order.steady_aovs(), ..frame.view() };
    let first = work.begin_steady_on_gpu(world, frame, algorithm);
    let mut live = renderer.live(world, &spec, algorithm, level, first)?;
    let rules = order.steady_rules(first);
    // The noise of a frame is not measured on the GPU: without another limit it has one sample
    let single = rules.time.is_none().then_some(first + 1);
    let rules = StopRules { samples: rules.samples.or(single), noise: None, ..rules };
    let report = |progress: &RenderProgress| ticket.report(progress);
    let mut outcome = live.add(&rules, &ticket.cancel, &report)?;
    let is_complete = outcome.samples > first;
    if is_complete {
        let begun = Instant::now();
        let reuse = &mut work.reuse_on_gpu;
        outcome.rays += renderer.reuse(reuse, world, &spec, &frame.algorithm, level, &live)?;
        if let Some(picture) = reuse.picture()? {
            canvas.show_picture(Arc::new(picture), outcome.samples - first);
        }
        outcome.elapsed += begun.elapsed();
    }
    // Nobody adds samples to the image any more, so that the number of the world does not matter
    Ok(work.return_steady_live(live, algorithm, &outcome, is_complete))
}
