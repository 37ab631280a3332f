use std::sync::Arc;

use sunfleck_integrators::{self as integrators, CommitError, PlacedCamera};
use sunfleck_scene::{AnimationId, EditError, Journal, PoseError, Scene, SceneEdit};

/// A scene that follows edits, and what rays meet of it.
///
/// Edits change the [`scene`](EditableWorld::scene) at once; pictures show them after the next [`commit`](EditableWorld::commit).
#[derive(Debug)]
pub struct EditableWorld {
    scene: Scene,
    journal: Journal,
    committed: Arc<integrators::World>,
}

/// Why an edit cannot be taken back or made again, or a commit fails.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// See [`EditError`].
    #[error(transparent)]
    Edit(#[from] EditError),
    /// See [`PoseError`].
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// See [`CommitError`].
    #[error(transparent)]
    Commit(#[from] CommitError),
}

impl EditableWorld {
    /// Commits a scene for the first time. Errors: [`CommitError`].
    pub fn new(scene: Scene) -> Result<Self, CommitError> {
        let committed = Arc::new(integrators::World::commit(&scene)?);
        Ok(Self { scene, journal: Journal::default(), committed })
    }

    /// The scene with all edits.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Changes the scene. Errors: [`EditError`]; then nothing has changed.
    pub fn edit(&mut self, edit: SceneEdit) -> Result<(), EditError> {
        self.journal.apply(&mut self.scene, edit)
    }

    /// Shows a moment of an animation; no step that could be taken back, since playing is no change by a person. Whether
    /// anything moved. Errors: [`WorldError`]; then nothing has changed.
    pub fn pose(&mut self, animation: AnimationId, time_secs: f32) -> Result<bool, WorldError> {
        let edits = self.scene.pose(animation, time_secs)?;
        self.show(edits)
    }

    /// Brings what an animation moves back to where it is without it, as [`EditableWorld::pose`]. Errors: [`WorldError`].
    pub fn rest(&mut self, animation: AnimationId) -> Result<bool, WorldError> {
        let edits = self.scene.rest(animation)?;
        self.show(edits)
    }

    fn show(&mut self, edits: Vec<SceneEdit>) -> Result<bool, WorldError> {
        if edits.is_empty() {
            return Ok(false);
        }
        self.scene.apply(SceneEdit::Batch(edits))?;
        Ok(true)
    }

    /// Takes the last edit back; `false` if there is none. Errors: [`EditError`].
    pub fn undo(&mut self) -> Result<bool, EditError> {
        self.journal.undo(&mut self.scene)
    }

    /// Makes the last edit that was taken back again; `false` if there is none. Errors: [`EditError`].
    pub fn redo(&mut self) -> Result<bool, EditError> {
        self.journal.redo(&mut self.scene)
    }

    /// Makes the edits since the last commit visible to frames rendered from now on; frames that are being rendered keep the
    /// world that they began with. Whether there was anything to do.
    ///
    /// Costs what the edits touch: a moved object a new top level, a new mesh its own tree, a new colour the table of
    /// materials. Errors: [`CommitError`]; then frames go on to see the last commit that succeeded.
    pub fn commit(&mut self) -> Result<bool, CommitError> {
        if self.committed.revision() == self.scene.revision() {
            return Ok(false);
        }
        self.committed = Arc::new(self.committed.update(&self.scene)?);
        Ok(true)
    }

    /// What frames see.
    pub fn committed(&self) -> &Arc<integrators::World> {
        &self.committed
    }

    /// The cameras of the last commit; the first is the default.
    pub fn cameras(&self) -> &[PlacedCamera] {
        self.committed.cameras()
    }
}
