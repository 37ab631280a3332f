//! Edits with undo and redo.

use sunfleck_engine::{EditableWorld, WorldError};
use sunfleck_scene::SceneEdit;

use crate::protocol::ClientId;

/// Number of steps that can be undone and redone. The edits of one drag are a single step.
#[derive(Debug, Default)]
pub(super) struct EditHistory {
    undo_steps: usize,
    redo_steps: usize,
    /// Drag of the last edit, by client and number.
    drag: Option<(ClientId, u64)>,
}

impl EditHistory {
    /// Applies an edit and commits it. An edit of the same drag as the previous one replaces it.
    ///
    /// # Errors
    /// [`WorldError`]; then the world is unchanged.
    pub(super) fn edit(
        &mut self,
        world: &mut EditableWorld,
        edit: SceneEdit,
        drag: Option<(ClientId, u64)>,
    ) -> Result<(), WorldError> {
        let continues_drag = drag.is_some() && drag == self.drag;
        if continues_drag {
            world.undo()?;
        }
        if let Err(refused) = world.edit(edit) {
            if continues_drag {
                world.redo()?;
            }
            return Err(refused.into());
        }
        if let Err(refused) = world.commit() {
            world.undo()?;
            self.drag = None;
            self.undo_steps -= usize::from(continues_drag);
            return Err(refused.into());
        }
        self.undo_steps += usize::from(!continues_drag);
        self.redo_steps = 0;
        self.drag = drag;
        Ok(())
    }

    /// Undoes the last step; returns `false` if there is none.
    ///
    /// # Errors
    /// [`WorldError`].
    pub(super) fn undo(&mut self, world: &mut EditableWorld) -> Result<bool, WorldError> {
        self.drag = None;
        let changed = world.undo()?;
        if changed {
            self.undo_steps = self.undo_steps.saturating_sub(1);
            self.redo_steps += 1;
            world.commit()?;
        }
        Ok(changed)
    }

    /// Redoes the last undone step; returns `false` if there is none.
    ///
    /// # Errors
    /// [`WorldError`].
    pub(super) fn redo(&mut self, world: &mut EditableWorld) -> Result<bool, WorldError> {
        self.drag = None;
        let changed = world.redo()?;
        if changed {
            self.undo_steps += 1;
            self.redo_steps = self.redo_steps.saturating_sub(1);
            world.commit()?;
        }
        Ok(changed)
    }

    /// Returns the number of steps that can be undone and redone.
    pub(super) fn steps(&self) -> [usize; 2] {
        [self.undo_steps, self.redo_steps]
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::NodeId;

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
}
