//! What a scene has and the importer leaves out or replaces: one warning or note for each kind, with its first place.

use std::path::Path;

use super::place::SourcePlace;
use super::{MEDIA_ARE_KEPT, MEDIUM_IS_LEFT_OUT};
use crate::report::Reporter;

/// Kinds of things that are left out or replaced, in the order of their first places.
#[derive(Debug, Default)]
pub(crate) struct Omissions {
    kinds: Vec<Omission>,
}

#[derive(Debug)]
struct Omission {
    message: String,
    is_warning: bool,
    count: usize,
    place: SourcePlace,
}

impl Omissions {
    /// Counts something that is not as the file has it.
    pub(crate) fn warn(&mut self, place: &SourcePlace, message: impl Into<String>) {
        self.add(place, message.into(), true);
    }

    /// Counts a choice.
    pub(crate) fn note(&mut self, place: &SourcePlace, message: impl Into<String>) {
        self.add(place, message.into(), false);
    }

    /// Counts a participating medium.
    ///
    /// * `is_kept` — whether the scene has it.
    pub(crate) fn medium(&mut self, place: &SourcePlace, is_kept: bool) {
        self.warn(place, if is_kept { MEDIA_ARE_KEPT } else { MEDIUM_IS_LEFT_OUT });
    }

    fn add(&mut self, place: &SourcePlace, message: String, is_warning: bool) {
        // Of more kinds than a report has entries, only one is counted further
        const MAX_KINDS: usize = 200;
        let is_full = self.kinds.len() >= MAX_KINDS;
        match self.kinds.iter_mut().find(|omission| omission.message == message) {
            Some(omission) => omission.count += 1,
            None if is_full => {}
            None => self.kinds.push(Omission { message, is_warning, count: 1, place: place.clone() }),
        }
    }

    /// Adds an entry for each kind to the report.
    pub(crate) fn report(self, report: &mut Reporter) {
        let own = report.file().to_path_buf();
        for Omission { message, is_warning, count, place } in self.kinds {
            let message = if count == 1 { message } else { format!("{count} × {message}") };
            let file = place.included.as_ref().map_or(own.as_path(), |included| Path::new(&included.name));
            if is_warning {
                report.warn_in(file, place.location, message);
            } else {
                report.note_in(file, place.location, message);
            }
        }
    }
}
