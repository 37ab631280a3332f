use std::fmt;
use std::path::{Path, PathBuf};

use crate::FileLocation;

/// How much a [`ReportEntry`] matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// What was chosen where the file leaves a choice.
    Note,
    /// Something in the file is not shown as it was meant.
    Warning,
}

/// Something to know about a file that was loaded or saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportEntry {
    /// How much it matters.
    pub severity: Severity,
    /// The file.
    pub file: PathBuf,
    /// Where in it.
    pub place: FileLocation,
    /// One sentence.
    pub message: String,
}

impl fmt::Display for ReportEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}{}: {}", self.file.display(), self.place, self.message)
    }
}

/// What was noticed while loading or saving, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// In the order of being noticed.
    pub entries: Vec<ReportEntry>,
}

impl Report {
    /// Only what is not shown as it was meant.
    pub fn warnings(&self) -> impl Iterator<Item = &ReportEntry> {
        self.entries.iter().filter(|entry| entry.severity == Severity::Warning)
    }
}

/// Writes the [`Report`] of one file; says at most [`Reporter::MOST`] things, so that a file with a million faults does
/// not drown the person who reads it.
#[derive(Debug)]
pub(crate) struct Reporter {
    file: PathBuf,
    report: Report,
    unsaid: usize,
}

impl Reporter {
    const MOST: usize = 100;

    pub(crate) fn new(file: &Path) -> Self {
        Self { file: file.to_path_buf(), report: Report::default(), unsaid: 0 }
    }

    pub(crate) fn note(&mut self, place: FileLocation, message: impl Into<String>) {
        let file = self.file.clone();
        self.add(ReportEntry { severity: Severity::Note, file, place, message: message.into() });
    }

    pub(crate) fn warn(&mut self, place: FileLocation, message: impl Into<String>) {
        let file = self.file.clone();
        self.warn_in(&file, place, message);
    }

    /// A warning about a file that the loaded one names.
    pub(crate) fn warn_in(&mut self, file: &Path, place: FileLocation, message: impl Into<String>) {
        let file = file.to_path_buf();
        self.add(ReportEntry { severity: Severity::Warning, file, place, message: message.into() });
    }

    fn add(&mut self, entry: ReportEntry) {
        if self.report.entries.len() < Self::MOST {
            self.report.entries.push(entry);
        } else {
            self.unsaid += 1;
        }
    }

    pub(crate) fn finish(mut self) -> Report {
        if self.unsaid > 0 {
            let message = format!("{} more notes and warnings are left out", self.unsaid);
            let (severity, place) = (Severity::Warning, FileLocation::File);
            self.report.entries.push(ReportEntry { severity, file: self.file, place, message });
        }
        self.report
    }
}
