//! Session: a thread that owns the world, handles events of clients and renders frames.

mod clients;
mod command_line;
mod edit_history;
mod event;
mod method;
mod pace;
mod renderer;
mod scene_message;
mod silhouette;
mod view;
mod worker;

use std::sync::Arc;
use std::thread::JoinHandle;

use axum::extract::ws::Utf8Bytes;
use sunfleck_engine::{Engine, EngineError, EngineOptions};
use tokio::sync::{mpsc, watch};

use crate::ViewerScene;
use crate::encode::{EncodedFrame, Encoder};
pub(crate) use event::{Event, Snapshot};
use worker::Worker;

/// Capacity of the queue of events; clients wait while it is full.
const EVENT_QUEUE_LEN: usize = 64;

/// Handle of a session, to send events and receive updates.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) events: mpsc::Sender<Event>,
    pub(crate) updates: SessionUpdates,
    thread: Option<JoinHandle<()>>,
}

/// Receivers of the newest frame, view and scene. A slow receiver skips intermediate ones.
#[derive(Clone, Debug)]
pub(crate) struct SessionUpdates {
    pub(crate) frame: watch::Receiver<Option<Arc<EncodedFrame>>>,
    pub(crate) view: watch::Receiver<Utf8Bytes>,
    pub(crate) scene: watch::Receiver<Utf8Bytes>,
}

/// Error of [`Session::start`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

impl Session {
    /// Starts the threads of the session.
    ///
    /// # Errors
    /// The engine or a thread cannot be started.
    pub(crate) fn start(scene: ViewerScene, options: EngineOptions) -> Result<Self, StartError> {
        let (events, inbox) = mpsc::channel(EVENT_QUEUE_LEN);
        let (frames, frame_receiver) = watch::channel(None);
        let (views, view_receiver) = watch::channel(Utf8Bytes::default());
        let (scenes, scene_receiver) = watch::channel(Utf8Bytes::default());
        let engine = Engine::new(options)?;
        let encoder = Encoder::start(frames)?;
        let waiter = renderer::wait_for_tickets(events.clone())?;
        let mut worker = Worker::new(scene, engine, encoder, waiter, views, scenes);
        let thread = std::thread::Builder::new();
        let thread = thread.name("sunfleck-session".into()).spawn(move || worker.run(inbox))?;
        Ok(Self {
            events,
            updates: SessionUpdates { frame: frame_receiver, view: view_receiver, scene: scene_receiver },
            thread: Some(thread),
        })
    }

    /// Ends the threads, after the current frame.
    pub(crate) fn stop(mut self) {
        // Waits while the queue is full; the worker continues to read it
        let sent = self.events.blocking_send(Event::Stop);
        if let (Ok(()), Some(thread)) = (sent, self.thread.take()) {
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use sunfleck_engine::{FrameResult, RenderedBy};
    use sunfleck_integrators::{RayCount, StageTimes, StopReason};

    use super::*;
    use crate::protocol::Request;

    /// Waits until the message `view` satisfies a condition.
    fn wait(updates: &SessionUpdates, condition: impl Fn(&serde_json::Value) -> bool) {
        let start = Instant::now();
        loop {
            let view: serde_json::Value =
                serde_json::from_str(updates.view.borrow().as_str()).unwrap_or_default();
            if condition(&view) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{view}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn the_session_survives_a_panic_of_the_renderer() {
        let scene = sunfleck_models::build("cornell").unwrap();
        let scene = ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap();
        let session = Session::start(scene, EngineOptions::default()).unwrap();
        let send = |event| session.events.blocking_send(event).unwrap();
        send(Event::Joined { client: 1 });
        wait(&session.updates, |view| view["clients"] == 1 && view["problem"].is_null());
        let failed = FrameResult {
            ended: StopReason::Failed,
            samples: 0,
            rays: RayCount::default(),
            elapsed: Duration::ZERO,
            stages: StageTimes::default(),
            vpls: 0,
            by: RenderedBy::PROCESSOR,
        };
        // The result that the engine reports when its renderer panics
        send(Event::FrameDone(failed));
        wait(&session.updates, |view| {
            view["problem"].as_str().is_some_and(|problem| problem.contains("crashed"))
        });

        // A change of the settings starts rendering again
        let settings =
            Request::parse(r#"{"type":"set","settings":{"algorithm":"whitted","size":[32,24]}}"#).unwrap();
        let (replies, _receiver) = mpsc::channel(1);
        send(Event::Request { client: 1, request: settings, replies });
        wait(&session.updates, |view| view["problem"].is_null());
        session.stop();
    }
}
