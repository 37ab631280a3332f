//! Saving, autosave, command lines and opening of other scenes: what keeps edits from being lost.

use std::path::Path;

use sunfleck_image::automatic_exposure;
use sunfleck_integrators::PlacedCamera;
use sunfleck_scene::{Node, Scene};

use super::Worker;
use crate::ViewerScene;
use crate::encode::Mode;
use crate::protocol::{ClientId, Moment, Pose, Reply, Settings};
use crate::scene::SceneSource;
use crate::session::command_line::{self, ShownImages, arguments, camera_argument};
use crate::session::documents::{Document, DocumentFile};
use crate::session::edit_history::EditHistory;
use crate::storage::{Asker, RecoveryDetails, ReopenedScene, SaveJob, SaveTarget, SaveTicket, StorageJob};

impl Worker {
    /// Opens another scene, which is a step that can be undone.
    pub(super) fn open(&mut self, client: ClientId, scene: ViewerScene) -> Result<(), String> {
        self.clients.check_editor(client)?;
        self.storage.send(StorageJob::Opened(scene.source.clone()));
        self.open_document(scene, EditHistory::default());
        Ok(())
    }

    /// Opens a recent or a recovered scene.
    pub(super) fn reopen(&mut self, client: ClientId, reopened: ReopenedScene) -> Result<(), String> {
        let ReopenedScene { scene, recovered } = reopened;
        let Some((path, details)) = recovered else { return self.open(client, scene) };
        self.clients.check_editor(client)?;
        self.open_document(scene, EditHistory::of_unsaved());
        self.file.saved_to = details.saved_to;
        (self.file.autosaved, self.file.known) = (Some(0), (0, true));
        self.storage.send(StorageJob::Adopt { scene: path, document: self.file.id });
        if let Ok(camera) = details.pose.camera() {
            self.view.camera = camera;
        }
        // Settings of another version may be invalid now
        details.settings.iter().for_each(|settings| drop(self.view.set(settings)));
        Ok(())
    }

    fn open_document(&mut self, opened: ViewerScene, history: EditHistory) {
        self.autosave();
        self.document_count += 1;
        let (camera, exposure) = (opened.camera.camera(self.view.aspect()), opened.exposure);
        let file = DocumentFile::new(self.document_count);
        let before = self.switch(Document { opened, history, moment: None, file, camera, exposure });
        let dropped = self.documents.push(before);
        self.forget_recovery(&dropped);
    }

    /// Undoes or redoes the opening of a scene; returns `false` if there is no other one.
    pub(super) fn undo_or_redo_opening(&mut self, redo: bool) -> bool {
        self.forget_undone_documents();
        let Some(next) = (if redo { self.documents.take_later() } else { self.documents.take_earlier() })
        else {
            return false;
        };
        self.autosave();
        let before = self.switch(next);
        match redo {
            true => self.documents.put_earlier(before, &self.history),
            false => self.documents.put_later(before, &self.history),
        }
        true
    }

    /// Shows another document, and returns the one before.
    fn switch(&mut self, next: Document) -> Document {
        let Document { opened, history, moment, file, camera, exposure } = next;
        let before = Document {
            camera: self.view.camera.clone(),
            exposure: self.view.exposure(),
            opened: std::mem::replace(&mut self.opened, opened),
            history: std::mem::replace(&mut self.history, history),
            moment: std::mem::replace(
                &mut self.moment,
                moment.map(|moment| Moment { plays: false, ..moment }),
            ),
            file: std::mem::replace(&mut self.file, file),
        };
        self.view.switch_scene(&self.opened);
        self.view.camera = camera;
        // It was valid before
        drop(self.view.set(&exposure_settings(exposure)));
        self.cut = true;
        self.edited(None);
        before
    }

    /// Drops documents that redo can no longer reach, since the current one has been edited.
    pub(super) fn forget_undone_documents(&mut self) {
        let dropped = self.documents.forget_undone(&self.history);
        self.forget_recovery(&dropped);
    }

    fn forget_recovery(&self, documents: &[u64]) {
        documents.iter().for_each(|&document| self.storage.send(StorageJob::Forget { document }));
    }

    /// Tells the storage whether there are unsaved edits, if that has changed.
    pub(super) fn report_edits(&mut self) {
        let now = (self.history.state(), self.history.is_unsaved());
        if std::mem::replace(&mut self.file.known, now) == now {
            return;
        }
        self.scene_changed = true;
        if now.1 {
            self.storage.send(StorageJob::Edited);
        } else {
            self.file.autosaved = None;
            self.problems.not_autosaved = None;
            self.forget_recovery(&[self.file.id]);
        }
    }

    /// Writes the recovery file, if there are unsaved edits that it does not have.
    pub(super) fn autosave(&mut self) {
        let state = self.history.state();
        if !self.history.is_unsaved() || self.file.autosaved == Some(state) {
            return;
        }
        self.file.autosaved = Some(state);
        let details = RecoveryDetails {
            name: self.opened.name.clone(),
            source: self.opened.source.clone(),
            saved_to: self.file.saved_to.clone(),
            pose: Pose::from(&self.view.camera),
            settings: self.settings(),
        };
        self.storage.send(StorageJob::Autosave {
            document: self.file.id,
            scene: Box::new(self.scene_with_views()),
            details: Box::new(details),
        });
    }

    /// Returns the settings of the first image, to be applied one after the other.
    fn settings(&self) -> Vec<Settings> {
        let state = self.view.state();
        let text = |text: &str| Some(text.to_string());
        let algorithm = self.view.methods().next().map(|method| method.algorithm);
        let values = algorithm.map(|algorithm| algorithm.values()).unwrap_or_default();
        let parameters = values.into_iter().map(|(parameter, value)| Settings {
            parameter: Some((parameter.name.to_string(), value)),
            ..Settings::default()
        });
        let algorithm = Settings { algorithm: text(state.first.algorithm), ..Settings::default() };
        let display = Settings {
            samples: Some(state.samples),
            scale: Some(state.scale),
            tone_curve: text(state.tone_curve),
            ..exposure_settings(self.view.exposure())
        };
        let denoise = Settings { denoise: text(state.denoise), ..Settings::default() };
        std::iter::once(algorithm).chain(parameters).chain([display, denoise]).collect()
    }

    /// Saves the scene.
    pub(super) fn save(&mut self, asker: Asker) -> Result<(), String> {
        self.clients.check_editor(asker.client)?;
        self.send_to_be_saved(asker, None);
        Ok(())
    }

    fn send_to_be_saved(&self, asker: Asker, command_line: Option<Vec<String>>) {
        let target = SaveTarget {
            name: self.opened.name.clone(),
            source: self.opened.source.clone(),
            saved_to: self.file.saved_to.clone(),
        };
        let ticket = SaveTicket { document: self.file.id, state: self.history.state(), asker, command_line };
        let job = SaveJob { scene: self.scene_with_views(), target, ticket };
        self.storage.send(StorageJob::Save(Box::new(job)));
    }

    /// Records that a scene has been saved, and answers the client that asked for it.
    pub(super) fn saved(&mut self, ticket: SaveTicket, result: Result<std::path::PathBuf, String>) {
        let SaveTicket { document, state, asker, command_line } = ticket;
        let path = match result {
            Ok(path) => path,
            Err(message) => return asker.reply(Reply::NotSaved { message }),
        };
        if document == self.file.id {
            self.history.mark_saved(state);
            self.file.saved_to = Some(path.clone());
        } else if let Some(other) = self.documents.find(document) {
            other.history.mark_saved(state);
            other.file.saved_to = Some(path.clone());
            other.file.autosaved = None;
            self.forget_recovery(&[document]);
        }
        self.storage.send(StorageJob::Opened(SceneSource::File(path.clone())));
        asker.reply(match command_line {
            Some(arguments) => Reply::CommandLine {
                line: command_line::lines(&path.to_string_lossy(), &arguments),
                file: Some(path),
            },
            None => Reply::Saved { path },
        });
    }

    /// Returns the command line of the current image. If the opened scene and the options of the command cannot
    /// reproduce it, the scene is saved with the current view first, and the client is answered later.
    pub(super) fn command_line(&mut self, asker: Asker) -> Result<Option<Reply>, String> {
        let moment = self.moment.and_then(|moment| {
            let animations = self.opened.world.scene().animations();
            Some((animations.into_iter().position(|(id, _)| id == moment.animation)?, moment.secs))
        });
        let shown = self.shown_images();
        let has_file = match &self.opened.source {
            SceneSource::BuiltIn(_) => true,
            SceneSource::File(path) => path.exists(),
            SceneSource::Upload { .. } => false,
        };
        if has_file
            && self.history.is_as_opened()
            && let Some(place) = command_line::place_in_opened(&self.opened, &self.view, moment)
        {
            let arguments = arguments(&self.opened, &self.view, &place, &shown);
            let line = command_line::lines(&self.opened.name, &arguments);
            return Ok(Some(Reply::CommandLine { line, file: None }));
        }
        self.clients.check_editor(asker.client)?;
        let camera = self.camera_in_saved_file();
        // The saved scene has the stage and the pose of the animation in it
        let place = format!(" --stage none --camera {camera}");
        let arguments = arguments(&self.opened, &self.view, &place, &shown);
        self.send_to_be_saved(asker, Some(arguments));
        Ok(None)
    }

    /// Returns the name or index that the current view will have as a camera of the saved file.
    fn camera_in_saved_file(&mut self) -> String {
        let aspect = self.view.aspect();
        let own: Vec<_> = self.opened.world.cameras().iter().map(|camera| camera.fitted(aspect)).collect();
        let known = own.iter().position(|camera| camera.is_same_view(&self.view.camera));
        let index = known.unwrap_or_else(|| {
            let taken = |name: &str| own.iter().any(|camera| camera.name == name);
            own.len() + self.file.add_view(&self.view.camera, taken)
        });
        let cameras: Vec<PlacedCamera> = own.into_iter().chain(self.file.views.iter().cloned()).collect();
        camera_argument(index, &cameras)
    }

    fn shown_images(&self) -> ShownImages {
        let Some(frame) = &self.displayed else { return ShownImages::default() };
        let is_automatic = self.view.exposure().is_none();
        let exposure =
            frame.pictures.first().filter(|_| is_automatic).map(|picture| automatic_exposure(picture));
        let samples = match frame.header.mode {
            Mode::Rest => [frame.header.first.samples, frame.header.second.as_ref().map_or(0, |p| p.samples)],
            Mode::Moving => [0; 2],
        };
        ShownImages { exposure, samples }
    }

    /// Returns the scene, with a camera for each view of a copied command line.
    fn scene_with_views(&self) -> Scene {
        let mut scene = self.opened.world.scene().clone();
        for view in &self.file.views {
            // Valid views are never refused
            if let Ok(id) = scene.add_camera(view.camera.clone()) {
                let node = Node::new(&*view.name).at(view.world_from_view).with_camera(id);
                drop(scene.add_node(node));
            }
        }
        scene
    }

    /// Returns the name of the scene without extension, for file names.
    pub(super) fn name(&self) -> String {
        let name = Path::new(&self.opened.name).file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

fn exposure_settings(stops: Option<f32>) -> Settings {
    Settings { auto_exposure: Some(stops.is_none()), exposure: stops, ..Settings::default() }
}
