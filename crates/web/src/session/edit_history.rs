//! Edits with undo and redo.

use sunfleck_engine::{EditableWorld, WorldError};
use sunfleck_scene::SceneEdit;

use crate::protocol::ClientId;

/// Steps that can be undone and redone, and which of the states between them is saved. The edits of one drag are a
/// single step.
#[derive(Debug, Default)]
pub(super) struct EditHistory {
    /// Steps that can be undone, oldest first.
    done: Vec<Step>,
    /// Steps that can be redone, the last one first.
    undone: Vec<Step>,
    /// Number of edits so far; the state after an edit has this number.
    edits: u64,
    saved: SavedState,
    /// Whether the first state is not that of the file which was opened: it is that of a recovery file, or the file has
    /// been overwritten.
    differs_from_file: bool,
    /// Notes on steps for the user, by the states after them.
    notes: Vec<(u64, Vec<String>)>,
    /// Drag that made the last step, if it was one.
    drag: Option<Drag>,
}

/// Step that can be undone or redone.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// State after the step.
    state: u64,
    /// Newest state up to that one after an edit of more than the exposure.
    rendered: u64,
}

/// Number of a drag, with the client that chose it.
pub(super) type DragId = (ClientId, u64);

/// Drag whose edits replace each other.
#[derive(Debug)]
struct Drag {
    id: DragId,
    /// Newest edit.
    edit: SceneEdit,
}

/// State whose scene is in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SavedState {
    State(u64),
    Nowhere,
}

/// A scene is saved as it was opened.
impl Default for SavedState {
    fn default() -> Self {
        Self::State(0)
    }
}

impl EditHistory {
    /// Makes the history of a scene that is in no file.
    pub(super) fn of_unsaved() -> Self {
        Self { saved: SavedState::Nowhere, differs_from_file: true, ..Self::default() }
    }

    /// Applies an edit and commits it. An edit of the same drag as the previous one replaces it.
    ///
    /// # Errors
    /// [`WorldError`]; then the world is unchanged, but for the steps that could be redone if the commit failed.
    pub(super) fn edit(
        &mut self,
        world: &mut EditableWorld,
        edit: SceneEdit,
        drag: Option<DragId>,
    ) -> Result<(), WorldError> {
        self.edit_with(world, edit, drag, |world| world.commit().map_err(WorldError::from))
    }

    fn edit_with(
        &mut self,
        world: &mut EditableWorld,
        edit: SceneEdit,
        drag: Option<DragId>,
        commit: impl FnOnce(&mut EditableWorld) -> Result<bool, WorldError>,
    ) -> Result<(), WorldError> {
        let now = drag.map(|id| Drag { id, edit: edit.clone() });
        let before = self.drag.take_if(|last| Some(last.id) == drag);
        let is_rendered = is_rendered(&edit);
        let must_commit = is_rendered || before.as_ref().is_some_and(|last| self::is_rendered(&last.edit));
        if before.is_some() {
            world.undo()?;
        }
        if let Err(refused) = world.edit(edit) {
            if before.is_some() {
                world.redo()?;
                self.drag = before;
            }
            return Err(refused.into());
        }
        if must_commit && let Err(refused) = commit(world) {
            world.undo()?;
            // What could be redone has gone with the edit
            self.undone.clear();
            if let Some(before) = before {
                world.edit(before.edit.clone())?;
                self.drag = Some(before);
            }
            world.commit()?;
            return Err(refused);
        }
        if before.is_some() {
            self.done.pop();
        }
        self.edits += 1;
        let rendered = if is_rendered { self.edits } else { self.rendered_state() };
        self.done.push(Step { state: self.edits, rendered });
        self.undone.clear();
        self.notes.retain(|(state, _)| self.done.iter().any(|step| step.state == *state));
        self.drag = now;
        Ok(())
    }

    /// Adds notes on the last step, which are shown while it is in effect.
    pub(super) fn add_notes(&mut self, notes: Vec<String>) {
        self.notes.push((self.state(), notes));
    }

    /// Returns the notes on the steps in effect.
    pub(super) fn notes(&self) -> impl Iterator<Item = &String> {
        let is_done = |state: u64| self.done.iter().any(|step| step.state == state);
        self.notes.iter().filter(move |(state, _)| is_done(*state)).flat_map(|(_, notes)| notes)
    }

    /// Undoes a drag if it is the last step, so that it cannot be redone; returns whether it is.
    ///
    /// # Errors
    /// [`WorldError`].
    pub(super) fn cancel_drag(&mut self, world: &mut EditableWorld, id: DragId) -> Result<bool, WorldError> {
        if self.drag.take_if(|last| last.id == id).is_none() {
            return Ok(false);
        }
        let rendered = self.rendered_state();
        world.undo()?;
        self.done.pop();
        self.commit_since(rendered, world)?;
        Ok(true)
    }

    /// Commits the world, unless the rendered state is the same as before: images keep their samples as long as they
    /// show the same committed world.
    fn commit_since(&self, rendered: u64, world: &mut EditableWorld) -> Result<(), WorldError> {
        if self.rendered_state() != rendered {
            world.commit()?;
        }
        Ok(())
    }

    /// Undoes the last step; returns `false` if there is none.
    ///
    /// # Errors
    /// [`WorldError`].
    pub(super) fn undo(&mut self, world: &mut EditableWorld) -> Result<bool, WorldError> {
        self.drag = None;
        let rendered = self.rendered_state();
        let changed = !self.done.is_empty() && world.undo()?;
        if changed {
            self.undone.extend(self.done.pop());
            self.commit_since(rendered, world)?;
        }
        Ok(changed)
    }

    /// Redoes the last undone step; returns `false` if there is none.
    ///
    /// # Errors
    /// [`WorldError`].
    pub(super) fn redo(&mut self, world: &mut EditableWorld) -> Result<bool, WorldError> {
        self.drag = None;
        let rendered = self.rendered_state();
        let changed = !self.undone.is_empty() && world.redo()?;
        if changed {
            self.done.extend(self.undone.pop());
            self.commit_since(rendered, world)?;
        }
        Ok(changed)
    }

    /// Makes the steps that were undone impossible to redo, since another step follows.
    pub(super) fn forget_undone(&mut self) {
        self.undone.clear();
        self.drag = None;
    }

    /// Returns the number of steps that can be undone and redone.
    pub(super) fn steps(&self) -> [usize; 2] {
        [self.done.len(), self.undone.len()]
    }

    /// Returns the number of edits so far, undone ones included.
    pub(super) fn edits(&self) -> u64 {
        self.edits
    }

    /// Returns the number of the current state, 0 for the scene as it was opened.
    pub(super) fn state(&self) -> u64 {
        self.done.last().map_or(0, |step| step.state)
    }

    /// Returns the number of the newest state up to the current one that is rendered differently from the one before:
    /// the exposure only changes how images are displayed.
    pub(super) fn rendered_state(&self) -> u64 {
        self.done.last().map_or(0, |step| step.rendered)
    }

    /// Returns whether the scene differs from the opened or saved one.
    pub(super) fn is_unsaved(&self) -> bool {
        self.saved != SavedState::State(self.state())
    }

    /// Returns whether the scene is that of the file which was opened, but for its exposure.
    pub(super) fn is_as_opened(&self) -> bool {
        self.rendered_state() == 0 && !self.differs_from_file
    }

    /// Records that the file which was opened has been overwritten.
    pub(super) fn opened_file_changed(&mut self) {
        self.differs_from_file = true;
    }

    /// Records that a state has been saved.
    pub(super) fn mark_saved(&mut self, state: u64) {
        self.saved = SavedState::State(state);
    }
}

/// Returns whether images are rendered again after an edit.
fn is_rendered(edit: &SceneEdit) -> bool {
    !matches!(edit, SceneEdit::Exposure { .. })
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::{EditError, NodeId};

    use super::*;

    fn x_position(world: &EditableWorld, id: NodeId) -> f32 {
        world.scene().node(id).unwrap().parent_from_node.translation.x
    }

    #[test]
    fn a_drag_is_one_step() {
        let mut world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let mut history = EditHistory::default();
        let id = world.scene().nodes().find(|(_, node)| node.instance.is_some()).unwrap().0;
        let first = x_position(&world, id);
        let to = |x: f32| SceneEdit::Transform {
            id,
            parent_from_node: Affine3::from_translation(vec3(x, 0.0, 0.0)),
        };
        for x in [1.0, 2.0, 3.0] {
            history.edit(&mut world, to(x), Some((1, 7))).unwrap();
        }
        history.edit(&mut world, to(4.0), Some((1, 8))).unwrap();
        assert_eq!((history.steps(), x_position(&world, id)), ([2, 0], 4.0));
        let refused = history.edit(&mut world, to(f32::NAN), Some((1, 8)));
        assert!(refused.is_err() && x_position(&world, id) == 4.0, "a refused edit changes nothing");
        history.undo(&mut world).unwrap();
        assert_eq!(x_position(&world, id), 3.0);
        history.undo(&mut world).unwrap();
        assert_eq!((history.steps(), x_position(&world, id)), ([0, 2], first));
        assert!(!history.undo(&mut world).unwrap(), "no step is left");
        history.redo(&mut world).unwrap();
        history.edit(&mut world, to(5.0), Some((1, 7))).unwrap();
        assert_eq!(history.steps(), [2, 0], "an undo ends a drag");
        assert_eq!(world.committed().revision(), world.scene().revision(), "all edits are committed");
    }

    #[test]
    fn a_drag_is_cancelled_only_if_it_is_the_last_step() {
        let mut world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let mut history = EditHistory::default();
        let id = world.scene().nodes().find(|(_, node)| node.instance.is_some()).unwrap().0;
        let hide = |visible| SceneEdit::Visible { id, visible };
        history.edit(&mut world, hide(false), None).unwrap();
        // All edits of the drag were refused
        assert!(!history.cancel_drag(&mut world, (1, 7)).unwrap());
        assert_eq!(history.steps(), [1, 0]);
        history.edit(&mut world, hide(true), Some((1, 8))).unwrap();
        assert!(!history.cancel_drag(&mut world, (2, 8)).unwrap(), "of another client");
        assert!(history.cancel_drag(&mut world, (1, 8)).unwrap());
        assert_eq!(history.steps(), [1, 0], "it can neither be undone nor redone");
        assert!(!history.redo(&mut world).unwrap());
        assert!(!world.scene().node(id).unwrap().visible);
        history.undo(&mut world).unwrap();
        history.redo(&mut world).unwrap();
        assert!(!world.scene().node(id).unwrap().visible, "redo applies the step before the drag");
        assert!(!history.redo(&mut world).unwrap());
    }

    #[test]
    fn an_edit_that_cannot_be_committed_leaves_the_one_before() {
        let mut world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let mut history = EditHistory::default();
        let id = world.scene().nodes().find(|(_, node)| node.instance.is_some()).unwrap().0;
        let to = |x: f32| SceneEdit::Transform {
            id,
            parent_from_node: Affine3::from_translation(vec3(x, 0.0, 0.0)),
        };
        let refuse = |_: &mut EditableWorld| Err(EditError::Cycle(id).into());
        history.edit(&mut world, to(1.0), Some((1, 7))).unwrap();
        assert!(history.edit_with(&mut world, to(2.0), Some((1, 7)), refuse).is_err());
        assert_eq!((history.steps(), x_position(&world, id)), ([1, 0], 1.0), "the drag as it was");
        history.edit(&mut world, to(3.0), Some((1, 7))).unwrap();
        assert_eq!((history.steps(), x_position(&world, id)), ([1, 0], 3.0), "and it goes on");

        history.edit(&mut world, to(4.0), None).unwrap();
        history.undo(&mut world).unwrap();
        assert!(history.edit_with(&mut world, to(5.0), None, refuse).is_err());
        assert_eq!((history.steps(), x_position(&world, id)), ([1, 0], 3.0));
        assert!(!history.redo(&mut world).unwrap(), "the edit that was refused is not redone");
        assert_eq!(x_position(&world, id), 3.0);
        assert_eq!(world.committed().revision(), world.scene().revision(), "frames show this scene");
    }

    #[test]
    fn the_exposure_is_an_edit_that_is_not_rendered() {
        let mut world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let mut history = EditHistory::default();
        let id = world.scene().nodes().next().unwrap().0;
        let hide = |visible| SceneEdit::Visible { id, visible };
        let expose = |stops| SceneEdit::Exposure { stops: Some(stops) };
        let committed = world.committed().clone();
        let is_committed = |world: &EditableWorld| std::sync::Arc::ptr_eq(world.committed(), &committed);
        for stops in [0.5, 1.0, 1.5] {
            history.edit(&mut world, expose(stops), Some((1, 7))).unwrap();
        }
        assert_eq!((history.steps(), world.scene().exposure_stops()), ([1, 0], Some(1.5)));
        assert!(history.is_unsaved() && history.is_as_opened(), "options of a command line name it");
        history.undo(&mut world).unwrap();
        assert_eq!(world.scene().exposure_stops(), Some(0.0));
        history.redo(&mut world).unwrap();
        history.edit(&mut world, expose(2.0), Some((1, 8))).unwrap();
        history.cancel_drag(&mut world, (1, 8)).unwrap();
        assert_eq!((history.rendered_state(), world.scene().exposure_stops()), (0, Some(1.5)));
        assert!(is_committed(&world), "images keep their samples");

        history.edit(&mut world, hide(false), Some((1, 9))).unwrap();
        assert!(!is_committed(&world) && !history.is_as_opened());
        history.edit(&mut world, expose(3.0), None).unwrap();
        assert_eq!(history.rendered_state() + 1, history.state());
        // Both kinds in one drag: the second replaces the first
        history.edit(&mut world, hide(false), Some((1, 10))).unwrap();
        history.edit(&mut world, expose(4.0), Some((1, 10))).unwrap();
        assert_eq!(world.committed().revision(), world.scene().revision(), "frames show what is left");
        (0..3).for_each(|_| drop(history.undo(&mut world)));
        assert_eq!((history.rendered_state(), world.scene().exposure_stops()), (0, Some(1.5)));
    }

    #[test]
    fn a_scene_is_unsaved_unless_it_is_in_the_saved_state() {
        let mut world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let id = world.scene().nodes().next().unwrap().0;
        let hide = |visible| SceneEdit::Visible { id, visible };
        let mut history = EditHistory::default();
        history.edit(&mut world, hide(false), None).unwrap();
        assert!(history.is_unsaved());
        history.undo(&mut world).unwrap();
        assert!(!history.is_unsaved(), "as opened");
        history.redo(&mut world).unwrap();
        history.mark_saved(history.state());
        assert!(!history.is_unsaved());
        history.undo(&mut world).unwrap();
        assert!(history.is_unsaved(), "the file has the edit");
        history.edit(&mut world, hide(false), None).unwrap();
        assert!(history.is_unsaved(), "another edit, although it has the same effect");
        let mut recovered = EditHistory::of_unsaved();
        assert!(recovered.is_unsaved() && !recovered.is_as_opened());
        recovered.mark_saved(0);
        assert!(!recovered.is_unsaved() && !recovered.is_as_opened(), "its edits are in another file");
        let mut overwritten = EditHistory::default();
        assert!(overwritten.is_as_opened());
        overwritten.opened_file_changed();
        assert!(!overwritten.is_as_opened() && !overwritten.is_unsaved());
    }
}
