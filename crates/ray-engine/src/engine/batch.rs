use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sunfleck_gpu::RayQuery;
use sunfleck_math::Ray;

use super::budget::Reservation;
use crate::answers::{Answers, FoundAnswers};

/// Batch of rays of a host program, and the answers so far.
#[derive(Debug)]
pub(crate) struct Batch {
    query: RayQuery,
    rays: Vec<Ray>,
    answers: Mutex<Answers>,
    /// Number of rays without an answer.
    left: AtomicUsize,
    /// Whether the remaining rays will never be traced.
    abandoned: AtomicBool,
    _reserved: Reservation,
}

impl Batch {
    pub(crate) fn new(query: RayQuery, rays: Vec<Ray>, reserved: Reservation) -> Self {
        let left = AtomicUsize::new(rays.len());
        let answers = Mutex::new(Answers::none(query, rays.len()));
        Self { query, rays, answers, left, abandoned: AtomicBool::new(false), _reserved: reserved }
    }

    pub(crate) fn len(&self) -> usize {
        self.rays.len()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.left.load(Ordering::Acquire) == 0
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Acquire)
    }

    /// Removes and returns the answers.
    pub(crate) fn take(&self) -> Answers {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut answers, Answers::none(self.query, 0))
    }
}

/// Piece: consecutive rays of a batch. A core takes one piece at a time, a GPU several.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    batch: Arc<Batch>,
    range: Range<usize>,
}

impl Piece {
    /// Splits a batch into pieces of at most `most` rays.
    pub(crate) fn of(batch: &Arc<Batch>, most: usize) -> impl Iterator<Item = Self> + '_ {
        let len = batch.len();
        let starts = (0..len).step_by(most.max(1));
        starts.map(move |start| Self { batch: batch.clone(), range: start..len.min(start + most) })
    }

    pub(crate) fn query(&self) -> RayQuery {
        self.batch.query
    }

    pub(crate) fn rays(&self) -> &[Ray] {
        &self.batch.rays[self.range.clone()]
    }

    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }

    /// Stores the answers and drops the piece. Returns whether they were the last answers of its batch.
    pub(crate) fn answer(self, found: FoundAnswers<'_>) -> bool {
        let Self { batch, range } = self;
        let len = range.len();
        found.write(&mut batch.answers.lock().unwrap_or_else(PoisonError::into_inner), range.start);
        batch.left.fetch_sub(len, Ordering::AcqRel) == len
    }

    /// Marks the batch as abandoned.
    pub(crate) fn abandon(self) {
        self.batch.abandoned.store(true, Ordering::Release);
    }
}
