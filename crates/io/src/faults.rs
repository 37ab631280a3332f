//! Faulty elements of a file whose other elements are good. They are skipped or repaired, and each kind of fault is one
//! warning.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::ParseError;
use crate::report::Reporter;

/// Kind of a faulty element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// A vertex without valid coordinates.
    Position,
    /// A normal that is zero or not finite.
    Normal,
    /// Texture coordinates that are not finite.
    TextureCoordinate,
    /// A colour that is not finite.
    Color,
    /// A corner that refers to a normal or texture coordinate that does not exist.
    Corner,
    /// A face with too few or too many corners, or with a vertex that does not exist or is not valid.
    Face,
    /// A statement or header line that cannot be understood.
    Statement,
}

impl Fault {
    /// Returns what is done about the elements, for a message in which their number follows.
    fn remedy(self) -> &'static str {
        match self {
            Self::Position => "vertices without valid coordinates, whose faces are skipped",
            Self::Normal => "invalid normals, which are computed instead",
            Self::TextureCoordinate => "invalid texture coordinates, which become (0, 0)",
            Self::Color => "invalid colours, which become white",
            Self::Corner => {
                "missing normals and texture coordinates of corners, which are computed or become (0, 0)"
            }
            Self::Face => "faces skipped",
            Self::Statement => "statements ignored",
        }
    }
}

/// Faults of a file: their numbers, and the first of each kind.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    kinds: BTreeMap<Fault, (usize, ParseError)>,
    first: Option<Fault>,
}

impl Faults {
    /// Counts a fault; `error` is called for the first one of its kind.
    pub(crate) fn add(&mut self, fault: Fault, error: impl FnOnce() -> ParseError) {
        self.first.get_or_insert(fault);
        self.kinds.entry(fault).or_insert_with(|| (0, error())).0 += 1;
    }

    /// Returns the value of `result`, or counts its error and returns `None`.
    pub(crate) fn ok<T>(&mut self, fault: Fault, result: Result<T, ParseError>) -> Option<T> {
        result.map_err(|error| self.add(fault, || error)).ok()
    }

    /// Returns the faults of these kinds.
    pub(crate) fn only(mut self, kinds: &[Fault]) -> Self {
        self.kinds.retain(|kind, _| kinds.contains(kind));
        Self { first: self.first.filter(|first| kinds.contains(first)), ..self }
    }

    /// Adds a warning for each kind of fault to the report. Errors: the first fault, if `nothing_left` says that the
    /// file has no good face.
    pub(crate) fn report(mut self, nothing_left: bool, report: &mut Reporter) -> Result<(), ParseError> {
        if let Some((_, error)) =
            self.first.filter(|_| nothing_left).and_then(|first| self.kinds.remove(&first))
        {
            return Err(error);
        }
        let file = report.file().to_path_buf();
        self.report_in(&file, report);
        Ok(())
    }

    /// Adds a warning about `file` for each kind of fault to the report.
    pub(crate) fn report_in(self, file: &Path, report: &mut Reporter) {
        for (fault, (count, ParseError { location, problem })) in self.kinds {
            report.warn_in(file, location, format!("{}: {count}; the first: {problem}", fault.remedy()));
        }
    }
}

/// Statements, properties and options of a file that are not used, by name: their numbers and the first location.
#[derive(Debug, Default)]
pub(crate) struct Unused {
    names: BTreeMap<String, (usize, crate::FileLocation)>,
    more: usize,
}

impl Unused {
    /// More names than these are counted together.
    const MAX_NAMES: usize = 20;

    /// Counts a use of a name, which is shortened if it is long.
    pub(crate) fn add(&mut self, name: &str, location: impl FnOnce() -> crate::FileLocation) {
        const MAX_CHARS: usize = 16;
        let name: String = name.chars().take(MAX_CHARS).collect();
        if self.names.len() < Self::MAX_NAMES || self.names.contains_key(&name) {
            self.names.entry(name).or_insert_with(|| (0, location())).0 += 1;
        } else {
            self.more += 1;
        }
    }

    /// Passes each name with its number and the first location to `each`, and the number of the uses of other names
    /// under an empty name.
    pub(crate) fn report(self, mut each: impl FnMut(&str, usize, crate::FileLocation)) {
        for (name, (count, location)) in self.names {
            each(&name, count, location);
        }
        if self.more > 0 {
            each("", self.more, crate::FileLocation::File);
        }
    }
}
