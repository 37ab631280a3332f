//! Copies of uploaded files, from which recent scenes are opened again.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum size of all copies in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// Age below which a copy is kept although no list names it yet.
const GRACE: Duration = Duration::from_secs(600);
/// File with the names of the others.
const NAMES: &str = "names.json";

/// Folder with a folder per upload, whose files are numbered: their names may be anything.
#[derive(Clone, Debug)]
pub(crate) struct UploadCopies(PathBuf);

impl UploadCopies {
    pub(super) fn new(state: &Path) -> Self {
        Self(state.join("uploads"))
    }

    /// Copies files, and returns the name of their folder.
    ///
    /// # Errors
    /// They are too large, or cannot be written.
    pub(crate) fn add(&self, files: &[(String, Vec<u8>)]) -> io::Result<String> {
        let bytes: u64 = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        if bytes > MAX_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        std::fs::create_dir_all(&self.0)?;
        let folder = tempfile::Builder::new().prefix("upload-").tempdir_in(&self.0)?;
        for (number, (_, bytes)) in files.iter().enumerate() {
            std::fs::write(folder.path().join(number.to_string()), bytes)?;
        }
        let names: Vec<_> = files.iter().map(|(name, _)| name).collect();
        std::fs::write(folder.path().join(NAMES), serde_json::to_vec(&names)?)?;
        let name = folder.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let _kept = folder.keep();
        Ok(name)
    }

    /// Deletes a copy, such as that of files that turned out not to be a scene.
    pub(crate) fn remove(&self, copy: &str) {
        if let Some(folder) = self.folder(copy) {
            drop(std::fs::remove_dir_all(folder));
        }
    }

    /// Returns the size of a copy in bytes; `None` if it does not exist.
    pub(super) fn bytes(&self, copy: &str) -> Option<u64> {
        let folder = self.folder(copy).filter(|folder| folder.join(NAMES).exists())?;
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let contents = files.filter(|file| file.file_name() != NAMES);
        Some(contents.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum())
    }

    /// Returns whether two copies have the same files with the same contents.
    pub(super) fn are_same(&self, a: &str, b: &str) -> bool {
        let (Some(a), Some(b)) = (self.folder(a), self.folder(b)) else { return false };
        let bytes = |path: &Path| Some(path.metadata().ok()?.len());
        let is_same_file = |name: &str| {
            let [a, b] = [a.join(name), b.join(name)];
            bytes(&a).is_some() && bytes(&a) == bytes(&b) && std::fs::read(a).ok() == std::fs::read(b).ok()
        };
        let count = std::fs::read_dir(&a).into_iter().flatten().count();
        // The names first, so that other contents are compared only for uploads that look alike
        is_same_file(NAMES) && (0..count - 1).all(|number| is_same_file(&number.to_string()))
    }

    /// Reads the files of a copy: names and contents.
    ///
    /// # Errors
    /// They are missing or cannot be read.
    pub(super) fn read(&self, copy: &str) -> io::Result<Vec<(String, Vec<u8>)>> {
        let folder = self.folder(copy).ok_or(io::ErrorKind::NotFound)?;
        let names: Vec<String> = serde_json::from_slice(&std::fs::read(folder.join(NAMES))?)?;
        let read = |(number, name)| Ok((name, std::fs::read(folder.join(usize::to_string(&number)))?));
        names.into_iter().enumerate().map(read).collect()
    }

    /// Deletes copies that are not in a list, and the last ones in it if all together are too large.
    ///
    /// * `wanted` — the most recent one first.
    pub(super) fn prune(&self, wanted: &[&str]) {
        let mut bytes = 0;
        for entry in std::fs::read_dir(&self.0).into_iter().flatten().flatten() {
            let is_new = entry.metadata().and_then(|data| data.modified()).ok();
            let is_new = is_new.and_then(|time| time.elapsed().ok()).is_none_or(|age| age < GRACE);
            let is_wanted = wanted.iter().any(|name| *name == entry.file_name());
            if !is_wanted && !is_new {
                drop(std::fs::remove_dir_all(entry.path()));
            }
        }
        for copy in wanted {
            bytes += self.bytes(copy).unwrap_or(0);
            if bytes > MAX_BYTES {
                self.remove(copy);
            }
        }
    }

    /// Returns the folder of a copy; `None` if its name is a path.
    fn folder(&self, copy: &str) -> Option<PathBuf> {
        let plain =
            copy.starts_with("upload-") && copy.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        plain.then(|| self.0.join(copy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_they_were() {
        let state = tempfile::tempdir().unwrap();
        let copies = UploadCopies::new(state.path());
        let files = vec![("../../a.obj".to_string(), b"v".to_vec()), ("b/c.mtl".to_string(), Vec::new())];
        let copy = copies.add(&files).unwrap();
        assert_eq!(copies.read(&copy).unwrap(), files);
        let again = copies.add(&files).unwrap();
        let mut changed = files.clone();
        changed[0].1 = b"w".to_vec();
        let changed = copies.add(&changed).unwrap();
        assert!(copies.are_same(&copy, &again) && !copies.are_same(&copy, &changed));
        assert!(!copies.are_same(&copy, "upload-x") && !copies.are_same("upload-x", "upload-x"));
        assert!(copies.read("../uploads").is_err() && copies.bytes("upload-x").is_none());
        copies.prune(&[&copy]);
        assert_eq!(copies.bytes(&copy), Some(1));
    }
}
