//! Recovery files: unsaved edits, written while they are made, so that they outlive a crash.
//!
//! Each server has a folder of its own with a locked file in it. The system removes the lock when the process ends,
//! however it ends; so a folder whose file can be locked belongs to a server that is gone.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sunfleck_engine::StageChoice;
use sunfleck_image::replace_file;
use sunfleck_io::{NoFiles, load_bytes, save_bytes};
use sunfleck_scene::Scene;

use super::orphans::{Orphan, orphans_in};
use crate::ViewerScene;
use crate::protocol::{Pose, Settings, UnsavedRow};
use crate::scene::SceneSource;

/// Name of the file that a running server has locked.
pub(super) const LOCK: &str = "lock";

/// What is kept beside an unsaved scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecoveryDetails {
    pub(crate) name: String,
    pub(crate) source: SceneSource,
    /// File to which it has been saved before.
    pub(crate) saved_to: Option<PathBuf>,
    pub(crate) pose: Pose,
    /// Settings, to be applied one after the other.
    pub(crate) settings: Vec<Settings>,
}

/// Content of the JSON file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RecoveryFile {
    /// Time in seconds since 1970.
    secs: u64,
    details: RecoveryDetails,
}

/// Unsaved scenes of this server, and those of earlier ones that ended without saving.
#[derive(Debug)]
pub(super) struct Recovery {
    /// Folder with a folder per server.
    folder: PathBuf,
    /// Folder of this server with its locked file, from the first unsaved edit on.
    own: Option<(PathBuf, File)>,
    orphans: Vec<Orphan>,
}

impl Recovery {
    /// Finds the unsaved scenes of servers that have ended.
    pub(super) fn new(state: &Path) -> Self {
        let folder = state.join("recovery");
        let orphans = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let orphans = orphans.flat_map(|entry| orphans_in(&entry.path())).enumerate();
        let orphans = orphans.map(|(number, orphan)| Orphan { number, ..orphan }).collect();
        Self { folder, own: None, orphans }
    }

    /// Returns the unsaved scenes of earlier servers for pages.
    pub(super) fn rows(&self) -> Vec<UnsavedRow> {
        let row = |Orphan { number, file, .. }: &Orphan| UnsavedRow {
            number: *number,
            name: file.details.name.clone(),
            secs: file.secs,
        };
        self.orphans.iter().map(row).collect()
    }

    /// Returns the path of an unsaved scene of an earlier server, and what is known of it.
    pub(super) fn orphan(&self, number: usize) -> Option<(PathBuf, RecoveryDetails)> {
        let orphan = self.orphans.iter().find(|orphan| orphan.number == number)?;
        Some((orphan.path.with_extension("glb"), orphan.file.details.clone()))
    }

    /// Deletes an unsaved scene of an earlier server.
    pub(super) fn discard(&mut self, number: usize) {
        if let Some(position) = self.orphans.iter().position(|orphan| orphan.number == number) {
            let Orphan { path, lock, .. } = self.orphans.remove(position);
            remove(&path);
            drop(lock);
            remove_if_empty(path.parent());
        }
    }

    /// Makes an unsaved scene of an earlier server one of this server.
    pub(super) fn adopt(&mut self, scene: &Path, document: u64) {
        let found = self.orphans.iter().find(|orphan| orphan.path.with_extension("glb") == scene);
        let Some((number, from)) = found.map(|orphan| (orphan.number, orphan.path.clone())) else { return };
        let moved = self.own_folder().and_then(|folder| {
            let to = folder.join(document.to_string());
            std::fs::rename(from.with_extension("glb"), to.with_extension("glb"))?;
            std::fs::rename(from.with_extension("json"), to.with_extension("json")).inspect_err(|_| {
                // Neither of both is found without the other
                drop(std::fs::rename(to.with_extension("glb"), from.with_extension("glb")));
            })
        });
        // Otherwise it is offered again at the next start, which is better than being lost
        if moved.is_ok() {
            self.discard(number);
        }
    }

    /// Writes an unsaved scene of this server.
    ///
    /// # Errors
    /// A message for the user.
    pub(super) fn write(
        &mut self,
        document: u64,
        scene: &Scene,
        details: RecoveryDetails,
    ) -> Result<(), String> {
        let file = format!("{document}.glb");
        let saved = save_bytes(scene, Path::new(&file)).map_err(|error| error.to_string())?;
        let secs = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let write = |folder: &Path| {
            let text = serde_json::to_vec(&RecoveryFile { secs, details })?;
            // A scene without details is not found, so it comes first
            replace_file(&folder.join(&file), &saved.bytes)?;
            replace_file(&folder.join(format!("{document}.json")), &text)
        };
        let written = self.own_folder().and_then(|folder| write(&folder));
        written.map_err(|error| format!("{}: {error}", self.folder.display()))
    }

    /// Deletes an unsaved scene of this server, if there is one.
    pub(super) fn forget(&mut self, document: u64) {
        if let Some((folder, _)) = &self.own {
            remove(&folder.join(document.to_string()));
        }
    }

    /// Returns the folder of this server.
    fn own_folder(&mut self) -> io::Result<PathBuf> {
        if let Some((folder, _)) = &self.own {
            return Ok(folder.clone());
        }
        std::fs::create_dir_all(&self.folder)?;
        let folder = tempfile::Builder::new().prefix("server-").tempdir_in(&self.folder)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        // Waits for another server that is looking for folders of servers that have ended. Not needed where there is
        // only one server; some network file systems have no locks
        drop(lock.lock());
        let folder = folder.keep();
        self.own = Some((folder.clone(), lock));
        Ok(folder)
    }
}

/// Removes the folder of this server, unless unsaved scenes are in it.
impl Drop for Recovery {
    fn drop(&mut self) {
        if let Some((folder, lock)) = self.own.take() {
            drop(lock);
            remove_if_empty(Some(&folder));
        }
    }
}

/// Opens an unsaved scene.
///
/// # Errors
/// A message for the user.
pub(super) fn open(scene: &Path, details: &RecoveryDetails) -> Result<ViewerScene, String> {
    let bytes = std::fs::read(scene).map_err(|error| format!("{}: {error}", scene.display()))?;
    let loaded = load_bytes(scene, &bytes, &NoFiles).map_err(|error| error.to_string())?;
    let notes = vec!["note: unsaved edits of an earlier start were recovered".to_string()];
    // The stage is part of the scene
    let opened = ViewerScene::new(&*details.name, loaded.scene, StageChoice::None, notes);
    Ok(opened.map_err(|error| error.to_string())?.of_source(details.source.clone()))
}

/// Removes both files of a scene. Those that cannot be removed are offered once more.
fn remove(path: &Path) {
    // Details without a scene are not found, so that they may be left
    drop(std::fs::remove_file(path.with_extension("glb")));
    drop(std::fs::remove_file(path.with_extension("json")));
}

/// Removes the folder of a server if no scene is left in it.
pub(super) fn remove_if_empty(folder: Option<&Path>) {
    let Some(folder) = folder else { return };
    let mut files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    if files.all(|file| file.file_name() == LOCK) {
        drop(std::fs::remove_dir_all(folder));
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Affine3;
    use sunfleck_scene::Projection;

    use super::*;

    fn details(name: &str) -> RecoveryDetails {
        let projection = Projection::Orthographic { height: 2.0 };
        RecoveryDetails {
            name: name.into(),
            source: SceneSource::BuiltIn(name.into()),
            saved_to: None,
            pose: Pose { world_from_view: Affine3::IDENTITY, projection },
            settings: vec![Settings { samples: Some(7), ..Settings::default() }],
        }
    }

    #[test]
    fn only_scenes_of_servers_that_have_ended_are_found() {
        let state = tempfile::tempdir().unwrap();
        let scene = sunfleck_models::build("cornell").unwrap();
        let mut first = Recovery::new(state.path());
        first.write(3, &scene, details("cornell")).unwrap();
        first.write(4, &scene, details("saved")).unwrap();
        first.forget(4);
        assert_eq!(Recovery::new(state.path()).rows().len(), 0, "the server is running");
        drop(first);

        let mut second = Recovery::new(state.path());
        assert_eq!(second.rows().len(), 1);
        assert_eq!(Recovery::new(state.path()).rows().len(), 0, "the second server offers it");
        let (path, found) = second.orphan(0).unwrap();
        assert_eq!(found, details("cornell"));
        let opened = open(&path, &found).unwrap();
        assert_eq!(opened.world.scene().nodes().len(), scene.nodes().len());
        second.adopt(&path, 9);
        assert_eq!(second.rows().len(), 0);
        drop(second);

        let mut third = Recovery::new(state.path());
        assert_eq!(third.rows()[0].name, "cornell", "it was adopted, but not saved");
        third.discard(0);
        drop(third);
        assert_eq!(std::fs::read_dir(state.path().join("recovery")).unwrap().count(), 0);
    }

    #[test]
    fn a_scene_that_cannot_be_adopted_stays_where_it_is() {
        let state = tempfile::tempdir().unwrap();
        let scene = sunfleck_models::build("cornell").unwrap();
        Recovery::new(state.path()).write(3, &scene, details("cornell")).unwrap();
        let mut second = Recovery::new(state.path());
        // In the way of the details
        let own = second.own_folder().unwrap();
        std::fs::create_dir_all(own.join("9.json/full")).unwrap();
        let (path, _) = second.orphan(0).unwrap();
        second.adopt(&path, 9);
        assert!(path.exists() && path.with_extension("json").exists());
        drop(second);
        assert_eq!(Recovery::new(state.path()).rows().len(), 1, "it is offered again");
    }
}
