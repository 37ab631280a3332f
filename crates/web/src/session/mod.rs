//! One scene, one view, and everybody who looks at it: a thread that owns the world and turns events into frames.

mod clients;
mod command_line;
mod editing;
mod event;
mod outline;
mod pace;
mod renderer;
mod view;
mod worker;

use std::sync::Arc;
use std::thread::JoinHandle;

use axum::extract::ws::Utf8Bytes;
use sunfleck_engine::{Engine, EngineError, EngineOptions};
use tokio::sync::{mpsc, watch};

use crate::Stage;
use crate::encode::{EncodedFrame, Encoder};
pub(crate) use event::{Event, Snapshot};
use worker::Worker;

/// Requests that wait; clients that send more than can be done wait too.
const WAITING_EVENTS: usize = 64;

/// Where the newest of everything can be had, and requests can be sent.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) events: mpsc::Sender<Event>,
    pub(crate) news: News,
    thread: Option<JoinHandle<()>>,
}

/// The newest frame, view and scene. Who is slow misses those between.
#[derive(Clone, Debug)]
pub(crate) struct News {
    pub(crate) frame: watch::Receiver<Option<Arc<EncodedFrame>>>,
    pub(crate) view: watch::Receiver<Utf8Bytes>,
    pub(crate) scene: watch::Receiver<Utf8Bytes>,
}

/// Why a session cannot start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

impl Session {
    /// Starts the threads. Errors: the system gives none.
    pub(crate) fn start(stage: Stage, options: EngineOptions) -> Result<Self, StartError> {
        let (events, inbox) = mpsc::channel(WAITING_EVENTS);
        let (frames, frame) = watch::channel(None);
        let (views, view) = watch::channel(Utf8Bytes::default());
        let (scenes, scene) = watch::channel(Utf8Bytes::default());
        let engine = Engine::new(options)?;
        let encoder = Encoder::start(frames)?;
        let waiter = renderer::wait_for_tickets(events.clone())?;
        let mut worker = Worker::new(stage, engine, encoder, waiter, views, scenes);
        let thread = std::thread::Builder::new();
        let thread = thread.name("sunfleck-session".into()).spawn(move || worker.run(inbox))?;
        Ok(Self { events, news: News { frame, view, scene }, thread: Some(thread) })
    }

    /// Ends the threads, after the frame that is being rendered.
    pub(crate) fn stop(mut self) {
        // The worker hears this even when its queue is full: it goes on reading
        let sent = self.events.blocking_send(Event::Stop);
        if let (Ok(()), Some(thread)) = (sent, self.thread.take()) {
            drop(thread.join());
        }
    }
}
