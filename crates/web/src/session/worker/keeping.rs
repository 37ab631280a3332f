//! Autosave: unsaved edits are kept for the case of a crash.

use super::Worker;
use crate::protocol::{Pose, Settings};
use crate::session::documents::DocumentFile;
use crate::storage::{RecoveryDetails, StorageJob};

impl Worker {
    /// Deletes recovery files of documents that are saved, and their problems.
    pub(super) fn forget_recovery(&mut self, documents: &[u64]) {
        for &document in documents {
            self.problems.autosaved(document);
            self.storage.send(StorageJob::Forget { document });
        }
    }

    /// Removes the problems of documents that neither undo nor redo can reach.
    pub(super) fn forget_unreachable(&mut self) {
        let Self { problems, documents, file, .. } = self;
        problems.forget_documents(|id| id != file.id && documents.find(id).is_none());
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
            pose: Pose::from(self.view.given_camera()),
            settings: self.settings(),
        };
        self.storage.send(StorageJob::Autosave {
            document: self.file.id,
            state,
            scene: Box::new(self.opened.world.scene().clone()),
            details: Box::new(details),
        });
    }

    /// Records that a recovery file has been written, or why not. Then it is tried again: soon if the document is shown,
    /// else when it is shown the next time.
    pub(super) fn autosaved(&mut self, document: u64, state: u64, error: Option<String>) {
        let Some(error) = error else { return self.problems.autosaved(document) };
        self.problems.not_autosaved(document, error);
        let is_shown = document == self.file.id;
        if let Some(file) = self.file_of(document).filter(|file| file.autosaved == Some(state)) {
            file.autosaved = None;
            match is_shown {
                true => self.storage.send(StorageJob::Edited),
                // Once it is shown, its edits are new to the storage
                false => file.known.1 = false,
            }
        }
    }

    /// Returns the files of a document, if it is still open or can be reached by undo or redo.
    pub(super) fn file_of(&mut self, document: u64) -> Option<&mut DocumentFile> {
        match document == self.file.id {
            true => Some(&mut self.file),
            false => self.documents.find(document).map(|document| &mut document.file),
        }
    }

    /// Returns the settings of the first image, to be applied one after the other. The scene has the exposure.
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
            ..Settings::default()
        };
        let denoise = Settings { denoise: text(state.denoise), ..Settings::default() };
        std::iter::once(algorithm).chain(parameters).chain([display, denoise]).collect()
    }
}
