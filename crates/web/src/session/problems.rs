//! Problems that pages show. Each is removed when its cause is gone.

use std::collections::BTreeMap;

/// Shown after a panic of the renderer.
const RENDERER_CRASHED: &str = "the renderer crashed, which is a bug in Sunfleck: change the view, the scene or the algorithm to continue";
/// Shown after a panic while handling a request.
const REQUEST_CRASHED: &str = "a request crashed, which is a bug in Sunfleck: undoing the last step may help";

/// Problems of a session, each until its cause is gone.
#[derive(Debug, Default)]
pub(super) struct Problems {
    /// Whether the renderer has crashed; until the next image.
    pub(super) renderer_crashed: bool,
    /// Whether a request has crashed; until a later one succeeds.
    pub(super) request_crashed: bool,
    /// Why denoising was switched off; until it is switched on.
    pub(super) not_denoised: Option<String>,
    /// Why the unsaved edits of documents could not be kept, by their numbers; until they are.
    not_autosaved: BTreeMap<u64, String>,
}

impl Problems {
    /// Records that the edits of a document are kept, or saved.
    pub(super) fn autosaved(&mut self, document: u64) {
        self.not_autosaved.remove(&document);
    }

    /// Records why the edits of a document could not be kept.
    pub(super) fn not_autosaved(&mut self, document: u64, error: String) {
        self.not_autosaved.insert(document, error);
    }

    /// Removes the problems of documents that are gone.
    pub(super) fn forget_documents(&mut self, mut is_gone: impl FnMut(u64) -> bool) {
        self.not_autosaved.retain(|&document, _| !is_gone(document));
    }

    /// Returns the most serious one as a sentence.
    pub(super) fn message(&self) -> Option<String> {
        if self.renderer_crashed {
            Some(RENDERER_CRASHED.into())
        } else if self.request_crashed {
            Some(REQUEST_CRASHED.into())
        } else if let Some(error) = self.not_autosaved.values().next() {
            Some(format!("unsaved edits would be lost in a crash, since they cannot be written: {error}"))
        } else {
            self.not_denoised.as_ref().map(|error| format!("denoising is now off: {error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_document_has_its_own_problem() {
        let mut problems = Problems::default();
        for (document, error) in [(3, "the disk is full"), (5, "it is read-only"), (8, "the disk is full")] {
            problems.not_autosaved(document, error.into());
        }
        let ends_with = |problems: &Problems, error: &str| problems.message().unwrap().ends_with(error);
        problems.autosaved(3);
        assert!(ends_with(&problems, "it is read-only"), "others still fail");
        problems.forget_documents(|document| document == 5);
        assert!(ends_with(&problems, "the disk is full"));
        problems.autosaved(8);
        assert_eq!(problems.message(), None);
    }
}
