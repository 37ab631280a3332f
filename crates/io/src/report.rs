//! Notes and warnings of imports and exports.

use std::fmt;
use std::path::{Path, PathBuf};

use sunfleck_image::ImageNote;

use crate::FileLocation;

/// Severity of a [`ReportEntry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// A choice or default that the import or export made.
    Note,
    /// Something was not imported or exported as the file or scene specifies.
    Warning,
}

/// Note or warning about a file that was loaded or saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportEntry {
    /// Severity.
    pub severity: Severity,
    /// File that the entry is about.
    pub file: PathBuf,
    /// Location in the file.
    pub location: FileLocation,
    /// One sentence.
    pub message: String,
}

impl fmt::Display for ReportEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}{}: {}", self.file.display(), self.location, self.message)
    }
}

/// Notes and warnings of loading or saving a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The entries in the order in which they were added.
    pub entries: Vec<ReportEntry>,
}

impl Report {
    /// Returns the entries that are warnings.
    pub fn warnings(&self) -> impl Iterator<Item = &ReportEntry> {
        self.entries.iter().filter(|entry| entry.severity == Severity::Warning)
    }
}

/// Builder of the [`Report`] of one file. It keeps at most [`Reporter::MAX_ENTRIES`] entries, so that a file with very
/// many problems yields a report that can still be read.
#[derive(Debug)]
pub(crate) struct Reporter {
    file: PathBuf,
    report: Report,
    omitted: usize,
}

impl Reporter {
    const MAX_ENTRIES: usize = 100;

    pub(crate) fn new(file: &Path) -> Self {
        Self { file: file.to_path_buf(), report: Report::default(), omitted: 0 }
    }

    pub(crate) fn note(&mut self, location: FileLocation, message: impl Into<String>) {
        let file = self.file.clone();
        self.note_in(&file, location, message);
    }

    pub(crate) fn warn(&mut self, location: FileLocation, message: impl Into<String>) {
        let file = self.file.clone();
        self.warn_in(&file, location, message);
    }

    /// Returns the file that the report is about.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Adds a note about another file that the loaded one refers to.
    pub(crate) fn note_in(&mut self, file: &Path, location: FileLocation, message: impl Into<String>) {
        let file = file.to_path_buf();
        self.add(ReportEntry { severity: Severity::Note, file, location, message: message.into() });
    }

    /// Adds a warning about another file that the loaded one refers to.
    pub(crate) fn warn_in(&mut self, file: &Path, location: FileLocation, message: impl Into<String>) {
        let file = file.to_path_buf();
        self.add(ReportEntry { severity: Severity::Warning, file, location, message: message.into() });
    }

    /// Adds the notes about an image.
    ///
    /// * `file` — file that refers to the image, or the image itself. * `name` — name of the image for messages, or an
    ///   empty string.
    pub(crate) fn image_notes(
        &mut self,
        file: &Path,
        location: &FileLocation,
        name: &str,
        notes: Vec<ImageNote>,
    ) {
        for note in notes {
            let severity = match note {
                ImageNote::Choice(_) => Severity::Note,
                ImageNote::Fault(_) | ImageNote::Missing(_) => Severity::Warning,
            };
            let message = if name.is_empty() { note.to_string() } else { format!("{name}: {note}") };
            self.add(ReportEntry { severity, file: file.to_path_buf(), location: location.clone(), message });
        }
    }

    /// Adds the notes and warnings of a report about another file.
    pub(crate) fn append(&mut self, report: Report) {
        report.entries.into_iter().for_each(|entry| self.add(entry));
    }

    fn add(&mut self, entry: ReportEntry) {
        if self.report.entries.len() < Self::MAX_ENTRIES {
            self.report.entries.push(entry);
        } else {
            self.omitted += 1;
        }
    }

    pub(crate) fn finish(mut self) -> Report {
        if self.omitted > 0 {
            let message = format!("{} more notes and warnings are not listed", self.omitted);
            let (severity, location) = (Severity::Warning, FileLocation::File);
            self.report.entries.push(ReportEntry { severity, file: self.file, location, message });
        }
        self.report
    }
}
