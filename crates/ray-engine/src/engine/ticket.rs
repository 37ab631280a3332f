use std::sync::Arc;

use super::RayEngineError;
use super::batch::Batch;
use super::dispatcher::Dispatcher;
use crate::answers::Answers;

/// Handle of a batch in flight. Its answers are kept until they are taken; dropping the ticket discards them.
#[derive(Debug)]
#[must_use = "the answers of the batch can only be taken with its ticket"]
pub struct Ticket {
    pub(crate) number: u64,
    pub(crate) batch: Arc<Batch>,
    pub(crate) dispatcher: Arc<Dispatcher>,
}

impl Ticket {
    /// Returns the number of the batch: batches are counted from 0 in order of submission.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns whether the answers have arrived, or the batch was abandoned. Does not wait.
    pub fn is_ready(&self) -> bool {
        self.batch.is_done() || self.batch.is_abandoned()
    }

    /// Returns the answers if they have arrived, else the ticket. Does not wait.
    ///
    /// # Errors
    /// [`RayEngineError::Closed`].
    pub fn poll(self) -> Result<Result<Answers, Self>, RayEngineError> {
        if self.is_ready() { self.take().map(Ok) } else { Ok(Err(self)) }
    }

    /// Waits for the answers.
    ///
    /// # Errors
    /// [`RayEngineError::Closed`].
    pub fn wait(self) -> Result<Answers, RayEngineError> {
        self.dispatcher.wait_until(|| self.is_ready());
        self.take()
    }

    /// Waits for the first of some tickets of one engine to be ready, and removes it: returns its number and answers,
    /// or `None` if there is no ticket.
    ///
    /// # Errors
    /// [`RayEngineError::Closed`].
    pub fn first(tickets: &mut Vec<Self>) -> Result<Option<(u64, Answers)>, RayEngineError> {
        let Some(dispatcher) = tickets.first().map(|ticket| ticket.dispatcher.clone()) else {
            return Ok(None);
        };
        let mut ready = None;
        dispatcher.wait_until(|| {
            ready = tickets.iter().position(Self::is_ready);
            ready.is_some()
        });
        let ticket = tickets.swap_remove(ready.unwrap_or(0));
        let number = ticket.number;
        Ok(Some((number, ticket.take()?)))
    }

    fn take(self) -> Result<Answers, RayEngineError> {
        if self.batch.is_done() { Ok(self.batch.take()) } else { Err(RayEngineError::Closed) }
    }
}
