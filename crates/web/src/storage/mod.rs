//! Files of a session: saved scenes, recovery files and the list of recent scenes. A thread of its own reads and writes
//! them, so that rendering never waits.

mod orphans;
mod recent;
mod recovery;
mod saved_files;
mod state_folder;
mod upload_copies;
mod worker;

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use serde::Serialize;
use sunfleck_scene::Scene;
use tokio::sync::mpsc;

use crate::ViewerScene;
use crate::protocol::{ClientId, FilesState, Reply};
use crate::scene::SceneSource;
use crate::session::{Event, SceneMoment};
pub(crate) use recovery::RecoveryDetails;
pub(crate) use saved_files::{SaveKind, SaveTarget};
pub use state_folder::default_state_folder;
pub(crate) use upload_copies::UploadCopies;

/// Builds a built-in scene by its name and parameters. Errors: a message for the user.
pub type BuiltInScenes = fn(&str) -> Result<Scene, String>;

/// Built-in scene that the page offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BuiltInScene {
    /// Name by which it is built.
    pub name: String,
    /// Description in one phrase.
    pub summary: String,
}

/// Where a session keeps its files, and what it may open again.
#[derive(Clone, Debug)]
pub(crate) struct StorageOptions {
    /// Where scenes are saved that have no file of their own.
    pub(crate) save: PathBuf,
    /// What is kept between starts; `None` if nothing is.
    pub(crate) state: Option<PathBuf>,
    pub(crate) built_in: BuiltInScenes,
    /// Built-in scenes that pages offer.
    pub(crate) built_in_scenes: Vec<BuiltInScene>,
    /// Whether pages are told of recent, unsaved and built-in scenes. Not if other machines can connect: who shows them
    /// one scene does not expect that they can open others.
    pub(crate) lists: bool,
}

impl StorageOptions {
    pub(crate) fn upload_copies(&self) -> Option<UploadCopies> {
        self.state.as_deref().map(UploadCopies::new)
    }
}

/// Handle of the thread.
#[derive(Debug)]
pub(crate) struct Storage {
    jobs: Sender<StorageJob>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread does, one after the other.
#[derive(Debug)]
pub(crate) enum StorageJob {
    /// Saves a scene; the answer is [`Event::Saved`].
    Save(Box<SaveJob>),
    /// The scene has been edited: [`Event::AutosaveDue`] follows soon.
    Edited,
    /// Writes the recovery file of a document in a state of its edit history; the answer is [`Event::Autosaved`].
    Autosave { document: u64, state: u64, scene: Box<Scene>, details: Box<RecoveryDetails> },
    /// Deletes the recovery file of a document.
    Forget { document: u64 },
    /// Puts a scene at the front of the recent ones.
    Opened(SceneSource),
    /// Opens a recent scene; the answer is [`Event::Reopened`].
    OpenRecent { number: u32, asker: Asker },
    /// Opens a built-in scene of the list; the answer is [`Event::Reopened`].
    OpenBuiltIn { name: String, asker: Asker },
    /// Opens an unsaved scene of an earlier server; the answer is [`Event::Reopened`].
    Recover { number: usize, asker: Asker },
    /// Deletes an unsaved scene of an earlier server.
    Discard { number: usize },
    /// Makes an unsaved scene of an earlier server that of a document.
    Adopt { scene: PathBuf, document: u64 },
    /// Ends the thread.
    Stop,
}

/// Client that is to be answered.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    pub(crate) client: ClientId,
    pub(crate) replies: mpsc::Sender<Reply>,
}

impl Asker {
    /// Replies that a client does not read are dropped.
    pub(crate) fn reply(&self, reply: Reply) {
        drop(self.replies.try_send(reply));
    }
}

/// Scene to be saved.
#[derive(Debug)]
pub(crate) struct SaveJob {
    pub(crate) scene: Scene,
    pub(crate) target: SaveTarget,
    pub(crate) ticket: SaveTicket,
}

/// What the session needs to know when a scene has been saved.
#[derive(Debug)]
pub(crate) struct SaveTicket {
    pub(crate) document: u64,
    /// State of the edit history that is saved.
    pub(crate) state: u64,
    pub(crate) asker: Asker,
    pub(crate) answer: SaveAnswer,
}

/// Answer to a client for which a scene has been saved.
#[derive(Debug)]
pub(crate) enum SaveAnswer {
    /// That it is saved, with the number of the request.
    Saved { number: Option<u64> },
    /// The command lines of its images, without the file, with the number of the request.
    ///
    /// * `of` — what the scene was.
    CommandLine { number: Option<u64>, of: SceneMoment, arguments: Vec<String> },
}

/// Recent or recovered scene.
#[derive(Debug)]
pub(crate) struct ReopenedScene {
    pub(crate) scene: ViewerScene,
    /// Path of the recovery file, and what was beside it, if it is recovered.
    pub(crate) recovered: Option<(PathBuf, RecoveryDetails)>,
}

impl Storage {
    /// Starts the thread.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn start(options: &StorageOptions, events: mpsc::Sender<Event>) -> std::io::Result<Self> {
        let (jobs, inbox) = channel();
        let mut worker = worker::StorageWorker::new(options, events);
        let thread = std::thread::Builder::new().name("sunfleck-files".into());
        let thread = thread.spawn(move || worker.run(&inbox))?;
        Ok(Self { jobs, thread: Some(thread) })
    }

    pub(crate) fn send(&self, job: StorageJob) {
        // Fails only when the session is ending
        drop(self.jobs.send(job));
    }
}

/// Waits until everything is written.
impl Drop for Storage {
    fn drop(&mut self) {
        self.send(StorageJob::Stop);
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Lists that pages show.
fn files_state(
    recent: Option<&recent::RecentScenes>,
    recovery: Option<&recovery::Recovery>,
    built_in: &[BuiltInScene],
) -> FilesState {
    FilesState {
        recent: recent.map(recent::RecentScenes::rows).unwrap_or_default(),
        unsaved: recovery.map(recovery::Recovery::rows).unwrap_or_default(),
        built_in: built_in.to_vec(),
    }
}
