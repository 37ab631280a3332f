//! Runs `sunfleck` in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder that disappears afterwards.
pub(crate) struct Folder(tempfile::TempDir);

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
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

    /// Names of all files, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// `sunfleck` with these words, separated by spaces.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sunfleck"));
        command.args(words.split_whitespace()).current_dir(self.0.path());
        command
    }

    /// Runs it to the end.
    pub(crate) fn sunfleck(&self, words: &str) -> Ran {
        self.command(words).output().unwrap().into()
    }

    /// Runs it to the end, which must be good; what it printed is JSON.
    pub(crate) fn json(&self, words: &str) -> serde_json::Value {
        let ran = self.sunfleck(&format!("{words} --json"));
        assert_eq!(ran.code, Some(0), "{words}: {ran:?}");
        serde_json::from_str(&ran.stdout).unwrap()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Ran {
    /// It ended well.
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// It refused its input in one clear sentence that has these words in it.
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

/// A picture with as many pixels as asked for, not all of them equal.
pub(crate) fn assert_picture(path: &Path, width: u32, height: u32) {
    let picture = sunfleck_image::read_picture(path).unwrap();
    assert_eq!((picture.width(), picture.height()), (width, height), "{}", path.display());
    let first = picture.pixel(0, 0);
    assert!(
        picture.pixels().iter().any(|&p| (p - first).length() > 0.01),
        "{} shows nothing",
        path.display()
    );
    assert!(
        picture.pixels().iter().all(|p| p.is_finite()),
        "{} has pixels that are no numbers",
        path.display()
    );
}
