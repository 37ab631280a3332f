use crate::{EditError, Scene, SceneEdit};

/// The edits of a scene in order, for undo, redo and replay.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    done: Vec<Entry>,
    undone: Vec<SceneEdit>,
}

#[derive(Clone, Debug)]
struct Entry {
    edit: SceneEdit,
    inverse: SceneEdit,
}

impl Journal {
    /// Applies an edit and remembers it; what was undone before can no longer be redone.
    /// Errors: as [`Scene::apply`], and nothing is remembered.
    pub fn apply(&mut self, scene: &mut Scene, edit: SceneEdit) -> Result<(), EditError> {
        self.redo_as(scene, edit)?;
        self.undone.clear();
        Ok(())
    }

    /// Takes the last edit back; `false` if there is none.
    /// Errors: as [`Scene::apply`], if the scene was changed past the journal.
    pub fn undo(&mut self, scene: &mut Scene) -> Result<bool, EditError> {
        let Some(entry) = self.done.last() else { return Ok(false) };
        scene.apply(entry.inverse.clone())?;
        self.undone.extend(self.done.pop().map(|entry| entry.edit));
        Ok(true)
    }

    /// Applies the last undone edit again; `false` if there is none. Errors: as [`Journal::undo`].
    pub fn redo(&mut self, scene: &mut Scene) -> Result<bool, EditError> {
        let Some(edit) = self.undone.last().cloned() else { return Ok(false) };
        self.redo_as(scene, edit)?;
        self.undone.pop();
        Ok(true)
    }

    /// The edits in effect, oldest first: replayed on the scene that the journal began with, they give the same scene.
    pub fn edits(&self) -> impl ExactSizeIterator<Item = &SceneEdit> {
        self.done.iter().map(|entry| &entry.edit)
    }

    fn redo_as(&mut self, scene: &mut Scene, edit: SceneEdit) -> Result<(), EditError> {
        let inverse = scene.apply(edit.clone())?;
        self.done.push(Entry { edit, inverse });
        Ok(())
    }
}
