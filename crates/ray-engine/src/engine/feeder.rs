use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use sunfleck_gpu::{GpuError, RayQuery};

use super::batch::Piece;
use super::cost::StageTimes;
use super::dispatcher::{Dispatcher, answer_all};
use super::schedule::rays_of;
use crate::answers::FoundAnswers;

/// Coprocessor that traces beside the CPU cores: several loads at a time, in order.
pub(crate) trait CoProcessor: Send {
    /// Returns the maximum number of rays in a load.
    fn most(&self) -> usize;

    /// Returns whether another load can be started now.
    fn has_room(&self) -> bool;

    /// Starts a load without waiting for it.
    fn start(&mut self, query: RayQuery, pieces: &[Piece]) -> Result<(), GpuError>;

    /// Delivers the answers to the load that was started first, if it finishes before the timeout.
    fn finish(
        &mut self,
        patience: Duration,
        deliver: &mut dyn FnMut(FoundAnswers<'_>),
    ) -> Result<Option<StageTimes>, GpuError>;
}

/// Timeout of waiting for loads in flight, after which new loads are looked for.
const PATIENCE: Duration = Duration::from_micros(300);

/// Load in flight.
struct Load {
    query: RayQuery,
    pieces: Vec<Piece>,
}

/// Keeps a coprocessor busy until the engine is closed or the coprocessor fails; then its loads go to the cores.
pub(crate) fn feed(dispatcher: &Arc<Dispatcher>, device: &mut dyn CoProcessor) {
    let mut in_flight = VecDeque::new();
    if let Err(why) = feed_until_closed(dispatcher, device, &mut in_flight) {
        dispatcher.gpu_lost(in_flight.into_iter().flat_map(|load: Load| load.pieces).collect(), why);
    }
}

fn feed_until_closed(
    dispatcher: &Dispatcher,
    device: &mut dyn CoProcessor,
    in_flight: &mut VecDeque<Load>,
) -> Result<(), GpuError> {
    loop {
        // Fill all slots
        while device.has_room() {
            let Some(pieces) = dispatcher.load_for_gpu(device.most(), in_flight.is_empty()) else {
                dispatcher.abandon(in_flight.drain(..).flat_map(|load| load.pieces));
                return Ok(());
            };
            let Some(query) = pieces.first().map(Piece::query) else { break };
            // Added before the start: if the load cannot be started, it is among those returned
            in_flight.push_back(Load { query, pieces });
            if let Some(load) = in_flight.back() {
                device.start(query, &load.pieces)?;
            }
        }

        // Collect finished loads
        let Some(load) = in_flight.front_mut() else { continue };
        let (query, rays) = (load.query, rays_of(&load.pieces));
        let pieces = &mut load.pieces;
        let mut last = 0;
        let done = device.finish(PATIENCE, &mut |found| last = answer_all(std::mem::take(pieces), found))?;
        if let Some(times) = done {
            in_flight.pop_front();
            dispatcher.gpu_answered(query, rays, last, times);
        }
    }
}
