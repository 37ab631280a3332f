//! Opening of scenes, and undo and redo of that.

use super::Worker;
use crate::ViewerScene;
use crate::protocol::{ClientId, Moment};
use crate::session::documents::{Document, DocumentFile};
use crate::session::edit_history::EditHistory;
use crate::storage::{ReopenedScene, StorageJob};

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
        if self.recovered.contains(&path) {
            return Err("these edits have been recovered already".into());
        }
        self.recovered.push(path.clone());
        self.open_document(scene, EditHistory::of_unsaved());
        self.file.saved_to = details.saved_to;
        (self.file.autosaved, self.file.known) = (Some(0), (0, true));
        self.storage.send(StorageJob::Adopt { scene: path, document: self.file.id });
        if let Ok(camera) = details.pose.camera() {
            self.set_camera(camera);
        }
        // Settings of another version may be invalid now
        details.settings.iter().for_each(|settings| drop(self.view.set(settings)));
        // Scenes that older versions have kept do not have it
        self.keep_exposure(None)
    }

    fn open_document(&mut self, opened: ViewerScene, history: EditHistory) {
        self.autosave();
        self.document_count += 1;
        let camera = opened.camera.camera(self.view.aspect());
        let file = DocumentFile::new(self.document_count);
        let before = self.switch(Document { opened, history, moment: None, file, camera });
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
        let Document { opened, history, moment, file, camera } = next;
        let before = Document {
            camera: self.view.given_camera().clone(),
            opened: std::mem::replace(&mut self.opened, opened),
            history: std::mem::replace(&mut self.history, history),
            moment: std::mem::replace(
                &mut self.moment,
                moment.map(|moment| Moment { plays: false, ..moment }),
            ),
            file: std::mem::replace(&mut self.file, file),
        };
        self.view.switch_scene(&self.opened);
        self.set_camera(camera);
        (self.cut, self.scene_changed) = (true, true);
        self.renderer.invalidate(None);
        before
    }

    /// Drops documents that redo can no longer reach, since the current one has been edited.
    pub(super) fn forget_undone_documents(&mut self) {
        let dropped = self.documents.forget_undone(&self.history);
        self.forget_recovery(&dropped);
    }
}
