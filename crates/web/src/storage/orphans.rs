//! Unsaved scenes of servers that have ended.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::recovery::{LOCK, RecoveryFile, remove_if_empty};

/// Age from which a folder is not that of a server which is just starting, and has not locked its file yet.
const STARTED: Duration = Duration::from_secs(60);

/// Unsaved scene of an earlier server.
#[derive(Debug)]
pub(super) struct Orphan {
    /// Number by which a page names it.
    pub(super) number: usize,
    /// Path without extension.
    pub(super) path: PathBuf,
    pub(super) file: RecoveryFile,
    /// Keeps other servers from offering it, too.
    pub(super) lock: File,
}

/// Returns the unsaved scenes in the folder of a server that has ended, and removes everything else from it.
pub(super) fn orphans_in(folder: &Path) -> Vec<Orphan> {
    let lock = || {
        let file = OpenOptions::new().write(true).open(folder.join(LOCK)).ok()?;
        file.try_lock().is_ok().then_some(file)
    };
    let Some(lock) = lock() else { return Vec::new() };
    let age = lock.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
    if age.is_some_and(|age| age >= STARTED) {
        remove_leftovers(folder);
    }
    let orphan = |entry: std::fs::DirEntry| {
        let path = entry.path();
        let is_details = path.extension().is_some_and(|extension| extension == "json");
        if !is_details || !path.with_extension("glb").exists() {
            return None;
        }
        let file = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
        Some(Orphan { path: path.with_extension(""), file, lock: lock.try_clone().ok()?, number: 0 })
    };
    std::fs::read_dir(folder).into_iter().flatten().flatten().filter_map(orphan).collect()
}

/// Removes what a crash has left: temporary files, and scenes and details without each other. Pairs that cannot be read
/// stay, since another version may read them.
fn remove_leftovers(folder: &Path) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let is_left = match path.extension().and_then(|extension| extension.to_str()) {
            Some("glb") => !path.with_extension("json").exists(),
            Some("json") => !path.with_extension("glb").exists(),
            Some("part") => true,
            _ => false,
        };
        if is_left {
            drop(std::fs::remove_file(path));
        }
    }
    remove_if_empty(Some(folder));
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::super::recovery::Recovery;
    use super::*;

    #[test]
    fn what_a_crash_leaves_is_removed_and_pairs_stay() {
        let state = tempfile::tempdir().unwrap();
        let folder = |name: &str, files: &[&str], age: Duration| {
            let folder = state.path().join("recovery").join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let lock = File::create(folder.join(LOCK)).unwrap();
            lock.set_modified(SystemTime::now() - age).unwrap();
            files.iter().for_each(|file| std::fs::write(folder.join(file), "{}").unwrap());
        };
        folder("server-a", &[".sunfleck-1.part", "0.glb", "1.json"], 2 * STARTED);
        folder("server-b", &[], 2 * STARTED);
        folder("server-c", &["0.glb", "0.json", "1.glb"], 2 * STARTED);
        folder("server-starting", &[], Duration::ZERO);
        assert_eq!(Recovery::new(state.path()).rows().len(), 0, "the details of the pair cannot be read");
        let names = |path: &Path| {
            let mut names: Vec<_> =
                std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let left = state.path().join("recovery");
        assert_eq!(names(&left), ["server-c", "server-starting"]);
        assert_eq!(names(&left.join("server-c")), ["0.glb", "0.json", LOCK]);
    }
}
