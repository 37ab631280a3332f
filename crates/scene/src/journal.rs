use crate::{EditError, Scene, SceneEdit};

/// History of the edits of a scene, for undo, redo and replay.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    done: Vec<Entry>,
    undone: Vec<SceneEdit>,
}

/// Applied edit with its inverse.
#[derive(Clone, Debug)]
struct Entry {
    edit: SceneEdit,
    inverse: SceneEdit,
}

impl Journal {
    /// Applies an edit and records it; edits that have been undone can no longer be redone. Errors: as
    /// [`Scene::apply`]; the journal is then unchanged.
    pub fn apply(&mut self, scene: &mut Scene, edit: SceneEdit) -> Result<(), EditError> {
        self.apply_and_record(scene, edit)?;
        self.undone.clear();
        Ok(())
    }

    /// Undoes the last edit; returns `false` if there is none. Errors: as [`Scene::apply`], if the scene was changed
    /// without the journal.
    pub fn undo(&mut self, scene: &mut Scene) -> Result<bool, EditError> {
        let Some(entry) = self.done.last() else { return Ok(false) };
        scene.apply(entry.inverse.clone())?;
        self.undone.extend(self.done.pop().map(|entry| entry.edit));
        Ok(true)
    }

    /// Applies the last undone edit again; returns `false` if there is none. Errors: as [`Journal::undo`].
    pub fn redo(&mut self, scene: &mut Scene) -> Result<bool, EditError> {
        let Some(edit) = self.undone.last().cloned() else { return Ok(false) };
        self.apply_and_record(scene, edit)?;
        self.undone.pop();
        Ok(true)
    }

    /// Returns the edits in effect, oldest first. Applied to the initial scene of the journal, they yield the current
    /// scene.
    pub fn edits(&self) -> impl ExactSizeIterator<Item = &SceneEdit> {
        self.done.iter().map(|entry| &entry.edit)
    }

    /// Returns everything that is kept, in no particular order: the edits in effect, their inverses, and undone edits.
    pub fn recorded(&self) -> impl Iterator<Item = &SceneEdit> {
        self.done.iter().flat_map(|Entry { edit, inverse }| [edit, inverse]).chain(&self.undone)
    }

    fn apply_and_record(&mut self, scene: &mut Scene, edit: SceneEdit) -> Result<(), EditError> {
        let inverse = scene.apply(edit.clone())?;
        self.done.push(Entry { edit, inverse });
        Ok(())
    }
}
