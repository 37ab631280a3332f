//! One scene, one view, and everybody who looks at it: a thread that owns the world and turns events into frames.

mod clients;
mod command_line;
mod editing;
mod event;
mod method;
mod outline;
mod pace;
mod renderer;
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
    pub(crate) fn start(stage: ViewerScene, options: EngineOptions) -> Result<Self, StartError> {
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use sunfleck_engine::{FrameResult, RenderedBy};
    use sunfleck_integrators::{RayCount, StageTimes, StopReason};

    use super::*;
    use crate::protocol::Request;

    /// Waits until the view, as it is told to pages, is so.
    fn wait(news: &News, good: impl Fn(&serde_json::Value) -> bool) {
        let start = Instant::now();
        loop {
            let view: serde_json::Value =
                serde_json::from_str(news.view.borrow().as_str()).unwrap_or_default();
            if good(&view) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{view}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_renderer_that_panics_is_told_of_and_the_session_goes_on() {
        let scene = sunfleck_models::build("cornell").unwrap();
        let stage = ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap();
        let session = Session::start(stage, EngineOptions::default()).unwrap();
        let send = |event| session.events.blocking_send(event).unwrap();
        send(Event::Joined { client: 1 });
        wait(&session.news, |view| view["clients"] == 1 && view["problem"].is_null());
        let failed = FrameResult {
            ended: StopReason::Failed,
            samples: 0,
            rays: RayCount::default(),
            elapsed: Duration::ZERO,
            stages: StageTimes::default(),
            vpls: 0,
            by: RenderedBy::PROCESSOR,
        };
        // As the engine says it of the frame that is being rendered
        send(Event::FrameDone(failed));
        wait(&session.news, |view| view["problem"].as_str().is_some_and(|said| said.contains("broke off")));

        // Something else is tried, and pictures come again
        let settings =
            Request::parse(r#"{"type":"set","settings":{"algorithm":"whitted","size":[32,24]}}"#).unwrap();
        let (replies, _answers) = mpsc::channel(1);
        send(Event::Request { client: 1, request: settings, replies });
        wait(&session.news, |view| view["problem"].is_null());
        session.stop();
    }
}
