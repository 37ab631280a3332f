//! The thread of a session: handles events and publishes updates.

mod additions;
mod exposure;
mod keeping;
mod opening;
mod picking;
mod publishing;
mod requests;
mod saving;
mod viewpoints;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use axum::extract::ws::Utf8Bytes;
use sunfleck_engine::{EditableWorld, WorldError};
use sunfleck_scene::SceneEdit;
use tokio::sync::{mpsc, watch};

use super::clients::Clients;
use super::denoise_setting::DenoiseSetting;
use super::documents::{DocumentFile, Documents};
use super::edit_history::{DragId, EditHistory};
use super::event::Event;
use super::problems::Problems;
use super::renderer::{FrameOutcome, Renderer};
use super::view::View;
use crate::ViewerScene;
use crate::encode::{DisplayFrame, DisplaySettings, Encoder};
use crate::protocol::{Moment, Reply};
use crate::storage::{Asker, Storage, StorageJob};

/// State of a session.
#[derive(Debug)]
pub(super) struct Worker {
    opened: ViewerScene,
    view: View,
    history: EditHistory,
    file: DocumentFile,
    /// Scenes that were open before or that have been opened later.
    documents: Documents,
    /// Number of scenes opened so far.
    document_count: u64,
    /// Recovery files of earlier servers that have been opened.
    recovered: Vec<PathBuf>,
    clients: Clients,
    renderer: Renderer,
    storage: Storage,
    outputs: Outputs,
    /// Frame that is displayed.
    displayed: Option<DisplayFrame>,
    /// Whether the scene has changed since it was published.
    scene_changed: bool,
    /// Numbers of steps to undo and redo that were published.
    published_steps: [usize; 2],
    /// Time of the animation that is shown; `None` for the rest pose.
    moment: Option<Moment>,
    /// Whether the content changes abruptly at the next frame, so that automatic exposure adapts at once.
    cut: bool,
    problems: Problems,
}

/// Where the session sends what clients show.
#[derive(Debug)]
pub(super) struct Outputs {
    pub(super) encoder: Encoder,
    pub(super) views: watch::Sender<Utf8Bytes>,
    pub(super) scenes: watch::Sender<Utf8Bytes>,
    pub(super) files: watch::Sender<Utf8Bytes>,
}

impl Worker {
    pub(super) fn new(opened: ViewerScene, renderer: Renderer, storage: Storage, outputs: Outputs) -> Self {
        storage.send(StorageJob::Opened(opened.source.clone()));
        Self {
            view: View::new(&opened),
            opened,
            history: EditHistory::default(),
            file: DocumentFile::new(0),
            documents: Documents::default(),
            document_count: 0,
            recovered: Vec::new(),
            clients: Clients::default(),
            renderer,
            storage,
            outputs,
            displayed: None,
            scene_changed: true,
            published_steps: [0; 2],
            moment: None,
            cut: true,
            problems: Problems::default(),
        }
    }

    /// Handles events until [`Event::Stop`], or until all senders are dropped.
    pub(super) fn run(&mut self, mut inbox: mpsc::Receiver<Event>) {
        self.publish_view();
        self.publish_scene();
        while let Some(event) = inbox.blocking_recv() {
            // Handle all events that are waiting before the next frame, but not those that arrive meanwhile: a client
            // that sends without pause must not stop the rendering
            let waiting = inbox.len();
            for event in
                std::iter::once(Some(event)).chain((0..waiting).map(|_| inbox.try_recv().ok())).flatten()
            {
                if matches!(event, Event::Stop) {
                    self.autosave();
                    return self.renderer.pause();
                }
                // A panic in one request must not end the session
                if catch_unwind(AssertUnwindSafe(|| self.handle(event))).is_err() {
                    self.problems.request_crashed = true;
                }
            }
            self.forget_undone_documents();
            self.forget_unreachable();
            self.report_edits();
            if self.clients.count() > 0 {
                self.renderer.start_next(&self.opened.world, &self.view);
            } else {
                self.renderer.pause();
            }
            self.publish_view();
            self.publish_scene();
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Joined { client } => self.clients.join(client),
            Event::Left { client } => self.clients.leave(client),
            Event::Request { client, request, replies } => {
                let asker = Asker { client, replies };
                let reply = match self.handle_request(&asker, request) {
                    Ok(reply) => reply,
                    Err(message) => Some(Reply::Error { message }),
                };
                if let Some(reply) = reply {
                    asker.reply(reply);
                }
            }
            Event::FrameDone(result) => {
                let outcome = self.renderer.finish(&result, &self.view);
                self.show(outcome);
            }
            Event::Denoised(result) => {
                let outcome = self.renderer.denoised(*result, &self.view);
                self.show(outcome);
            }
            Event::Open { client, scene, done } => drop(done.send(self.open(client, *scene))),
            Event::Environment { client, map, done } => drop(done.send(self.set_environment(client, *map))),
            Event::Add { client, file, done } => drop(done.send(self.add(client, *file))),
            Event::Texture { client, image, done } => drop(done.send(self.assign_image(client, *image))),
            Event::Snapshot { side, done } => drop(done.send(self.snapshot(side))),
            Event::Scene { done } => drop(done.send((self.name(), self.opened.world.scene().clone()))),
            Event::Thumbnail { texture, done } => {
                drop(done.send(self.opened.world.scene().texture(texture).cloned()));
            }
            Event::Saved { ticket, result } => self.saved(*ticket, result),
            Event::Reopened { asker, opened } => {
                let opened = opened.and_then(|reopened| self.reopen(asker.client, reopened));
                if let Err(message) = opened {
                    asker.reply(Reply::Error { message });
                }
            }
            Event::AutosaveDue => self.autosave(),
            Event::Autosaved { document, state, error } => self.autosaved(document, state, error),
            Event::Files(files) => {
                // Serialisation of numbers and strings cannot fail
                self.outputs.files.send_replace(serde_json::to_string(&files).unwrap_or_default().into());
            }
            Event::Stop => {}
        }
    }

    fn show(&mut self, outcome: FrameOutcome) {
        match outcome {
            FrameOutcome::Images(pictures, header) => {
                self.problems.renderer_crashed = false;
                let display = DisplaySettings { cut: std::mem::take(&mut self.cut), ..self.view.display() };
                self.display(DisplayFrame { pictures, display, header: *header });
            }
            FrameOutcome::Nothing => {}
            FrameOutcome::Failed => self.problems.renderer_crashed = true,
            FrameOutcome::NotDenoised(error) => {
                self.view.denoise = DenoiseSetting::OFF;
                let outcome = self.renderer.denoiser_changed(&self.view);
                self.show(outcome);
                self.problems.not_denoised = Some(error.to_string());
            }
        }
    }

    /// Applies an edit as an undo step.
    ///
    /// * `drag` — client and number of the drag to which it belongs; all edits of a drag are one step.
    fn edit(&mut self, edit: SceneEdit, drag: Option<DragId>, input: Option<u64>) -> Result<(), String> {
        self.change_scene(input, |history, world| history.edit(world, edit, drag).map(|()| true)).map(drop)
    }

    /// Changes the scene by its edit history, and returns whether there was anything to change. Images are rendered
    /// again, unless they only need another exposure.
    fn change_scene(
        &mut self,
        input: Option<u64>,
        change: impl FnOnce(&mut EditHistory, &mut EditableWorld) -> Result<bool, WorldError>,
    ) -> Result<bool, String> {
        let rendered = self.history.rendered_state();
        let changed = change(&mut self.history, &mut self.opened.world).map_err(|error| error.to_string())?;
        if changed {
            self.scene_changed = true;
            if self.history.rendered_state() != rendered {
                self.renderer.invalidate(input);
            }
            self.show_exposure();
        }
        Ok(changed)
    }
}
