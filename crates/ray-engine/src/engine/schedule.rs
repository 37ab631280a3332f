use std::collections::VecDeque;
use std::time::{Duration, Instant};

use sunfleck_gpu::{GpuError, RayQuery};

use super::batch::Piece;
use super::cost::{CostModel, Costs, StageTimes};

/// Who may trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// The processor's cores.
    Cores,
    /// The GPU, and the cores when it is lost.
    Gpu,
    /// Both: whoever finishes first.
    Both,
}

/// A GPU that has had nothing to do for so long gets a piece, to see what it costs now.
const FORGOTTEN: Duration = Duration::from_millis(250);

/// Which pieces wait for whom, and what decides.
///
/// A piece goes to whoever finishes it first by what is known when it comes. Who has nothing to do takes the last piece that waits for the other, if that
/// is earlier done so: what was decided by a cost that has changed meanwhile is decided anew.
#[derive(Debug)]
pub(crate) struct Schedule {
    who: Who,
    cores: usize,
    for_cores: Queue,
    for_gpu: Queue,
    /// Rays that they are tracing.
    on_cores: usize,
    on_gpu: usize,
    costs: CostModel,
    /// When the GPU last answered anything.
    gpu_did_at: Option<Instant>,
    /// Why the GPU no longer takes part.
    trouble: Option<GpuError>,
    traced: Traced,
    unfinished: usize,
    closed: bool,
}

/// Number of rays traced so far, by device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traced {
    /// By cores of the processor.
    pub cores: u64,
    /// By the GPU.
    pub gpu: u64,
}

impl Schedule {
    pub(crate) fn new(who: Who, cores: usize) -> Self {
        Self {
            who,
            cores,
            for_cores: Queue::default(),
            for_gpu: Queue::default(),
            on_cores: 0,
            on_gpu: 0,
            costs: CostModel::new(),
            gpu_did_at: None,
            trouble: None,
            traced: Traced::default(),
            unfinished: 0,
            closed: false,
        }
    }

    /// Takes the pieces of a batch in.
    pub(crate) fn add(&mut self, pieces: impl Iterator<Item = Piece>) {
        self.unfinished += 1;
        for piece in pieces {
            if self.gpu_is_first(piece.query(), piece.len()) {
                self.for_gpu.push(piece);
            } else {
                self.for_cores.push(piece);
            }
        }
    }

    fn gpu_is_first(&self, query: RayQuery, rays: usize) -> bool {
        match self.who {
            Who::Cores => false,
            Who::Gpu => true,
            Who::Both => {
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

    /// What a core does next.
    pub(crate) fn take_for_core(&mut self) -> Option<Piece> {
        let piece = self.for_cores.pop_front().or_else(|| {
            let last = self.for_gpu.last().filter(|_| self.who == Who::Both)?;
            let costs = self.costs(last.query());
            let ahead = self.ahead_on_gpu() - last.len();
            let sooner = costs.core.of(last.len()) < costs.gpu_s(ahead, last.len());
            if sooner { self.for_gpu.pop_back() } else { None }
        })?;
        self.on_cores += piece.len();
        Some(piece)
    }

    /// What a core does next that takes many pieces at a time.
    pub(crate) fn take_load_for_core(&mut self, most: usize) -> Vec<Piece> {
        let load = self.for_cores.pop_load(most);
        self.on_cores += rays_of(&load);
        load
    }

    /// What the GPU does next: pieces with one query, at most `most` rays together, but at least one piece if there is any.
    pub(crate) fn take_for_gpu(&mut self, most: usize) -> Vec<Piece> {
        // What it has never done it does once, to know what it costs
        let unknown = self.who == Who::Both && self.gpu_did_at.is_none();
        if unknown && self.on_gpu > 0 {
            return Vec::new();
        }
        let mut pieces = self.for_gpu.pop_load(if unknown { 1 } else { most });
        if pieces.is_empty() && self.who == Who::Both {
            pieces = if self.gpu_is_forgotten() {
                self.for_cores.pop_front().into_iter().collect()
            } else {
                self.steal_from_cores(most)
            };
        }
        self.on_gpu += rays_of(&pieces);
        pieces
    }

    /// Whether the GPU has been left out for so long that what is known about it may be wrong: a first load that was slow is no verdict.
    fn gpu_is_forgotten(&self) -> bool {
        self.on_gpu == 0 && self.gpu_did_at.is_none_or(|at| at.elapsed() > FORGOTTEN)
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

    /// A core has answered some rays.
    pub(crate) fn core_did(&mut self, query: RayQuery, rays: usize, seconds: f64) {
        self.on_cores -= rays;
        self.traced.cores += rays as u64;
        self.costs.core_took(query, rays, seconds);
    }

    /// The GPU has answered some rays.
    pub(crate) fn gpu_did(&mut self, query: RayQuery, rays: usize, times: StageTimes) {
        self.on_gpu -= rays;
        self.traced.gpu += rays as u64;
        self.gpu_did_at = Some(Instant::now());
        self.costs.gpu_took(query, rays, times);
    }

    /// The GPU is no more: what it had goes to the cores, and all that comes.
    ///
    /// * `flying` — what it was tracing.
    pub(crate) fn gpu_lost(&mut self, flying: Vec<Piece>, why: GpuError) {
        self.who = Who::Cores;
        self.trouble = Some(why);
        self.on_gpu = 0;
        let waiting = std::mem::take(&mut self.for_gpu);
        let pieces = flying.into_iter().chain(waiting.pieces);
        if self.closed {
            pieces.for_each(Piece::abandon);
        } else {
            pieces.for_each(|piece| self.for_cores.push(piece));
        }
    }

    /// So many batches are answered.
    pub(crate) fn finished(&mut self, batches: usize) {
        self.unfinished -= batches;
    }

    /// A GPU that belongs to those who trace on cores is lost.
    pub(crate) fn note_trouble(&mut self, why: &GpuError) {
        self.trouble.get_or_insert_with(|| why.clone());
    }

    /// Gives up what nobody has begun with.
    pub(crate) fn close(&mut self) {
        self.closed = true;
        let queues = [std::mem::take(&mut self.for_cores), std::mem::take(&mut self.for_gpu)];
        queues.into_iter().flat_map(|queue| queue.pieces).for_each(Piece::abandon);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether anything waits that might be taken from one to the other when costs have changed.
    pub(crate) fn has_waiting(&self) -> bool {
        self.who == Who::Both && self.for_cores.rays + self.for_gpu.rays > 0
    }

    /// Whether any batch waits for answers.
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

/// Pieces that wait, and how many rays they have.
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

    /// The first piece, and those after it with its query, wherever they stand, as long as they fit.
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
