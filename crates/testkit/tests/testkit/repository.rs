//! Paths of the files of this repository.

use std::fs;
use std::path::{Path, PathBuf};

/// Root folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns the sources, scripts and documents, sorted by path.
pub(crate) fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["crates", "docs", "scripts"] {
        collect(&root().join(folder), &mut files);
    }
    let top_level =
        fs::read_dir(root()).expect("the root folder").map(|entry| entry.expect("an entry").path());
    files.extend(top_level.filter(|path| path.extension().is_some_and(|kind| kind == "md")));
    files.sort();
    files
}

/// Formats the path of a file relative to [`root`], for messages.
pub(crate) fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.push(path);
        }
    }
}
