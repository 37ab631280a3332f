//! Scenes that were open before, so that opening another one is a step of undo and redo.

use std::path::PathBuf;

use sunfleck_integrators::PlacedCamera;
use sunfleck_scene::AnimationId;

use super::edit_history::EditHistory;
use super::memory_use::world_bytes;
use crate::ViewerScene;
use crate::protocol::Moment;

/// Number of scenes that are kept besides the current one.
const MAX_KEPT: usize = 4;
/// Memory of these scenes in bytes. The newest one is kept whatever its size is.
const MAX_KEPT_BYTES: u64 = 2 << 30;
/// Number of views per scene that saved files contain.
const MAX_VIEWS: usize = 50;

/// Opened scene with everything that belongs to it.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) opened: ViewerScene,
    pub(super) history: EditHistory,
    pub(super) moment: Option<Moment>,
    pub(super) file: DocumentFile,
    /// Camera as it was set.
    pub(super) camera: PlacedCamera,
}

/// Files of a document.
#[derive(Debug)]
pub(super) struct DocumentFile {
    /// Number of the document, never used twice.
    pub(super) id: u64,
    /// File to which it was saved last.
    pub(super) saved_to: Option<PathBuf>,
    /// Newest file of a copied command line.
    pub(super) copied: CopiedFile,
    /// Edit state that the recovery file has, if there is one.
    pub(super) autosaved: Option<u64>,
    /// Edit state, and whether it was unsaved, of which the storage has been told.
    pub(super) known: (u64, bool),
}

impl DocumentFile {
    pub(super) fn new(id: u64) -> Self {
        Self { id, saved_to: None, copied: CopiedFile::default(), autosaved: None, known: (0, false) }
    }
}

/// File of copied command lines. It has the scene as it was when they were copied, so that they stay valid.
#[derive(Clone, Debug, Default)]
pub(super) struct CopiedFile {
    /// What the scene was; see [`SceneMoment`].
    pub(super) of: SceneMoment,
    /// Where it is, once it is written.
    pub(super) path: Option<PathBuf>,
    /// Cameras of the command lines.
    pub(super) views: Vec<PlacedCamera>,
}

/// Rendered state of the edit history, and animation with its time in seconds if one is shown.
pub(crate) type SceneMoment = (u64, Option<(AnimationId, f32)>);

impl CopiedFile {
    /// Adds a view, and returns its position among the views.
    pub(super) fn add_view(&mut self, camera: &PlacedCamera, taken: impl Fn(&str) -> bool) -> usize {
        if let Some(known) = self.views.iter().position(|view| view.is_same_view(camera)) {
            return known;
        }
        if self.views.len() == MAX_VIEWS {
            self.views.remove(0);
        }
        let free = |name: &String| !taken(name) && self.views.iter().all(|view| view.name != *name);
        let name = (1u32..).map(|number| format!("view-{number}")).find(free).unwrap_or_default();
        let projection = camera.camera.projection;
        let mut view = PlacedCamera { name: name.clone(), ..camera.clone() };
        view.camera = sunfleck_scene::Camera::new(name, projection);
        self.views.push(view);
        self.views.len() - 1
    }
}

/// Documents that can be reached by undo and redo.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// In the order in which they were open.
    earlier: Vec<Document>,
    /// In the order opposite to that of redo.
    later: Vec<Document>,
    /// Number of edits of the current document when `later` was valid.
    edits: u64,
}

impl Documents {
    /// Adds the document before one that has been opened, and returns the numbers of those whose recovery files are of
    /// no use any more: redo can no longer reach them, and they are saved.
    pub(super) fn push(&mut self, mut before: Document) -> Vec<u64> {
        before.history.forget_undone();
        self.put_earlier(before, &EditHistory::default());
        self.drop_later()
    }

    /// Takes the document that was open before the current one, if there is one.
    pub(super) fn take_earlier(&mut self) -> Option<Document> {
        self.earlier.pop()
    }

    /// Takes the document that was opened after the current one, if there is one.
    pub(super) fn take_later(&mut self) -> Option<Document> {
        self.later.pop()
    }

    /// Adds the document that was opened before the current one.
    pub(super) fn put_earlier(&mut self, before: Document, current: &EditHistory) {
        self.earlier.push(before);
        let newest_first = self.earlier.iter().rev();
        let kept = kept_count(newest_first.map(|document| world_bytes(&document.opened.world)));
        // The recovery files of those with unsaved edits are kept
        self.earlier.drain(..self.earlier.len() - kept);
        self.edits = current.edits();
    }

    /// Adds the document that was opened after the current one.
    pub(super) fn put_later(&mut self, after: Document, current: &EditHistory) {
        self.later.push(after);
        self.edits = current.edits();
    }

    /// Drops the documents to which redo leads once the current one has been edited, and returns the numbers of those
    /// whose recovery files are of no use any more.
    pub(super) fn forget_undone(&mut self, history: &EditHistory) -> Vec<u64> {
        match self.edits == history.edits() {
            true => Vec::new(),
            false => self.drop_later(),
        }
    }

    /// Drops the documents to which redo leads, and returns the numbers of the saved ones. The recovery file of an
    /// unsaved one may be the only copy: the next start offers it.
    fn drop_later(&mut self) -> Vec<u64> {
        let saved = self.later.drain(..).filter(|document| !document.history.is_unsaved());
        saved.map(|document| document.file.id).collect()
    }

    /// Returns the number of steps that can be undone and redone, with those of the current document.
    pub(super) fn steps(&self, current: &EditHistory) -> [usize; 2] {
        let [done, undone] = current.steps();
        let earlier = self.earlier.iter().map(|document| 1 + document.history.steps()[0]);
        let later = self.later.iter().map(|document| 1 + document.history.steps()[1]);
        [done + earlier.sum::<usize>(), undone + later.sum::<usize>()]
    }

    /// Returns all documents but the current one.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Document> {
        self.earlier.iter_mut().chain(&mut self.later)
    }

    /// Returns a document that is not the current one.
    pub(super) fn find(&mut self, id: u64) -> Option<&mut Document> {
        self.all().find(|document| document.file.id == id)
    }
}

/// Returns how many documents are kept, given the bytes of each, the newest first.
fn kept_count(bytes: impl Iterator<Item = u64>) -> usize {
    let mut total = 0;
    let fits = |(index, bytes): &(usize, u64)| {
        total += bytes;
        *index == 0 || total <= MAX_KEPT_BYTES
    };
    bytes.take(MAX_KEPT).enumerate().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(id: u64) -> Document {
        let scene = sunfleck_models::build("cornell").unwrap();
        let opened = ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap();
        let camera = opened.camera.camera(1.0);
        let (history, file) = (EditHistory::default(), DocumentFile::new(id));
        Document { opened, history, moment: None, file, camera }
    }

    #[test]
    fn undo_and_redo_lead_through_the_documents() {
        let mut documents = Documents::default();
        documents.push(document(1));
        assert_eq!(documents.steps(&EditHistory::default()), [1, 0]);
        let first = documents.take_earlier().unwrap();
        documents.put_later(document(2), &first.history);
        assert_eq!((first.file.id, documents.steps(&first.history)), (1, [0, 1]));
        assert!(documents.forget_undone(&first.history).is_empty(), "nothing was edited");
        let second = documents.take_later().unwrap();
        documents.put_earlier(first, &second.history);
        assert_eq!((second.file.id, documents.steps(&second.history)), (2, [1, 0]));
        let mut first = documents.take_earlier().unwrap();
        documents.put_later(second, &first.history);
        let id = first.opened.world.scene().nodes().next().unwrap().0;
        let edit = sunfleck_scene::SceneEdit::Visible { id, visible: false };
        first.history.edit(&mut first.opened.world, edit, None).unwrap();
        assert_eq!(documents.forget_undone(&first.history), [2]);
        assert_eq!(documents.steps(&first.history), [1, 0]);
    }

    #[test]
    fn recovery_files_of_unsaved_documents_are_kept() {
        let mut documents = Documents::default();
        documents.push(document(1));
        let first = documents.take_earlier().unwrap();
        let recovered = Document { history: EditHistory::of_unsaved(), ..document(2) };
        documents.put_later(recovered, &first.history);
        documents.put_later(document(3), &first.history);
        assert_eq!(documents.push(first), [3], "the file of the second is the only copy");
        assert_eq!(documents.steps(&EditHistory::default()), [1, 0]);
    }

    #[test]
    fn few_documents_are_kept() {
        let mut documents = Documents::default();
        (0..10).for_each(|id| drop(documents.push(document(id))));
        assert_eq!(documents.steps(&EditHistory::default()), [MAX_KEPT, 0]);
    }

    #[test]
    fn large_documents_are_kept_as_far_as_they_fit() {
        let gib = |sizes: &[u64]| kept_count(sizes.iter().map(|size| size << 30));
        assert_eq!(gib(&[]), 0);
        assert_eq!(gib(&[5]), 1, "the newest one is always kept");
        assert_eq!(gib(&[5, 0]), 1);
        assert_eq!(gib(&[1, 1, 0, 1]), 3);
        assert_eq!(gib(&[0; 9]), MAX_KEPT);
    }

    #[test]
    fn views_have_names_of_their_own() {
        let Document { camera, .. } = document(1);
        let mut file = CopiedFile::default();
        let mut other = camera.clone();
        other.world_from_view.translation.x += 1.0;
        let index =
            |file: &mut CopiedFile, camera: &PlacedCamera| file.add_view(camera, |name| name == "view-1");
        assert_eq!(
            (index(&mut file, &camera), index(&mut file, &other), index(&mut file, &camera)),
            (0, 1, 0)
        );
        assert_eq!(file.views.iter().map(|view| &*view.name).collect::<Vec<_>>(), ["view-2", "view-3"]);
    }
}
