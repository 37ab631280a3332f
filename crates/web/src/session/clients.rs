use std::collections::BTreeSet;

use crate::protocol::ClientId;

/// Who looks on, and which of them edits.
#[derive(Debug, Default)]
pub(super) struct Clients {
    here: BTreeSet<ClientId>,
    editor: Option<ClientId>,
}

impl Clients {
    /// The first one edits until another takes over.
    pub(super) fn join(&mut self, client: ClientId) {
        self.here.insert(client);
        self.editor.get_or_insert(client);
    }

    /// Who has been there longest takes over from an editor who leaves.
    pub(super) fn leave(&mut self, client: ClientId) {
        self.here.remove(&client);
        if self.editor == Some(client) {
            self.editor = self.here.first().copied();
        }
    }

    /// Takes over, or hands over to who has been there longest.
    pub(super) fn control(&mut self, client: ClientId, take: bool) {
        if take && self.here.contains(&client) {
            self.editor = Some(client);
        } else if !take && self.editor == Some(client) {
            self.editor = self.here.iter().copied().find(|other| *other != client);
        }
    }

    pub(super) fn editor(&self) -> Option<ClientId> {
        self.editor
    }

    pub(super) fn count(&self) -> usize {
        self.here.len()
    }

    /// Refuses who does not edit.
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
        assert_eq!(clients.editor(), Some(3), "a client that is not there cannot take over");
        clients.leave(3);
        assert_eq!(clients.editor(), Some(1), "the oldest takes over");
        clients.control(1, false);
        assert_eq!(clients.editor(), Some(2));
        clients.leave(1);
        clients.leave(2);
        assert_eq!((clients.editor(), clients.count()), (None, 0));
    }
}
