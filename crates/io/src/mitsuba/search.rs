//! Folders in which the files of a scene are searched.

use sunfleck_image::io_reason;

use crate::{FileKind, FileReference, Resolver};

/// Folders in which files are searched: those of `<path>` before that of the scene.
#[derive(Debug)]
pub(super) struct SearchPaths<'a> {
    pub(super) folders: Vec<String>,
    pub(super) files: &'a dyn Resolver,
}

impl SearchPaths<'_> {
    /// Reads a file from the first folder that has it. Returns its name relative to the scene, too.
    ///
    /// Errors: one sentence.
    pub(super) fn read(&self, name: &str, kind: FileKind) -> Result<(String, Vec<u8>), String> {
        let name = name.replace('\\', "/");
        let candidates = self.folders.iter().rev().map(|folder| format!("{folder}/{name}"));
        let mut reason = None;
        for candidate in candidates.chain([name.clone()]) {
            match self.files.read(FileReference::new(&candidate, kind)) {
                Ok(bytes) => return Ok((candidate, bytes)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && reason.is_some() => {}
                Err(error) => reason = Some(io_reason(&error)),
            }
        }
        Err(format!("cannot read {name}: {}", reason.unwrap_or_default()))
    }
}
