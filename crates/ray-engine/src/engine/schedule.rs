use std::collections::VecDeque;
use std::time::{Duration, Instant};

use sunfleck_gpu::{GpuError, RayQuery};

use super::batch::Piece;
use super::cost::{CostModel, Costs, StageTimes};

/// Devices that may trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracers {
    /// The CPU cores.
    Cores,
    /// The GPU, and the cores once it is lost.
    Gpu,
    /// Both: the device that is predicted to finish first.
    Both,
}

/// Idle time after which the GPU gets a piece, so that its cost is measured again.
const MAX_GPU_IDLE: Duration = Duration::from_millis(250);

/// Schedule: queues of pieces per device, and the decision between them.
///
/// A piece goes to the device that is predicted to finish it first when it arrives. An idle device takes the last
/// piece that waits for the other, if it finishes earlier that way, so that decisions are revised when costs have
/// changed.
#[derive(Debug)]
pub(crate) struct Schedule {
    tracers: Tracers,
    cores: usize,
    for_cores: Queue,
    for_gpu: Queue,
    /// Number of rays being traced.
    on_cores: usize,
    on_gpu: usize,
    costs: CostModel,
    /// Time of the GPU's last answer.
    gpu_answered_at: Option<Instant>,
    /// Reason why the GPU is no longer used.
    trouble: Option<GpuError>,
    traced: Traced,
    unfinished: usize,
    closed: bool,
}

/// Number of rays traced so far, by device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traced {
    /// Rays traced by CPU cores.
    pub cores: u64,
    /// Rays traced by the GPU.
    pub gpu: u64,
}

impl Schedule {
    pub(crate) fn new(tracers: Tracers, cores: usize) -> Self {
        Self {
            tracers,
            cores,
            for_cores: Queue::default(),
            for_gpu: Queue::default(),
            on_cores: 0,
            on_gpu: 0,
            costs: CostModel::new(),
            gpu_answered_at: None,
            trouble: None,
            traced: Traced::default(),
            unfinished: 0,
            closed: false,
        }
    }

    /// Enqueues the pieces of a batch.
    pub(crate) fn add(&mut self, pieces: impl Iterator<Item = Piece>) {
        self.unfinished += 1;
        for piece in pieces {
            if self.gpu_finishes_first(piece.query(), piece.len()) {
                self.for_gpu.push(piece);
            } else {
                self.for_cores.push(piece);
            }
        }
    }

    fn gpu_finishes_first(&self, query: RayQuery, rays: usize) -> bool {
        match self.tracers {
            Tracers::Cores => false,
            Tracers::Gpu => true,
            Tracers::Both => {
                let costs = self.costs(query);
                let gpu_s = costs.gpu_s(self.ahead_on_gpu(), rays);
                gpu_s < costs.cores_s(self.cores, self.ahead_on_cores(), rays)
            }
        }
    }

    fn ahead_on_gpu(&self) -> usize {
        self.for_gpu.rays + self.on_gpu
    }

    fn ahead_on_cores(&self) -> usize {
        self.for_cores.rays + self.on_cores
    }

    /// Returns the next piece for a core.
    pub(crate) fn take_for_core(&mut self) -> Option<Piece> {
        let piece = self.for_cores.pop_front().or_else(|| {
            let last = self.for_gpu.last().filter(|_| self.tracers == Tracers::Both)?;
            let costs = self.costs(last.query());
            let ahead = self.ahead_on_gpu() - last.len();
            let sooner = costs.core.of(last.len()) < costs.gpu_s(ahead, last.len());
            if sooner { self.for_gpu.pop_back() } else { None }
        })?;
        self.on_cores += piece.len();
        Some(piece)
    }

    /// Returns the next pieces for a core that takes many at a time.
    pub(crate) fn take_load_for_core(&mut self, most: usize) -> Vec<Piece> {
        let load = self.for_cores.pop_load(most);
        self.on_cores += rays_of(&load);
        load
    }

    /// Returns the next pieces for the GPU: of one query, at most `most` rays together, but at least one piece if
    /// there is any.
    pub(crate) fn take_for_gpu(&mut self, most: usize) -> Vec<Piece> {
        // A GPU without measurements gets a single piece first, to measure its cost
        let unknown = self.tracers == Tracers::Both && self.gpu_answered_at.is_none();
        if unknown && self.on_gpu > 0 {
            return Vec::new();
        }
        let mut pieces = self.for_gpu.pop_load(if unknown { 1 } else { most });
        if pieces.is_empty() && self.tracers == Tracers::Both {
            pieces = if self.gpu_cost_is_outdated() {
                self.for_cores.pop_front().into_iter().collect()
            } else {
                self.steal_from_cores(most)
            };
        }
        self.on_gpu += rays_of(&pieces);
        pieces
    }

    /// Returns whether the GPU has been idle for so long that its measured cost may be outdated.
    fn gpu_cost_is_outdated(&self) -> bool {
        self.on_gpu == 0 && self.gpu_answered_at.is_none_or(|at| at.elapsed() > MAX_GPU_IDLE)
    }

    fn steal_from_cores(&mut self, most: usize) -> Vec<Piece> {
        let (mut stolen, mut rays) = (Vec::<Piece>::new(), 0);
        while let Some(last) = self.for_cores.last() {
            let fits =
                stolen.first().is_none_or(|first| first.query() == last.query() && rays + last.len() <= most);
            let costs = self.costs(last.query());
            let gpu_s = costs.gpu_s(self.on_gpu + rays, last.len());
            let cores_s = costs.cores_s(self.cores, self.ahead_on_cores() - last.len(), last.len());
            if !fits || gpu_s >= cores_s {
                break;
            }
            rays += last.len();
            stolen.extend(self.for_cores.pop_back());
        }
        stolen
    }

    /// Records rays answered by a core.
    pub(crate) fn core_answered(&mut self, query: RayQuery, rays: usize, seconds: f64) {
        self.on_cores -= rays;
        self.traced.cores += rays as u64;
        self.costs.core_took(query, rays, seconds);
    }

    /// Records rays answered by the GPU.
    pub(crate) fn gpu_answered(&mut self, query: RayQuery, rays: usize, times: StageTimes) {
        self.on_gpu -= rays;
        self.traced.gpu += rays as u64;
        self.gpu_answered_at = Some(Instant::now());
        self.costs.gpu_took(query, rays, times);
    }

    /// Handles a lost GPU: its pieces and all further ones go to the cores.
    ///
    /// * `in_flight` — pieces that it was tracing.
    pub(crate) fn gpu_lost(&mut self, in_flight: Vec<Piece>, why: GpuError) {
        self.tracers = Tracers::Cores;
        self.trouble = Some(why);
        self.on_gpu = 0;
        let waiting = std::mem::take(&mut self.for_gpu);
        let pieces = in_flight.into_iter().chain(waiting.pieces);
        if self.closed {
            pieces.for_each(Piece::abandon);
        } else {
            pieces.for_each(|piece| self.for_cores.push(piece));
        }
    }

    /// Records completed batches.
    pub(crate) fn finished(&mut self, batches: usize) {
        self.unfinished -= batches;
    }

    /// Records that the GPU of the 2002 organisation is lost, whose thread counts as a core.
    pub(crate) fn note_trouble(&mut self, why: &GpuError) {
        self.trouble.get_or_insert_with(|| why.clone());
    }

    /// Abandons all waiting pieces.
    pub(crate) fn close(&mut self) {
        self.closed = true;
        let queues = [std::mem::take(&mut self.for_cores), std::mem::take(&mut self.for_gpu)];
        queues.into_iter().flat_map(|queue| queue.pieces).for_each(Piece::abandon);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns whether waiting pieces may move between devices when costs change.
    pub(crate) fn has_waiting(&self) -> bool {
        self.tracers == Tracers::Both && self.for_cores.rays + self.for_gpu.rays > 0
    }

    /// Returns whether any batch is unanswered.
    pub(crate) fn is_busy(&self) -> bool {
        self.unfinished > 0
    }

    pub(crate) fn costs(&self, query: RayQuery) -> Costs {
        self.costs.costs(query)
    }

    pub(crate) fn trouble(&self) -> Option<&GpuError> {
        self.trouble.as_ref()
    }

    pub(crate) fn traced(&self) -> Traced {
        self.traced
    }
}

/// Queue of pieces, with their number of rays.
#[derive(Debug, Default)]
struct Queue {
    pieces: VecDeque<Piece>,
    rays: usize,
}

impl Queue {
    fn push(&mut self, piece: Piece) {
        self.rays += piece.len();
        self.pieces.push_back(piece);
    }

    fn last(&self) -> Option<&Piece> {
        self.pieces.back()
    }

    fn pop_front(&mut self) -> Option<Piece> {
        let piece = self.pieces.pop_front()?;
        self.rays -= piece.len();
        Some(piece)
    }

    fn pop_back(&mut self) -> Option<Piece> {
        let piece = self.pieces.pop_back()?;
        self.rays -= piece.len();
        Some(piece)
    }

    /// Removes and returns the first piece and further ones of the same query that fit.
    fn pop_load(&mut self, most: usize) -> Vec<Piece> {
        let Some(query) = self.pieces.front().map(Piece::query) else { return Vec::new() };
        let mut load: Vec<Piece> = Vec::new();
        let (mut rays, mut place) = (0, 0);
        while let Some(piece) = self.pieces.get(place) {
            if piece.query() != query {
                place += 1;
                continue;
            }
            if !load.is_empty() && rays + piece.len() > most {
                break;
            }
            rays += piece.len();
            load.extend(self.pieces.remove(place));
        }
        self.rays -= rays;
        load
    }
}

pub(crate) fn rays_of(pieces: &[Piece]) -> usize {
    pieces.iter().map(Piece::len).sum()
}
