//! Problems that pages show. Each is removed when its cause is gone.

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
    /// Number of a document whose unsaved edits could not be kept, and why; until they are.
    pub(super) not_autosaved: Option<(u64, String)>,
}

impl Problems {
    /// Records that the edits of a document are kept, or saved.
    pub(super) fn autosaved(&mut self, document: u64) {
        self.not_autosaved.take_if(|(other, _)| *other == document);
    }

    /// Returns the most serious one as a sentence.
    pub(super) fn message(&self) -> Option<String> {
        if self.renderer_crashed {
            Some(RENDERER_CRASHED.into())
        } else if self.request_crashed {
            Some(REQUEST_CRASHED.into())
        } else if let Some((_, error)) = &self.not_autosaved {
            Some(format!("unsaved edits would be lost in a crash, since they cannot be written: {error}"))
        } else {
            self.not_denoised.as_ref().map(|error| format!("denoising is now off: {error}"))
        }
    }
}
