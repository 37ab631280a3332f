//! Statements and options of text files that are not used.

use std::collections::BTreeMap;
use std::path::Path;

use crate::FileLocation;
use crate::report::Reporter;

/// Statements or options of a file that are not used, by name: their numbers and the first location.
#[derive(Debug, Default)]
pub(crate) struct Unused {
    names: BTreeMap<String, (usize, FileLocation)>,
    more: usize,
}

impl Unused {
    /// More names than these are counted together.
    const MAX_NAMES: usize = 20;

    /// Counts a use of a name, which is shortened if it is long.
    pub(crate) fn add(&mut self, name: &str, location: impl FnOnce() -> FileLocation) {
        const MAX_CHARS: usize = 16;
        let name: String = name.chars().take(MAX_CHARS).collect();
        if self.names.len() < Self::MAX_NAMES || self.names.contains_key(&name) {
            self.names.entry(name).or_insert_with(|| (0, location())).0 += 1;
        } else {
            self.more += 1;
        }
    }

    /// Adds a warning about `file` for each name to the report.
    ///
    /// * `what` — "statement" or "option".
    pub(crate) fn warn_in(self, file: &Path, what: &str, report: &mut Reporter) {
        for (name, (count, location)) in self.names {
            let message = format!("{count} × {name:?}: the {what} is not supported and is ignored");
            report.warn_in(file, location, message);
        }
        if self.more > 0 {
            let message = format!("{} other {what}s are not supported and are ignored", self.more);
            report.warn_in(file, FileLocation::File, message);
        }
    }

    /// Adds a note about `file` for each name to the report, which says why it has no use.
    pub(crate) fn note_in(self, file: &Path, reason: &str, report: &mut Reporter) {
        for (name, (count, location)) in self.names {
            report.note_in(file, location, format!("{count} × {name:?}: {reason}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_counted_together() {
        let mut unused = Unused::default();
        for name in ["a", "very long names are cut", "a"].into_iter().chain(["b"; 3]) {
            unused.add(name, || FileLocation::Byte(7));
        }
        for i in 0..20 {
            unused.add(&format!("x{i}"), || FileLocation::File);
        }
        let mut report = Reporter::new(Path::new("f"));
        unused.warn_in(Path::new("g"), "option", &mut report);
        let entries: Vec<String> = report.finish().entries.iter().map(ToString::to_string).collect();
        assert_eq!(entries[0], "warning: g at byte 7: 2 × \"a\": the option is not supported and is ignored");
        assert!(entries[2].contains("1 × \"very long names \""), "{entries:?}");
        assert_eq!(entries.last().unwrap(), "warning: g: 3 other options are not supported and are ignored");
        assert_eq!(entries.len(), 21);
    }
}
