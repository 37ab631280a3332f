//! Connected clients and the one that may edit.

use std::collections::BTreeSet;

use crate::protocol::ClientId;

/// Connected clients and their editor.
#[derive(Debug, Default)]
pub(super) struct Clients {
    connected: BTreeSet<ClientId>,
    editor: Option<ClientId>,
}

impl Clients {
    /// Adds a client; the first one becomes the editor.
    pub(super) fn join(&mut self, client: ClientId) {
        self.connected.insert(client);
        self.editor.get_or_insert(client);
    }

    /// Removes a client; if it was the editor, the client that has been connected longest takes over.
    pub(super) fn leave(&mut self, client: ClientId) {
        self.connected.remove(&client);
        if self.editor == Some(client) {
            self.editor = self.connected.first().copied();
        }
    }

    /// Makes a client the editor, or hands its role over to the client that has been connected longest.
    pub(super) fn control(&mut self, client: ClientId, take: bool) {
        if take && self.connected.contains(&client) {
            self.editor = Some(client);
        } else if !take && self.editor == Some(client) {
            self.editor = self.connected.iter().copied().find(|other| *other != client);
        }
    }

    pub(super) fn editor(&self) -> Option<ClientId> {
        self.editor
    }

    pub(super) fn count(&self) -> usize {
        self.connected.len()
    }

    /// Checks that a client is the editor.
    ///
    /// # Errors
    /// A message for the user: another client is.
    pub(super) fn check_editor(&self, client: ClientId) -> Result<(), String> {
        match self.editor == Some(client) {
            true => Ok(()),
            false => Err("another browser is editing: take over first".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edits_at_a_time() {
        let mut clients = Clients::default();
        (1..=3).for_each(|client| clients.join(client));
        assert_eq!(clients.editor(), Some(1));
        assert!(clients.check_editor(2).is_err() && clients.check_editor(1).is_ok());
        clients.control(3, true);
        assert_eq!(clients.editor(), Some(3));
        clients.control(7, true);
        assert_eq!(clients.editor(), Some(3), "a client that is not connected cannot take over");
        clients.leave(3);
        assert_eq!(clients.editor(), Some(1), "the oldest takes over");
        clients.control(1, false);
        assert_eq!(clients.editor(), Some(2));
        clients.leave(1);
        clients.leave(2);
        assert_eq!((clients.editor(), clients.count()), (None, 0));
    }
}
