//! Exposure: it belongs to the scene and is saved with it, while the view has what images are displayed with.

use sunfleck_scene::SceneEdit;

use super::Worker;
use crate::session::edit_history::DragId;

impl Worker {
    /// Sets the exposure of the scene to that of the view as an undo step, if they differ.
    ///
    /// * `drag` — as of edits.
    pub(super) fn keep_exposure(&mut self, drag: Option<DragId>) -> Result<(), String> {
        let stops = self.view.exposure();
        match stops == self.opened.world.scene().exposure_stops() {
            true => Ok(()),
            false => self.edit(SceneEdit::Exposure { stops }, drag, None),
        }
    }

    /// Displays the images with the exposure of the scene, after an edit.
    pub(super) fn show_exposure(&mut self) {
        if self.view.set_exposure(self.opened.world.scene().exposure_stops()) {
            self.display_again();
        }
    }
}
