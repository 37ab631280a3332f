use std::sync::Arc;
use std::time::Instant;

use sunfleck_integrators::{self as integrators, CommitError, PlacedCamera};
use sunfleck_scene::{AnimationId, EditError, Journal, PoseError, Scene, SceneEdit};

/// Scene that can be edited, with its last committed world.
///
/// Edits change the [`scene`](EditableWorld::scene) at once; images show them after the next
/// [`commit`](EditableWorld::commit).
#[derive(Debug)]
pub struct EditableWorld {
    scene: Scene,
    journal: Journal,
    committed: Arc<integrators::World>,
}

/// Reason why an edit, a pose or a commit fails.
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
        let begun = Instant::now();
        let committed = Arc::new(integrators::World::commit(&scene)?);
        report_commit("scene committed", &committed, begun);
        Ok(Self { scene, journal: Journal::default(), committed })
    }

    /// Returns the scene with all edits.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Returns the edits that can be undone and redone.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Applies an edit. Errors: [`EditError`]; then nothing has changed.
    pub fn edit(&mut self, edit: SceneEdit) -> Result<(), EditError> {
        self.journal.apply(&mut self.scene, edit)
    }

    /// Poses the scene at a time of an animation. This is not an undo step, since playing is not an edit by the user.
    /// Returns whether anything moved. Errors: [`WorldError`]; then nothing has changed.
    pub fn pose(&mut self, animation: AnimationId, time_secs: f32) -> Result<bool, WorldError> {
        let edits = self.scene.pose(animation, time_secs)?;
        self.apply_pose(edits)
    }

    /// Restores the rest pose of an animation. As with [`EditableWorld::pose`], this is not an undo step. Returns
    /// whether anything moved. Errors: [`WorldError`].
    pub fn rest(&mut self, animation: AnimationId) -> Result<bool, WorldError> {
        let edits = self.scene.rest(animation)?;
        self.apply_pose(edits)
    }

    fn apply_pose(&mut self, edits: Vec<SceneEdit>) -> Result<bool, WorldError> {
        if edits.is_empty() {
            return Ok(false);
        }
        self.edit_without_undo(SceneEdit::Batch(edits))?;
        Ok(true)
    }

    /// Applies an edit that is not one of the user's. Errors: [`EditError`]; then nothing has changed.
    pub(crate) fn edit_without_undo(&mut self, edit: SceneEdit) -> Result<(), EditError> {
        self.scene.apply(edit).map(drop)
    }

    /// Undoes the last edit; `false` if there is none. Errors: [`EditError`].
    pub fn undo(&mut self) -> Result<bool, EditError> {
        self.journal.undo(&mut self.scene)
    }

    /// Redoes the last undone edit; `false` if there is none. Errors: [`EditError`].
    pub fn redo(&mut self) -> Result<bool, EditError> {
        self.journal.redo(&mut self.scene)
    }

    /// Makes the edits since the last commit visible to later frames; frames that are being rendered keep the
    /// world that they started with. Returns whether there were any.
    ///
    /// The cost depends on the edits: a moved object needs a new top level, a new mesh its own BLAS, a new colour the
    /// table of materials. Errors: [`CommitError`]; then frames keep using the last successful commit.
    pub fn commit(&mut self) -> Result<bool, CommitError> {
        if self.committed.revision() == self.scene.revision() {
            return Ok(false);
        }
        let begun = Instant::now();
        self.committed = Arc::new(self.committed.update(&self.scene)?);
        report_commit("edits committed", &self.committed, begun);
        Ok(true)
    }

    /// Returns the last committed world, which frames render.
    pub fn committed(&self) -> &Arc<integrators::World> {
        &self.committed
    }

    /// Returns the cameras of the last commit; the first one is the default.
    pub fn cameras(&self) -> &[PlacedCamera] {
        self.committed.cameras()
    }
}

/// Emits the event of a commit, which builds acceleration structures, lights and materials.
fn report_commit(what: &str, world: &integrators::World, begun: Instant) {
    let (bvh_bytes, lights) = (world.bvh_bytes(), world.light_count());
    tracing::debug!(bvh_bytes, lights, elapsed = ?begun.elapsed(), "{what}");
}
