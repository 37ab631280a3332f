//! Session: a thread that owns the world, handles events of clients and renders frames.

mod clients;
mod command_line;
mod denoise_setting;
mod denoising;
mod documents;
mod dropping;
mod edit_history;
mod event;
mod file_point;
mod focus;
mod image_ray;
mod image_state;
mod level_camera;
mod memory_use;
mod method;
mod pace;
mod placement;
mod preview_pace;
mod problems;
mod renderer;
mod scene_message;
mod silhouette;
mod texture_slot;
mod view;
mod worker;

use std::sync::Arc;
use std::thread::JoinHandle;

use axum::extract::ws::Utf8Bytes;
use sunfleck_engine::{Engine, EngineError, EngineOptions};
use tokio::sync::{mpsc, watch};

use crate::ViewerScene;
use crate::encode::{EncodedFrame, Encoder};
use crate::storage::{Storage, StorageOptions};
pub(crate) use denoise_setting::DenoiseSetting;
use denoising::Denoising;
pub(crate) use documents::SceneMoment;
pub(crate) use event::{AddedFile, AssignedImage, Event, NoSnapshot, Snapshot};
use renderer::Renderer;
use worker::{Outputs, Worker};

/// Capacity of the queue of events; clients wait while it is full.
const EVENT_QUEUE_LEN: usize = 64;

/// Handle of a session, to send events and receive updates.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) events: mpsc::Sender<Event>,
    pub(crate) updates: SessionUpdates,
    thread: Option<JoinHandle<()>>,
}

/// Receivers of the newest frame, view, scene and lists of files. A slow receiver skips intermediate ones.
#[derive(Clone, Debug)]
pub(crate) struct SessionUpdates {
    pub(crate) frame: watch::Receiver<Option<Arc<EncodedFrame>>>,
    pub(crate) view: watch::Receiver<Utf8Bytes>,
    pub(crate) scene: watch::Receiver<Utf8Bytes>,
    /// Scenes that can be opened again.
    pub(crate) files: watch::Receiver<Utf8Bytes>,
}

/// Error of [`Session::start`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
    #[error("cannot start the threads of the denoiser: {0}")]
    Pool(#[from] rayon::ThreadPoolBuildError),
}

impl Session {
    /// Starts the threads of the session.
    ///
    /// # Errors
    /// The engine or a thread cannot be started.
    pub(crate) fn start(
        scene: ViewerScene,
        options: EngineOptions,
        storage: StorageOptions,
    ) -> Result<Self, StartError> {
        let (events, inbox) = mpsc::channel(EVENT_QUEUE_LEN);
        let (frames, frame_receiver) = watch::channel(None);
        let (views, view_receiver) = watch::channel(Utf8Bytes::default());
        let (scenes, scene_receiver) = watch::channel(Utf8Bytes::default());
        let (files, file_receiver) = watch::channel(Utf8Bytes::default());
        let engine = Engine::new(options)?;
        let denoising = Denoising::start(&events, options.threads)?;
        let encoder = Encoder::start(frames)?;
        let waiter = renderer::wait_for_tickets(events.clone())?;
        let storage = Storage::start(&storage, events.clone())?;
        let outputs = Outputs { encoder, views, scenes, files };
        let mut worker = Worker::new(scene, Renderer::new(engine, waiter, denoising), storage, outputs);
        let thread = std::thread::Builder::new();
        let thread = thread.name("sunfleck-session".into()).spawn(move || worker.run(inbox))?;
        Ok(Self {
            events,
            updates: SessionUpdates {
                frame: frame_receiver,
                view: view_receiver,
                scene: scene_receiver,
                files: file_receiver,
            },
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

    use super::denoising::{DenoiseError, DenoiseResult, DenoisedImage};
    use super::*;
    use crate::protocol::Request;

    /// Starts a session that keeps nothing.
    fn start() -> Session {
        let scene = sunfleck_models::build("cornell").unwrap();
        let scene = ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap();
        let storage = StorageOptions {
            save: ".".into(),
            state: None,
            built_in: |name| Err(name.into()),
            built_in_scenes: Vec::new(),
            lists: true,
        };
        Session::start(scene, EngineOptions::default(), storage).unwrap()
    }

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
        let session = start();
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

    #[test]
    fn results_for_images_that_have_changed_are_not_shown() {
        let session = start();
        let send = |event| session.events.blocking_send(event).unwrap();
        send(Event::Joined { client: 1 });
        let (replies, _receiver) = mpsc::channel(1);
        let settings =
            Request::parse(r#"{"type":"set","settings":{"algorithm":"whitted","size":[32,24],"samples":1}}"#);
        send(Event::Request { client: 1, request: settings.unwrap(), replies });
        let newest = || session.updates.frame.borrow().as_ref().and_then(|frame| Some(frame.split()?.0));
        let start = Instant::now();
        let shown = loop {
            if let Some(header) =
                newest().filter(|header| header["mode"] == "rest" && header["denoised"] == 1)
            {
                break header;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", newest());
            std::thread::sleep(Duration::from_millis(5));
        };
        let change = shown["change"].as_u64().unwrap();
        let result = |change, denoiser_change, picture| {
            let image = DenoisedImage { side: 0, change, denoiser_change, samples: 1 };
            send(Event::Denoised(Box::new(DenoiseResult { image, picture, elapsed: Duration::ZERO })));
        };
        let red =
            || Ok(sunfleck_image::Picture::from_fn(32, 24, |_, _| sunfleck_math::Vec3::X).ok().map(Arc::new));
        result(change - 1, 0, red());
        result(change, 1, red());
        // Handled after both
        result(change, 0, Err(DenoiseError::Crashed));
        wait(&session.updates, |view| view["denoise"] == "off" && view["problem"].as_str().is_some());
        let start = Instant::now();
        let after = loop {
            if let Some(header) = newest().filter(|header| header["denoised"].is_null()) {
                break header;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", newest());
            std::thread::sleep(Duration::from_millis(5));
        };
        let frames = [&shown, &after].map(|header| header["frame"].as_u64().unwrap());
        assert_eq!(frames[0] + 1, frames[1], "neither of both was shown");

        // The problem is over when denoising is switched on
        let settings = Request::parse(r#"{"type":"set","settings":{"denoise":"features"}}"#).unwrap();
        let (replies, _receiver) = mpsc::channel(1);
        send(Event::Request { client: 1, request: settings, replies });
        wait(&session.updates, |view| view["denoise"] == "features" && view["problem"].is_null());
        session.stop();
    }
}
