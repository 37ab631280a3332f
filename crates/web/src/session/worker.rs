//! The thread of a session: handles events and publishes updates.

mod additions;
mod keeping;
mod opening;
mod picking;
mod publishing;
mod saving;
mod viewpoints;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use fearless_simd::Level;
use sunfleck_engine::{Stage, set_stage};
use sunfleck_integrators::PlacedCamera;
use sunfleck_math::Vec3;
use sunfleck_scene::{AnimationId, Environment, SceneEdit, Texture};
use tokio::sync::{mpsc, watch};

use super::clients::Clients;
use super::denoise_setting::DenoiseSetting;
use super::documents::{DocumentFile, Documents};
use super::edit_history::EditHistory;
use super::event::Event;
use super::problems::Problems;
use super::renderer::{FrameOutcome, Renderer};
use super::silhouette::silhouette;
use super::view::{Effect, View};
use crate::ViewerScene;
use crate::encode::{DisplayFrame, DisplaySettings, Encoder};
use crate::protocol::{ClientId, Moment, Reply, Request};
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

    /// Handles a request and returns the reply, if there is one.
    fn handle_request(&mut self, asker: &Asker, request: Request) -> Result<Option<Reply>, String> {
        let client = asker.client;
        match request {
            // Handled by the connection
            Request::Shown { .. } => {}
            Request::Pick { x, y, pose } => {
                return Ok(Some(Reply::Picked { picked: self.pick(x, y, pose)? }));
            }
            Request::Silhouette { node, pose } => {
                let camera = pose.camera().map_err(|error| error.to_string())?;
                let world = &self.opened.world;
                let size = self.view.pixels();
                let silhouette = silhouette(world.scene(), world.committed(), &camera, node, size);
                return Ok(Some(Reply::Silhouette { silhouette }));
            }
            Request::FreeSpace { pose, x, y } => return Ok(Some(self.free_space(pose, [x, y])?)),
            Request::Focus { nodes, sphere, wanted } => {
                return Ok(Some(self.focus(&nodes, sphere, wanted)?));
            }
            Request::CommandLine => return self.command_line(asker.clone()),
            Request::Save => self.save(asker.clone())?,
            Request::Recent { number } => {
                self.clients.check_editor(client)?;
                self.storage.send(StorageJob::OpenRecent { number, asker: asker.clone() });
            }
            Request::Recover { number, discard } => {
                self.clients.check_editor(client)?;
                self.storage.send(match discard {
                    true => StorageJob::Discard { number },
                    false => StorageJob::Recover { number, asker: asker.clone() },
                });
            }
            Request::Control { take } => self.clients.control(client, take),
            request => {
                self.clients.check_editor(client)?;
                self.change(client, request)?;
                self.problems.request_crashed = false;
            }
        }
        Ok(None)
    }

    /// Handles a request that only the editor may make.
    fn change(&mut self, client: ClientId, request: Request) -> Result<(), String> {
        match request {
            Request::Camera { pose, input } => {
                let camera = pose.camera().map_err(|error| error.to_string())?;
                if !camera.is_same_view(&self.view.camera) {
                    self.view.camera = camera;
                    self.renderer.invalidate(input);
                }
            }
            Request::Reset { input } => {
                self.view.reset_camera();
                self.renderer.invalidate(input);
            }
            Request::Set { settings } => {
                let aspect = self.view.aspect();
                let effect = self.view.set(&settings)?;
                if self.view.denoise.is_on() {
                    self.problems.not_denoised = None;
                }
                match effect {
                    Effect::Render => self.renderer.invalidate(None),
                    Effect::Denoise => {
                        let outcome = self.renderer.denoiser_changed(&self.view);
                        self.show(outcome);
                        self.display_again();
                    }
                    Effect::Display => self.display_again(),
                }
                // The cameras in the message are fitted to the aspect ratio
                let fits = |placed: &PlacedCamera| placed.camera.aspect_ratio.is_some();
                self.scene_changed |=
                    self.view.aspect() != aspect && self.opened.world.cameras().iter().any(fits);
            }
            Request::Edit { edit, drag, input } => {
                let drag = drag.map(|drag| (client, drag));
                let edited = self.history.edit(&mut self.opened.world, *edit, drag);
                edited.map_err(|error| error.to_string())?;
                self.edited(input);
            }
            Request::Stage { name } => {
                let stage = name.map(|name| name.parse::<Stage>()).transpose().map_err(|e| e.to_string())?;
                let ViewerScene { world, camera, .. } = &mut self.opened;
                let edit = set_stage(stage, world, camera, &self.view.camera, Level::new());
                self.history.edit(world, edit, None).map_err(|error| error.to_string())?;
                self.edited(None);
            }
            Request::Drop { nodes, input } => self.drop_on_surface(&nodes, input)?,
            Request::Remove { nodes, input } => {
                let removal = self.opened.world.scene().removal(&nodes);
                let edited = self.history.edit(&mut self.opened.world, removal, None);
                edited.map_err(|error| error.to_string())?;
                self.edited(input);
            }
            Request::Moment { animation, secs, plays, input } => {
                self.set_time(animation, secs, plays, input)?;
            }
            Request::Undo | Request::Redo => {
                let world = &mut self.opened.world;
                let (changed, nothing) = match request {
                    Request::Undo => (self.history.undo(world), "there is nothing to undo"),
                    _ => (self.history.redo(world), "there is nothing to redo"),
                };
                if changed.map_err(|error| error.to_string())? {
                    self.edited(None);
                } else if !self.undo_or_redo_opening(matches!(request, Request::Redo)) {
                    return Err(nothing.into());
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Records that the scene has been edited.
    fn edited(&mut self, input: Option<u64>) {
        self.scene_changed = true;
        self.renderer.invalidate(input);
    }

    /// Sets the time of an animation, or the rest pose.
    fn set_time(
        &mut self,
        animation: AnimationId,
        secs: Option<f32>,
        plays: bool,
        input: Option<u64>,
    ) -> Result<(), String> {
        if secs.is_some_and(|secs| !secs.is_finite()) {
            return Err("the time of an animation must be finite".into());
        }
        let world = &mut self.opened.world;
        let posed = match secs {
            Some(secs) => world.pose(animation, secs),
            None => world.rest(animation),
        };
        posed.map_err(|error| error.to_string())?;
        world.commit().map_err(|error| error.to_string())?;
        self.moment = secs.map(|secs| Moment { animation, secs, plays });
        self.renderer.invalidate(input);
        // While the animation plays, the scene is not sent
        self.scene_changed |= !plays;
        Ok(())
    }

    /// Sets the environment map as an undo step. The texture stays in the scene after an undo, for redo.
    fn set_environment(&mut self, client: ClientId, map: Texture) -> Result<(), String> {
        self.clients.check_editor(client)?;
        let id = self.opened.world.scene().next_texture_id();
        let environment = Environment::Map { texture: id, rotation_y_radians: 0.0, scale: Vec3::ONE };
        let both = vec![
            SceneEdit::Texture { id, texture: Some(Arc::new(map)) },
            SceneEdit::Environment { environment },
        ];
        let edited = self.history.edit(&mut self.opened.world, SceneEdit::Batch(both), None);
        edited.map_err(|error| error.to_string())?;
        self.edited(None);
        Ok(())
    }
}
