//! The thread that reads and writes the files of a session.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::recent::{self, RecentScenes};
use super::recovery::{self, Recovery};
use super::saved_files::{SaveKind, SavedFiles};
use super::{
    Asker, BuiltInScene, BuiltInScenes, ReopenedScene, SaveJob, StorageJob, StorageOptions, files_state,
};
use crate::protocol::Reply;
use crate::session::Event;

/// Time without an edit after which the recovery file is written.
const AUTOSAVE_DELAY: Duration = Duration::from_secs(2);
/// Time after which it is written even if edits follow each other without a pause.
const MAX_AUTOSAVE_DELAY: Duration = Duration::from_secs(10);
/// Least pause after a recovery file is written, in durations of the writing: large scenes are written seldom, so that
/// it takes a tenth of a core at most.
const AUTOSAVE_PAUSE: u32 = 10;

/// State of the thread.
#[derive(Debug)]
pub(super) struct StorageWorker {
    events: mpsc::Sender<Event>,
    saved: SavedFiles,
    /// Newest file of each document that was saved, for saves that were requested before.
    saved_to: Vec<(u64, PathBuf)>,
    built_in: BuiltInScenes,
    built_in_scenes: Vec<BuiltInScene>,
    lists: bool,
    recent: Option<RecentScenes>,
    recovery: Option<Recovery>,
    /// Times of the first and the last edit that no recovery file has.
    edits: Option<[Instant; 2]>,
    /// Time before which no recovery file is written.
    paused_until: Option<Instant>,
}

impl StorageWorker {
    pub(super) fn new(options: &StorageOptions, events: mpsc::Sender<Event>) -> Self {
        let state = options.state.as_deref();
        Self {
            events,
            saved: SavedFiles::new(&options.save, state),
            saved_to: Vec::new(),
            built_in: options.built_in,
            built_in_scenes: if options.lists { options.built_in_scenes.clone() } else { Vec::new() },
            lists: options.lists,
            recent: state.map(RecentScenes::new),
            recovery: state.map(Recovery::new),
            edits: None,
            paused_until: None,
        }
    }

    /// Handles jobs until [`StorageJob::Stop`].
    pub(super) fn run(&mut self, jobs: &Receiver<StorageJob>) {
        crate::priority::lower();
        self.publish();
        loop {
            let job = match self.edits.map(|edits| autosave_time(edits, self.paused_until)) {
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
                if target.kind == SaveKind::Copy {
                    let result = unless_crashed("the export", || self.saved.save(&scene, &target));
                    drop(self.events.blocking_send(Event::Saved { ticket: Box::new(ticket), result }));
                    return;
                }
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
                let begun = Instant::now();
                let written = self
                    .recovery
                    .as_mut()
                    .map(|files| unless_crashed("the export", || files.write(document, &scene, *details)));
                self.paused_until = Some(Instant::now() + begun.elapsed() * AUTOSAVE_PAUSE);
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
            StorageJob::OpenBuiltIn { name, asker } => self.open_built_in(name, asker),
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

    fn open_built_in(&self, name: String, asker: Asker) {
        if !self.built_in_scenes.iter().any(|scene| scene.name == name) {
            return asker.reply(Reply::Error { message: format!("there is no built-in scene `{name}`") });
        }
        let built_in = self.built_in;
        self.open(asker, move || {
            Ok(ReopenedScene { scene: recent::open_built_in(&name, built_in)?, recovered: None })
        });
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
            &self.built_in_scenes,
        );
        drop(self.events.blocking_send(Event::Files(files)));
    }
}

/// Returns the time at which the recovery file is written.
///
/// * `edits` — times of the first and the last edit that it does not have.
/// * `paused_until` — time before which none is written.
fn autosave_time([first, last]: [Instant; 2], paused_until: Option<Instant>) -> Instant {
    let due = (last + AUTOSAVE_DELAY).min(first + MAX_AUTOSAVE_DELAY);
    paused_until.map_or(due, |paused| paused.max(due))
}

/// Returns the result of what may crash, so that the thread goes on.
fn unless_crashed<T>(what: &str, run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| Err(format!("{what} crashed, which is a bug in Sunfleck")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovery_files_follow_edits_and_wait_after_a_long_one() {
        let first = Instant::now();
        let secs = Duration::from_secs;
        assert_eq!(autosave_time([first, first + secs(1)], None), first + secs(3));
        assert_eq!(autosave_time([first, first + secs(9)], None), first + secs(10), "edits do not end");
        assert_eq!(autosave_time([first, first], Some(first + secs(1))), first + secs(2));
        assert_eq!(autosave_time([first, first], Some(first + secs(30))), first + secs(30));
    }

    #[test]
    fn the_pause_is_ten_times_the_writing() {
        let folder = tempfile::tempdir().unwrap();
        let options = StorageOptions {
            save: folder.path().to_owned(),
            state: Some(folder.path().to_owned()),
            built_in: |name| Err(name.into()),
            built_in_scenes: Vec::new(),
            lists: true,
        };
        let (events, _inbox) = mpsc::channel(8);
        let mut worker = StorageWorker::new(&options, events);
        let begun = Instant::now();
        let camera = sunfleck_scene::Projection::Orthographic { height: 1.0 };
        let details = super::super::RecoveryDetails {
            name: "cornell".into(),
            source: crate::scene::SceneSource::BuiltIn("cornell".into()),
            saved_to: None,
            pose: crate::protocol::Pose { world_from_view: Default::default(), projection: camera },
            settings: Vec::new(),
        };
        let scene = Box::new(sunfleck_models::build("cornell").unwrap());
        worker.handle(StorageJob::Autosave { document: 0, state: 1, scene, details: Box::new(details) });
        let (now, paused) = (Instant::now(), worker.paused_until.unwrap());
        // The pause begins at the end of the writing
        assert!(paused > now && paused <= now + (now - begun) * AUTOSAVE_PAUSE);
    }
}
