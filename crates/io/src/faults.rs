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
    /// A normal that has no direction.
    Normal,
    /// A tangent that has no direction, or no sign of the bitangent.
    Tangent,
    /// Texture coordinates that are not finite.
    TextureCoordinate,
    /// A colour that is not finite.
    Color,
    /// A colour of a vertex in an array of such colours that is not finite.
    VertexColor,
    /// A displacement of a morph target that is not finite.
    Displacement,
    /// A corner that refers to a normal or texture coordinate that does not exist.
    Corner,
    /// A face with too few or too many corners, or with a vertex that does not exist or is not valid.
    Face,
    /// A point with a vertex that does not exist or is not valid.
    Point,
    /// A free-form surface that is not supported, or has a vertex that does not exist or is not valid.
    Surface,
    /// A triangle of an indexed mesh with a vertex whose position is not finite.
    TriangleVertex,
    /// A triangle of an indexed mesh with a vertex that does not exist.
    TriangleIndex,
    /// A statement or header line that cannot be understood.
    Statement,
}

impl Fault {
    /// Returns what is done about the elements, for a message in which their number follows.
    fn remedy(self) -> &'static str {
        match self {
            Self::Position => "vertices without valid coordinates, whose faces are skipped",
            Self::Normal => "invalid normals, which are computed instead",
            Self::Tangent => "invalid tangents, which are computed instead",
            Self::TextureCoordinate => "invalid texture coordinates, which become (0, 0)",
            Self::Color => "invalid colours, which become white",
            Self::VertexColor => "invalid vertex colours, which become white",
            Self::Displacement => "invalid displacements of morph targets, which become 0",
            Self::Corner => {
                "missing normals and texture coordinates of corners, which are computed or become (0, 0)"
            }
            Self::Face => "faces skipped",
            Self::Point => "points skipped",
            Self::Surface => "surfaces skipped",
            Self::TriangleVertex => "triangles skipped, since a vertex is not finite",
            Self::TriangleIndex => "triangles skipped, since an index is out of range",
            Self::Statement => "statements ignored",
        }
    }

    /// Returns whether a file without a good face may lack it because of such a fault. All other faults are repaired.
    fn costs_faces(self) -> bool {
        match self {
            Self::Position
            | Self::Face
            | Self::Point
            | Self::Surface
            | Self::TriangleVertex
            | Self::TriangleIndex
            | Self::Statement => true,
            Self::Normal
            | Self::Tangent
            | Self::TextureCoordinate
            | Self::Color
            | Self::VertexColor
            | Self::Displacement
            | Self::Corner => false,
        }
    }
}

/// Faults of a file: their numbers, and the first of each kind.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    kinds: BTreeMap<Fault, (usize, ParseError)>,
    first: Option<First>,
}

/// First fault that may have cost faces.
#[derive(Debug)]
enum First {
    OfKind(Fault),
    LeftOut(ParseError),
}

impl Faults {
    /// Counts faults; `error` is called for the first one of its kind.
    pub(crate) fn add(&mut self, fault: Fault, count: usize, error: impl FnOnce() -> ParseError) {
        if count == 0 {
            return;
        }
        if fault.costs_faces() {
            self.first.get_or_insert(First::OfKind(fault));
        }
        self.kinds.entry(fault).or_insert_with(|| (0, error())).0 += count;
    }

    /// Returns the value of `result`, or counts its error and returns `None`.
    pub(crate) fn ok<T>(&mut self, fault: Fault, result: Result<T, ParseError>) -> Option<T> {
        result.map_err(|error| self.add(fault, 1, || error)).ok()
    }

    /// Remembers the error of faces that are left out, about which there is a warning already.
    pub(crate) fn remember(&mut self, error: ParseError) {
        self.first.get_or_insert(First::LeftOut(error));
    }

    /// Returns the faults of these kinds.
    pub(crate) fn only(mut self, kinds: &[Fault]) -> Self {
        self.kinds.retain(|kind, _| kinds.contains(kind));
        let first = self.first.filter(|first| matches!(first, First::OfKind(kind) if kinds.contains(kind)));
        Self { first, ..self }
    }

    /// Checks that the file is worth loading. Errors: the first fault that may have cost faces, if `nothing_left` says
    /// that the file has no good face.
    pub(crate) fn check(&mut self, nothing_left: bool) -> Result<(), ParseError> {
        let first = match self.first.take().filter(|_| nothing_left) {
            Some(First::OfKind(kind)) => self.kinds.remove(&kind).map(|(_, error)| error),
            Some(First::LeftOut(error)) => Some(error),
            None => None,
        };
        first.map_or(Ok(()), Err)
    }

    /// Checks the file as [`Self::check`] does, and adds a warning for each kind of fault to the report.
    pub(crate) fn report(mut self, nothing_left: bool, report: &mut Reporter) -> Result<(), ParseError> {
        self.check(nothing_left)?;
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

    /// Adds a warning for each kind of fault to the report, for files in which the location is all there is to say
    /// about the first one.
    pub(crate) fn report_numbers(self, report: &mut Reporter) {
        for (fault, (count, ParseError { location, .. })) in self.kinds {
            report.warn(location, format!("{}: {count}", fault.remedy()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileLocation;

    #[test]
    fn only_faults_that_cost_faces_are_errors() {
        let error = |message: &str| ParseError::malformed(FileLocation::File, message);
        let mut faults = Faults::default();
        faults.add(Fault::Face, 0, || error("none"));
        faults.add(Fault::Normal, 2, || error("normal"));
        assert!(faults.check(true).is_ok());
        for nothing_left in [false, true] {
            let mut faults = Faults::default();
            faults.add(Fault::Color, 1, || error("colour"));
            faults.add(Fault::Face, 1, || error("face"));
            faults.remember(error("object"));
            let found = faults.check(nothing_left).err().map(|error| error.problem.to_string());
            assert_eq!(found.as_deref(), nothing_left.then_some("face"));
        }
    }
}
