//! The thread that reads and writes the files of a session.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::recent::{self, RecentScenes};
use super::recovery::{self, Recovery};
use super::saved_files::SavedFiles;
use super::{Asker, BuiltInScenes, ReopenedScene, SaveJob, StorageJob, StorageOptions, files_state};
use crate::protocol::Reply;
use crate::session::Event;

/// Time without an edit after which the recovery file is written.
const AUTOSAVE_DELAY: Duration = Duration::from_secs(2);
/// Time after which it is written even if edits follow each other without a pause.
const MAX_AUTOSAVE_DELAY: Duration = Duration::from_secs(10);

/// State of the thread.
#[derive(Debug)]
pub(super) struct StorageWorker {
    events: mpsc::Sender<Event>,
    saved: SavedFiles,
    /// Newest file of each document that was saved, for saves that were requested before.
    saved_to: Vec<(u64, PathBuf)>,
    built_in: BuiltInScenes,
    lists: bool,
    recent: Option<RecentScenes>,
    recovery: Option<Recovery>,
    /// Times of the first and the last edit that no recovery file has.
    edits: Option<[Instant; 2]>,
}

impl StorageWorker {
    pub(super) fn new(options: &StorageOptions, events: mpsc::Sender<Event>) -> Self {
        let state = options.state.as_deref();
        Self {
            events,
            saved: SavedFiles::new(&options.save, state),
            saved_to: Vec::new(),
            built_in: options.built_in,
            lists: options.lists,
            recent: state.map(RecentScenes::new),
            recovery: state.map(Recovery::new),
            edits: None,
        }
    }

    /// Handles jobs until [`StorageJob::Stop`].
    pub(super) fn run(&mut self, jobs: &Receiver<StorageJob>) {
        crate::priority::lower();
        self.publish();
        loop {
            let due = self.edits.map(|[first, last]| (last + AUTOSAVE_DELAY).min(first + MAX_AUTOSAVE_DELAY));
            let job = match due {
                Some(due) => jobs.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => jobs.recv().map_err(RecvTimeoutError::from),
            };
            match job {
                Ok(StorageJob::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(job) => self.handle(job),
                Err(RecvTimeoutError::Timeout) => {
                    self.edits = None;
                    drop(self.events.blocking_send(Event::AutosaveDue));
                }
            }
        }
    }

    fn handle(&mut self, job: StorageJob) {
        match job {
            StorageJob::Save(job) => {
                let SaveJob { scene, mut target, ticket } = *job;
                let before = self.saved_to.iter().position(|(document, _)| *document == ticket.document);
                let before = before.map(|at| self.saved_to.swap_remove(at).1);
                target.saved_to = before.or(target.saved_to);
                let result = unless_crashed("the export", || self.saved.save(&scene, &target));
                let newest = result.as_ref().ok().or(target.saved_to.as_ref());
                self.saved_to.extend(newest.map(|path| (ticket.document, path.clone())));
                drop(self.events.blocking_send(Event::Saved { ticket: Box::new(ticket), result }));
            }
            StorageJob::Edited => {
                let now = Instant::now();
                self.edits = Some([self.edits.map_or(now, |[first, _]| first), now]);
            }
            StorageJob::Autosave { document, state, scene, details } => {
                let written = self
                    .recovery
                    .as_mut()
                    .map(|files| unless_crashed("the export", || files.write(document, &scene, *details)));
                let error = written.and_then(Result::err);
                drop(self.events.blocking_send(Event::Autosaved { document, state, error }));
            }
            StorageJob::Forget { document } => {
                if let Some(recovery) = &mut self.recovery {
                    recovery.forget(document);
                }
            }
            StorageJob::Opened(source) => {
                if let Some(recent) = &self.recent {
                    recent.add(source);
                    self.publish();
                }
            }
            StorageJob::OpenRecent { number, asker } => self.open_recent(number, asker),
            StorageJob::Recover { number, asker } => self.recover(number, asker),
            StorageJob::Discard { number } => {
                let recovery = self.recovery.as_mut().filter(|_| self.lists);
                recovery.into_iter().for_each(|recovery| recovery.discard(number));
                self.publish();
            }
            StorageJob::Adopt { scene, document } => {
                self.recovery.as_mut().into_iter().for_each(|recovery| recovery.adopt(&scene, document));
                self.publish();
            }
            StorageJob::Stop => {}
        }
    }

    fn open_recent(&self, number: u32, asker: Asker) {
        let recent = self.recent.as_ref().filter(|_| self.lists);
        let found = recent.and_then(|recent| Some((recent.source(number)?, recent.copies().clone())));
        let built_in = self.built_in;
        match found {
            Some((source, copies)) => self.open(asker, move || {
                Ok(ReopenedScene { scene: recent::open(source, &copies, built_in)?, recovered: None })
            }),
            None => asker.reply(Reply::Error { message: "this scene is no longer in the list".into() }),
        }
    }

    fn recover(&self, number: usize, asker: Asker) {
        match self.recovery.as_ref().filter(|_| self.lists).and_then(|recovery| recovery.orphan(number)) {
            Some((path, details)) => self.open(asker, move || {
                let scene = recovery::open(&path, &details)?;
                Ok(ReopenedScene { scene, recovered: Some((path, details)) })
            }),
            None => asker.reply(Reply::Error { message: "these edits are no longer there".into() }),
        }
    }

    /// Opens a scene in a thread of its own, since that may take long.
    fn open(&self, asker: Asker, open: impl FnOnce() -> Result<ReopenedScene, String> + Send + 'static) {
        let events = self.events.clone();
        let open = move || {
            let opened = unless_crashed("the importer", open);
            drop(events.blocking_send(Event::Reopened { asker, opened: Box::new(opened) }));
        };
        drop(std::thread::Builder::new().name("sunfleck-open".into()).spawn(open));
    }

    /// Sends the lists to the pages.
    fn publish(&self) {
        let files = files_state(
            self.recent.as_ref().filter(|_| self.lists),
            self.recovery.as_ref().filter(|_| self.lists),
        );
        drop(self.events.blocking_send(Event::Files(files)));
    }
}

/// Returns the result of what may crash, so that the thread goes on.
fn unless_crashed<T>(what: &str, run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| Err(format!("{what} crashed, which is a bug in Sunfleck")))
}
