use sunfleck_engine::{EditableWorld, WorldError};
use sunfleck_scene::SceneEdit;

use crate::protocol::ClientId;

/// Edits, undo and redo. What a person feels as one movement is one step of undo.
#[derive(Debug, Default)]
pub(super) struct Editing {
    done: usize,
    undone: usize,
    /// The movement that the last edit belongs to.
    drag: Option<(ClientId, u64)>,
}

impl Editing {
    /// Applies an edit and commits it. An edit of the same drag as the one before takes the place of that one.
    ///
    /// Errors: [`WorldError`]; then all is as before.
    pub(super) fn edit(
        &mut self,
        world: &mut EditableWorld,
        edit: SceneEdit,
        drag: Option<(ClientId, u64)>,
    ) -> Result<(), WorldError> {
        let goes_on = drag.is_some() && drag == self.drag;
        if goes_on {
            world.undo()?;
        }
        if let Err(refused) = world.edit(edit) {
            if goes_on {
                world.redo()?;
            }
            return Err(refused.into());
        }
        if let Err(refused) = world.commit() {
            world.undo()?;
            self.drag = None;
            self.done -= usize::from(goes_on);
            return Err(refused.into());
        }
        self.done += usize::from(!goes_on);
        self.undone = 0;
        self.drag = drag;
        Ok(())
    }

    /// Takes the last step back; `false` if there is none. Errors: [`WorldError`].
    pub(super) fn undo(&mut self, world: &mut EditableWorld) -> Result<bool, WorldError> {
        self.drag = None;
        let went = world.undo()?;
        if went {
            self.done = self.done.saturating_sub(1);
            self.undone += 1;
            world.commit()?;
        }
        Ok(went)
    }

    /// Makes it again; `false` if there is none. Errors: [`WorldError`].
    pub(super) fn redo(&mut self, world: &mut EditableWorld) -> Result<bool, WorldError> {
        self.drag = None;
        let went = world.redo()?;
        if went {
            self.done += 1;
            self.undone = self.undone.saturating_sub(1);
            world.commit()?;
        }
        Ok(went)
    }

    /// Steps that can be taken back, and made again.
    pub(super) fn steps(&self) -> [usize; 2] {
        [self.done, self.undone]
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::NodeId;

    use super::*;

    fn place(world: &EditableWorld, id: NodeId) -> f32 {
        world.scene().node(id).unwrap().parent_from_node.translation.x
    }

    #[test]
    fn a_drag_is_one_step() {
        let mut world = EditableWorld::new(sunfleck_models::build("cornell").unwrap()).unwrap();
        let mut editing = Editing::default();
        let id = world.scene().nodes().find(|(_, node)| node.instance.is_some()).unwrap().0;
        let first = place(&world, id);
        let to = |x: f32| SceneEdit::Transform {
            id,
            parent_from_node: Affine3::from_translation(vec3(x, 0.0, 0.0)),
        };
        for x in [1.0, 2.0, 3.0] {
            editing.edit(&mut world, to(x), Some((1, 7))).unwrap();
        }
        editing.edit(&mut world, to(4.0), Some((1, 8))).unwrap();
        assert_eq!((editing.steps(), place(&world, id)), ([2, 0], 4.0));
        let refused = editing.edit(&mut world, to(f32::NAN), Some((1, 8)));
        assert!(refused.is_err() && place(&world, id) == 4.0, "a refused edit changes nothing");
        editing.undo(&mut world).unwrap();
        assert_eq!(place(&world, id), 3.0);
        editing.undo(&mut world).unwrap();
        assert_eq!((editing.steps(), place(&world, id)), ([0, 2], first));
        assert!(!editing.undo(&mut world).unwrap(), "nothing is left");
        editing.redo(&mut world).unwrap();
        editing.edit(&mut world, to(5.0), Some((1, 7))).unwrap();
        assert_eq!(editing.steps(), [2, 0], "after an undo a drag begins anew");
        assert_eq!(world.committed().revision(), world.scene().revision(), "all is committed");
    }
}
