//! Steady frames on a GPU: pictures of a camera that moves, each a mean of some frames.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use sunfleck_gpu::{GpuError, IgiSequence, Renderer};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{Ended, RayCount, StageTimes, World};

use crate::canvas::Work;
use crate::device::Who;
use crate::frame::{Budget, Frame};
use crate::job::Job;
use crate::ticket::Shot;

/// Of so many frames a picture is a mean where the world stays as it is.
const MEAN_OF: u32 = 8;

/// What goes on from frame to frame of a canvas.
#[derive(Debug)]
pub(crate) struct Walk {
    world: Arc<World>,
    frame: Frame,
    igi: Igi,
    mean_of: u32,
    sequence: IgiSequence,
}

impl Walk {
    /// Whether frames differ only in where the camera is, and when it is enough.
    fn is_like(&self, frame: &Frame, igi: &Igi) -> bool {
        let Frame { camera, algorithm, budget, .. } = frame.clone();
        self.igi == *igi && *frame == Frame { camera, algorithm, budget, ..self.frame.clone() }
    }
}

/// Renders a steady frame.
///
/// Where the world has changed since the frame before, a frame computes all by itself, so that light that changes is seen at once. Where it has
/// not, each computes a part; but the first picture is as good as those that follow.
pub(crate) fn show(renderer: &mut Renderer, job: &Job, work: &mut Work, igi: &Igi) -> Result<Shot, GpuError> {
    let start = Instant::now();
    let Job { world, frame, canvas, ticket } = job;
    let spec = frame.view();
    let before = work.walk.take().filter(|walk| walk.is_like(frame, igi));
    let mean_of = match &before {
        Some(walk) if !Arc::ptr_eq(&walk.world, world) => 1,
        _ => MEAN_OF,
    };
    let known = before.filter(|walk| walk.mean_of == mean_of && Arc::ptr_eq(&walk.world, world));
    let (mut walk, first) = match known {
        Some(walk) => (walk, 1),
        None => {
            let sequence = renderer.sequence(world, &spec, igi, mean_of)?;
            let (world, frame, igi) = (world.clone(), frame.clone(), *igi);
            (Walk { world, frame, igi, mean_of, sequence }, mean_of)
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
        rays += walk.sequence.show(&spec)?;
    }
    if let Some(picture) = walk.sequence.picture()? {
        canvas.show_picture(Arc::new(picture), 1);
    }
    let cancelled = ticket.cancel.load(Ordering::Relaxed);
    let shot = Shot {
        ended: if cancelled { Ended::Cancelled } else { Ended::Done },
        samples: 1,
        rays,
        elapsed: start.elapsed(),
        stages: StageTimes::default(),
        vpls: walk.sequence.vpls(),
        by: Who::Gpu,
    };
    work.walked(walk);
    Ok(shot)
}
