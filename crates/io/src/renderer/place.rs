//! Places of elements, in the scene file or in a file that it includes.

use std::rc::Rc;

use crate::FileLocation;
use crate::error::{ImportProblem, ParseError};

/// Where an element is.
#[derive(Clone, Debug)]
pub(crate) struct SourcePlace {
    /// `None` in the scene file itself.
    pub(crate) included: Option<Rc<Included>>,
    pub(crate) location: FileLocation,
}

/// File that the scene file includes.
#[derive(Debug)]
pub(crate) struct Included {
    /// Name as the scene writes it.
    pub(crate) name: String,
    /// Location in the scene file of the element that includes it, directly or through others.
    pub(crate) from: FileLocation,
}

impl SourcePlace {
    /// Returns the error of an element that is not as it should be.
    pub(crate) fn error(&self, message: impl Into<String>) -> ParseError {
        self.problem(ImportProblem::Malformed(message.into()))
    }

    /// Returns an error at this place. An error in an included file is at the element that includes it, and its message
    /// begins with the place in the included file, since an error has one file.
    pub(crate) fn problem(&self, problem: ImportProblem) -> ParseError {
        match &self.included {
            None => ParseError { location: self.location.clone(), problem },
            Some(included) => ParseError {
                location: included.from.clone(),
                problem: ImportProblem::Malformed(format!("{}{}: {problem}", included.name, self.location)),
            },
        }
    }
}
