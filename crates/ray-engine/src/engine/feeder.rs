use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use sunfleck_gpu::{GpuError, RayQuery};

use super::batch::Piece;
use super::cost::StageTimes;
use super::hub::{Hub, answer_all};
use super::schedule::rays_of;
use crate::answers::Found;

/// What traces beside the processor's cores: several loads at a time, the first one first.
pub(crate) trait CoProcessor: Send {
    /// Most rays of a load.
    fn most(&self) -> usize;

    /// Whether another load can be started now.
    fn has_room(&self) -> bool;

    /// Starts on a load; does not wait for it.
    fn start(&mut self, query: RayQuery, pieces: &[Piece]) -> Result<(), GpuError>;

    /// Hands over the answers to the load that was started first, if it is done before patience ends.
    fn finish(
        &mut self,
        patience: Duration,
        deliver: &mut dyn FnMut(Found<'_>),
    ) -> Result<Option<StageTimes>, GpuError>;
}

/// How long to wait for loads under way before looking for new ones.
const PATIENCE: Duration = Duration::from_micros(300);

/// A load under way.
struct Load {
    query: RayQuery,
    pieces: Vec<Piece>,
}

/// Keeps a coprocessor busy until the engine is closed or it fails; then what it had goes to the cores.
pub(crate) fn feed(hub: &Arc<Hub>, device: &mut dyn CoProcessor) {
    let mut flying = VecDeque::new();
    if let Err(why) = feed_until_closed(hub, device, &mut flying) {
        hub.gpu_lost(flying.into_iter().flat_map(|load: Load| load.pieces).collect(), why);
    }
}

fn feed_until_closed(
    hub: &Hub,
    device: &mut dyn CoProcessor,
    flying: &mut VecDeque<Load>,
) -> Result<(), GpuError> {
    loop {
        // Fill all slots
        while device.has_room() {
            let Some(pieces) = hub.load_for_gpu(device.most(), flying.is_empty()) else {
                hub.abandon(flying.drain(..).flat_map(|load| load.pieces));
                return Ok(());
            };
            let Some(query) = pieces.first().map(Piece::query) else { break };
            // Held here in any case: if it cannot be started, it is among what is handed back
            flying.push_back(Load { query, pieces });
            if let Some(load) = flying.back() {
                device.start(query, &load.pieces)?;
            }
        }

        // Take what is done
        let Some(load) = flying.front_mut() else { continue };
        let (query, rays) = (load.query, rays_of(&load.pieces));
        let pieces = &mut load.pieces;
        let mut last = 0;
        let done = device.finish(PATIENCE, &mut |found| last = answer_all(std::mem::take(pieces), found))?;
        if let Some(times) = done {
            flying.pop_front();
            hub.gpu_did(query, rays, last, times);
        }
    }
}
