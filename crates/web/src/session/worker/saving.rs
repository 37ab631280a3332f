//! Saving of scenes, and command lines, for which scenes are saved, too.

use std::path::{Path, PathBuf};

use sunfleck_engine::RenderedBy;
use sunfleck_image::automatic_exposure;
use sunfleck_integrators::PlacedCamera;
use sunfleck_scene::{Node, Scene};

use super::Worker;
use crate::encode::Mode;
use crate::protocol::Reply;
use crate::scene::{SceneFile, SceneSource};
use crate::session::command_line::{self, ShownImages, arguments, camera_argument};
use crate::session::documents::{CopiedFile, SceneMoment};
use crate::storage::{Asker, SaveAnswer, SaveJob, SaveKind, SaveTarget, SaveTicket, StorageJob};

impl Worker {
    /// Saves the scene.
    ///
    /// * `number` — number of the request, which the answer has, too.
    pub(super) fn save(&mut self, asker: Asker, number: Option<u64>) -> Result<(), String> {
        self.clients.check_editor(asker.client)?;
        let saved_to = self.file.saved_to.clone();
        let answer = SaveAnswer::Saved { number };
        let scene = self.opened.world.scene().clone();
        self.send_to_be_saved(asker, scene, SaveKind::Document, saved_to, answer);
        Ok(())
    }

    fn send_to_be_saved(
        &self,
        asker: Asker,
        scene: Scene,
        kind: SaveKind,
        saved_to: Option<PathBuf>,
        answer: SaveAnswer,
    ) {
        let (name, source) = (self.opened.name.clone(), self.opened.source.clone());
        let target = SaveTarget { name, source, kind, saved_to };
        let ticket = SaveTicket { document: self.file.id, state: self.history.state(), asker, answer };
        self.storage.send(StorageJob::Save(Box::new(SaveJob { scene, target, ticket })));
    }

    /// Returns the scene with a camera for each view of its copied command lines. Its exposure is that of the opened
    /// scene, so that all of them stay valid: they name another one.
    fn scene_with_views(&self) -> Scene {
        let mut scene = self.opened.world.scene().clone();
        // It was valid before
        drop(scene.set_exposure(self.opened.exposure));
        for view in &self.file.copied.views {
            // Valid views are never refused
            if let Ok(id) = scene.add_camera(view.camera.clone()) {
                let node = Node::new(&*view.name).at(view.world_from_view).with_camera(id);
                drop(scene.add_node(node));
            }
        }
        scene
    }

    /// Returns what the scene is now, as far as files of command lines differ by it.
    fn scene_moment(&self) -> SceneMoment {
        (self.history.rendered_state(), self.moment.map(|moment| (moment.animation, moment.secs)))
    }

    /// Records that a scene has been saved, and answers the client that asked for it.
    pub(super) fn saved(&mut self, ticket: SaveTicket, result: Result<PathBuf, String>) {
        let SaveTicket { document, state, asker, answer } = ticket;
        let path = match result {
            Ok(path) => path,
            Err(message) => {
                return asker.reply(match answer {
                    SaveAnswer::CommandLine { number, .. } => Reply::NoCommandLine { number, message },
                    SaveAnswer::Saved { number } => Reply::NotSaved { number, message },
                });
            }
        };
        let number = match answer {
            SaveAnswer::Saved { number } => number,
            SaveAnswer::CommandLine { number, of, arguments } => {
                self.copied(document, of, &path);
                let file = path.to_string_lossy().into_owned();
                let line = command_line::lines(&file, &arguments);
                return asker.reply(Reply::CommandLine { number, line, file: Some(file) });
            }
        };
        if document == self.file.id {
            self.history.mark_saved(state);
            self.file.saved_to = Some(path.clone());
        } else if let Some(other) = self.documents.find(document) {
            other.history.mark_saved(state);
            other.file.saved_to = Some(path.clone());
            if !other.history.is_unsaved() {
                other.file.autosaved = None;
                self.forget_recovery(&[document]);
            }
        }
        // From now on, the file is not that from which a scene was opened
        if self.opened.source.path() == Some(path.as_path()) {
            self.history.opened_file_changed();
        }
        for other in self.documents.all().filter(|other| other.opened.source.path() == Some(path.as_path())) {
            other.history.opened_file_changed();
        }
        // Scenes are saved with their y axis up, and with all that they need
        self.storage.send(StorageJob::Opened(SceneSource::File(SceneFile::new(&path))));
        let path = path.to_string_lossy().into_owned();
        asker.reply(Reply::Saved { number, path });
    }

    /// Records that the file of a command line has been written. The scene is not saved by it: its own file may be
    /// written later, with other edits.
    fn copied(&mut self, document: u64, of: SceneMoment, path: &Path) {
        if let Some(file) = self.file_of(document).filter(|file| file.copied.of == of) {
            file.copied.path = Some(path.to_owned());
        }
    }

    /// Returns the command line of the current image. If the opened scene and the options of the command cannot
    /// reproduce it, the scene is saved with the current view first, and the client is answered later.
    ///
    /// * `number` — as of [`Self::save`].
    pub(super) fn command_line(
        &mut self,
        asker: Asker,
        number: Option<u64>,
    ) -> Result<Option<Reply>, String> {
        let moment = self.moment.and_then(|moment| {
            let animations = self.opened.world.scene().animations();
            Some((animations.into_iter().position(|(id, _)| id == moment.animation)?, moment.secs))
        });
        let shown = self.shown_images();
        let has_file = match &self.opened.source {
            SceneSource::BuiltIn(_) => true,
            SceneSource::File(file) => file.path.exists(),
            SceneSource::Upload { .. } => false,
        };
        if has_file
            && self.history.is_as_opened()
            && let Some(place) = command_line::place_in_opened(&self.opened, &self.view, moment)
        {
            let arguments = arguments(&self.opened, &self.view, &place, &shown);
            let line = command_line::lines(&self.opened.name, &arguments);
            return Ok(Some(Reply::CommandLine { number, line, file: None }));
        }
        self.clients.check_editor(asker.client)?;
        let now = self.scene_moment();
        if self.file.copied.of != now {
            self.file.copied = CopiedFile { of: now, ..CopiedFile::default() };
        }
        let camera = self.camera_in_copied_file();
        // The saved scene has the stage and the pose of the animation in it
        let place = format!(" --stage none --camera {camera}");
        let arguments = arguments(&self.opened, &self.view, &place, &shown);
        let path = self.file.copied.path.clone();
        let answer = SaveAnswer::CommandLine { number, of: now, arguments };
        self.send_to_be_saved(asker, self.scene_with_views(), SaveKind::Copy, path, answer);
        Ok(None)
    }

    /// Returns the name or index that the current view will have as a camera of the file.
    fn camera_in_copied_file(&mut self) -> String {
        let aspect = self.view.aspect();
        let own: Vec<_> = self.opened.world.cameras().iter().map(|camera| camera.fitted(aspect)).collect();
        let known = own.iter().position(|camera| camera.is_same_view(&self.view.camera));
        let index = known.unwrap_or_else(|| {
            let taken = |name: &str| own.iter().any(|camera| camera.name == name);
            own.len() + self.file.copied.add_view(&self.view.camera, taken)
        });
        let cameras: Vec<PlacedCamera> =
            own.into_iter().chain(self.file.copied.views.iter().cloned()).collect();
        camera_argument(index, &cameras)
    }

    fn shown_images(&self) -> ShownImages {
        let Some(frame) = &self.displayed else { return ShownImages::default() };
        let is_automatic = self.view.exposure().is_none();
        let exposure =
            frame.pictures.first().filter(|_| is_automatic).map(|picture| automatic_exposure(picture));
        let samples = match frame.header.mode {
            Mode::Rest => [frame.header.first.samples, frame.header.second.as_ref().map_or(0, |p| p.samples)],
            Mode::Moving | Mode::Settling => [0; 2],
        };
        let device = match &*frame.header.by {
            by if by.starts_with(RenderedBy::PROCESSOR.name) => None,
            by if by.ends_with(RenderedBy::PROCESSOR.name) => Some("shared"),
            _ => Some("auto"),
        };
        ShownImages { exposure, samples, device }
    }

    /// Returns the name of the scene without extension, for file names.
    pub(super) fn name(&self) -> String {
        let name = Path::new(&self.opened.name).file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}
