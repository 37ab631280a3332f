use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sunfleck_gpu::{GpuError, RayQuery};

use super::batch::Piece;
use super::budget::Budget;
use super::cost::StageTimes;
use super::schedule::{Schedule, rays_of};
use crate::answers::FoundAnswers;

/// Interval at which idle threads check for work.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Dispatcher: hands the batches of host threads to the threads that trace them.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    schedule: Mutex<Schedule>,
    /// Signalled when there is work.
    work: Condvar,
    /// Signalled when a batch is answered.
    done: Condvar,
    pub(crate) budget: Arc<Budget>,
}

impl Dispatcher {
    pub(crate) fn new(schedule: Schedule, budget: Arc<Budget>) -> Arc<Self> {
        Arc::new(Self { schedule: Mutex::new(schedule), work: Condvar::new(), done: Condvar::new(), budget })
    }

    pub(crate) fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, pieces: impl Iterator<Item = Piece>) {
        self.schedule().add(pieces);
        self.work.notify_all();
    }

    pub(crate) fn close(&self) {
        self.schedule().close();
        self.work.notify_all();
        self.done.notify_all();
    }

    /// Waits for a piece; `None` when the engine is closed.
    pub(crate) fn piece_for_core(&self) -> Option<Piece> {
        self.wait_for(Schedule::take_for_core)
    }

    /// Waits for pieces of one query, at most `most` rays together or one piece; `None` when the engine is closed.
    pub(crate) fn load_for_core(&self, most: usize) -> Option<Vec<Piece>> {
        self.wait_for(|schedule| {
            let load = schedule.take_load_for_core(most);
            (!load.is_empty()).then_some(load)
        })
    }

    fn wait_for<T>(&self, mut take: impl FnMut(&mut Schedule) -> Option<T>) -> Option<T> {
        let mut schedule = self.schedule();
        loop {
            if schedule.is_closed() {
                return None;
            }
            if let Some(taken) = take(&mut schedule) {
                return Some(taken);
            }
            schedule = self.wait_for_work(schedule);
        }
    }

    /// Returns pieces for the GPU, possibly none; `None` when the engine is closed.
    ///
    /// * `waits` — whether to wait until there are some.
    pub(crate) fn load_for_gpu(&self, most: usize, waits: bool) -> Option<Vec<Piece>> {
        let mut schedule = self.schedule();
        loop {
            if schedule.is_closed() {
                return None;
            }
            let pieces = schedule.take_for_gpu(most);
            if !(pieces.is_empty() && waits) {
                return Some(pieces);
            }
            schedule = self.wait_for_work(schedule);
        }
    }

    /// Waits for work. Costs change without a signal while other threads work, so if pieces are waiting, it returns
    /// after [`POLL_INTERVAL`].
    fn wait_for_work<'a>(&self, schedule: MutexGuard<'a, Schedule>) -> MutexGuard<'a, Schedule> {
        if schedule.has_waiting() {
            self.work.wait_timeout(schedule, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0
        } else {
            self.work.wait(schedule).unwrap_or_else(PoisonError::into_inner)
        }
    }

    /// Abandons pieces that will not be traced.
    pub(crate) fn abandon(&self, pieces: impl Iterator<Item = Piece>) {
        // Under the lock; otherwise a thread that has just checked might wait forever
        let schedule = self.schedule();
        pieces.for_each(Piece::abandon);
        self.done.notify_all();
        drop(schedule);
    }

    /// Stores and records the answers of a core.
    pub(crate) fn core_answered(&self, piece: Piece, found: FoundAnswers<'_>, seconds: f64) {
        let (query, rays) = (piece.query(), piece.len());
        let last = usize::from(piece.answer(found));
        self.core_answered_all(query, rays, last, seconds);
    }

    /// Records rays of one query whose answers are already stored.
    ///
    /// * `last` — number of batches that they complete.
    pub(crate) fn core_answered_all(&self, query: RayQuery, rays: usize, last: usize, seconds: f64) {
        let mut schedule = self.schedule();
        schedule.core_answered(query, rays, seconds);
        self.finish(schedule, last);
    }

    /// Records rays of one query that the GPU has answered; their answers are already stored.
    ///
    /// * `last` — number of batches that they complete.
    pub(crate) fn gpu_answered(&self, query: RayQuery, rays: usize, last: usize, times: StageTimes) {
        let mut schedule = self.schedule();
        schedule.gpu_answered(query, rays, times);
        self.finish(schedule, last);
    }

    pub(crate) fn gpu_lost(&self, in_flight: Vec<Piece>, why: GpuError) {
        self.schedule().gpu_lost(in_flight, why);
        self.work.notify_all();
    }

    fn finish(&self, mut schedule: MutexGuard<'_, Schedule>, batches: usize) {
        if batches > 0 {
            schedule.finished(batches);
            self.done.notify_all();
        }
    }

    /// Waits until `is_done`, which changes only when batches are answered or the engine is closed.
    pub(crate) fn wait_until(&self, mut is_done: impl FnMut() -> bool) {
        let mut schedule = self.schedule();
        while !is_done() {
            schedule = self.done.wait(schedule).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Answers the consecutive pieces of a load. Returns the number of batches that they complete.
pub(crate) fn answer_all(pieces: Vec<Piece>, found: FoundAnswers<'_>) -> usize {
    let (mut start, mut finished) = (0, 0);
    debug_assert!(rays_of(&pieces) > 0, "loads are not empty");
    for piece in pieces {
        let range = start..start + piece.len();
        start = range.end;
        finished += usize::from(piece.answer(found.part(range)));
    }
    finished
}
