use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sunfleck_gpu::{Gpu, GpuError, Mirror, RayQuery, Tracer};
use wgpu::PollType;

use super::batch::Piece;
use super::cost::StageTimes;
use super::feeder::CoProcessor;
use super::schedule::rays_of;
use super::slot::Slot;
use crate::answers::FoundAnswers;

/// Number of loads in flight: one is written, one traced, one read back.
const SLOTS: usize = 3;

/// Minimum number of rays in a load.
const LEAST: usize = 4096;

/// A GPU that traces loads in a ring of slots, so that upload, traversal and read-back of different loads overlap.
#[derive(Debug)]
pub(crate) struct Ring {
    gpu: Arc<Gpu>,
    tracer: Tracer,
    /// Free slots, least recently used first.
    free: VecDeque<Slot>,
    /// Slots with loads in flight, oldest first.
    in_flight: VecDeque<Slot>,
    most: usize,
    /// Time at which the previous load was finished.
    last_done: Instant,
}

impl Ring {
    /// Creates a ring with three slots.
    ///
    /// * `most` — maximum number of rays in a load; halved while there is too little memory.
    pub(crate) fn new(gpu: &Arc<Gpu>, mirror: &Mirror, most: usize) -> Result<Self, GpuError> {
        let tracer = Tracer::for_any_rays(gpu, mirror)?;
        let mut most = most.max(LEAST);
        let free = loop {
            let slots: Result<VecDeque<Slot>, GpuError> =
                (0..SLOTS).map(|_| Slot::new(gpu, &tracer, mirror, most)).collect();
            match slots {
                Err(GpuError::OutOfMemory { .. } | GpuError::TooLarge { .. }) if most > LEAST => most /= 2,
                slots => break slots?,
            }
        };
        gpu.check()?;
        let last_done = Instant::now();
        Ok(Self { gpu: gpu.clone(), tracer, free, in_flight: VecDeque::new(), most, last_done })
    }
}

impl CoProcessor for Ring {
    fn most(&self) -> usize {
        self.most
    }

    fn has_room(&self) -> bool {
        let Some(slot) = self.free.front() else { return false };
        // Callbacks run when the device is polled; errors are reported where the results are used
        slot.is_writable() || self.gpu.device().poll(PollType::Poll).is_ok() && slot.is_writable()
    }

    fn start(&mut self, query: RayQuery, pieces: &[Piece]) -> Result<(), GpuError> {
        self.gpu.check()?;
        let Some(mut slot) = self.free.pop_front() else { return Ok(()) };
        let begun = slot.begin(&self.gpu, &self.tracer, query, rays_of(pieces), pieces);
        self.in_flight.push_back(slot);
        begun
    }

    fn finish(
        &mut self,
        patience: Duration,
        deliver: &mut dyn FnMut(FoundAnswers<'_>),
    ) -> Result<Option<StageTimes>, GpuError> {
        let Some(slot) = self.in_flight.front_mut() else { return Ok(None) };
        if !slot.is_readable(&self.gpu, patience)? {
            return Ok(None);
        }
        let done = Instant::now();
        let since = slot.begun_at().max(self.last_done);
        self.last_done = done;
        let times = slot.finish((done - since).as_secs_f64(), deliver)?;
        self.free.extend(self.in_flight.pop_front());
        Ok(Some(times))
    }
}
