//! Runs of `sunfleck` in a temporary folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Temporary folder, deleted when dropped.
pub(crate) struct Folder(tempfile::TempDir);

/// Exit code and output of a run.
#[derive(Debug)]
pub(crate) struct RunResult {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Returns the names of all files, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Returns the command `sunfleck` with arguments separated by spaces.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sunfleck"));
        command.args(words.split_whitespace()).current_dir(self.0.path());
        command
    }

    /// Runs `sunfleck` to its end.
    pub(crate) fn sunfleck(&self, words: &str) -> RunResult {
        self.command(words).output().unwrap().into()
    }

    /// Runs `sunfleck` with `--json`, which must succeed, and returns its output.
    pub(crate) fn json(&self, words: &str) -> serde_json::Value {
        let run = self.sunfleck(&format!("{words} --json"));
        assert_eq!(run.code, Some(0), "{words}: {run:?}");
        serde_json::from_str(&run.stdout).unwrap()
    }
}

impl From<Output> for RunResult {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl RunResult {
    /// Asserts that the run succeeded.
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Asserts that the run failed with bad input and an error message that contains `words`.
    pub(crate) fn refused(self, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert!(self.stderr.starts_with("error: "), "{self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is missing in: {}", self.stderr);
        }
        self
    }
}

/// Asserts that an image has the given size and finite pixels that are not all equal.
pub(crate) fn assert_picture(path: &Path, width: u32, height: u32) {
    let picture = sunfleck_image::read_picture(path).unwrap();
    assert_eq!((picture.width(), picture.height()), (width, height), "{}", path.display());
    let first = picture.pixel(0, 0);
    assert!(picture.pixels().iter().any(|&p| (p - first).length() > 0.01), "{} is uniform", path.display());
    assert!(picture.pixels().iter().all(|p| p.is_finite()), "{} has infinite or NaN pixels", path.display());
}
