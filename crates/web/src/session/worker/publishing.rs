//! What the session sends to its clients: images, and the messages `view` and `scene`.

use axum::extract::ws::Utf8Bytes;

use super::Worker;
use crate::encode::{DisplayFrame, DisplaySettings};
use crate::protocol::ViewState;
use crate::session::event::{NoSnapshot, Snapshot};
use crate::session::scene_message::scene_message;

impl Worker {
    /// Displays images.
    pub(super) fn display(&mut self, frame: DisplayFrame) {
        self.displayed = Some(frame.clone());
        self.outputs.encoder.encode(frame);
    }

    /// Displays the newest images again with another exposure or tone curve.
    pub(super) fn display_again(&mut self) {
        if let Some(mut frame) = self.displayed.clone() {
            frame.display =
                DisplaySettings { is_channel: frame.display.is_channel, cut: true, ..self.view.display() };
            let mut methods = self.view.methods();
            frame.header.frame = self.renderer.next_frame_number();
            for (progress, method) in
                std::iter::once(&mut frame.header.first).chain(&mut frame.header.second).zip(&mut methods)
            {
                progress.target = self.view.target(&method);
            }
            self.display(frame);
        }
    }

    /// Returns the current image, to be saved.
    ///
    /// * `side` — 1 for the second image.
    pub(super) fn snapshot(&self, side: usize) -> Result<Snapshot, NoSnapshot> {
        if side >= self.view.methods().count() {
            return Err(NoSnapshot::NotCompared);
        }
        let frame = self.displayed.as_ref().ok_or(NoSnapshot::NotRendered)?;
        let shown = self.renderer.shown().ok_or(NoSnapshot::NotRendered)?;
        let DisplaySettings { is_channel, .. } = frame.display;
        Ok(Snapshot {
            name: self.name(),
            picture: frame.pictures.get(side).ok_or(NoSnapshot::NotRendered)?.clone(),
            display: frame.display,
            is_channel: is_channel.get(side).copied().unwrap_or_default(),
            canvas: shown.canvas.clone(),
            channel: shown.channel,
        })
    }

    /// Sends the message `view`, if it has changed.
    pub(super) fn publish_view(&self) {
        let state = ViewState {
            change: self.renderer.change(),
            moment: self.moment,
            editor: self.clients.editor(),
            clients: self.clients.count(),
            problem: self.problems.message(),
            ..self.view.state()
        };
        // Serialisation of numbers and strings cannot fail
        let text: Utf8Bytes = serde_json::to_string(&state).unwrap_or_default().into();
        self.outputs.views.send_if_modified(|sent| {
            let changed = *sent != text;
            if changed {
                *sent = text;
            }
            changed
        });
    }

    /// Sends the message `scene`, if the scene has changed.
    pub(super) fn publish_scene(&mut self) {
        let steps = self.documents.steps(&self.history);
        // An edit that fails may have ended the steps to redo, and an undo that fails has taken its step back
        let steps_changed = std::mem::replace(&mut self.published_steps, steps) != steps;
        if std::mem::take(&mut self.scene_changed) || steps_changed {
            let message = scene_message(&self.opened, self.file.id, &self.history, steps, self.view.aspect());
            self.outputs.scenes.send_replace(message);
        }
    }
}
