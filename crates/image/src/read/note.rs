use std::fmt;

use super::Decoded;

/// An image with what a user should know about its file.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedFile {
    /// The image.
    pub image: Decoded,
    /// Notes about the file, each once.
    pub notes: Vec<ImageNote>,
}

/// One sentence about an image file that was decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageNote {
    /// A choice that was made, or content that is not used.
    Choice(String),
    /// A fault in the file that was repaired or skipped.
    Fault(String),
}

impl fmt::Display for ImageNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choice(sentence) | Self::Fault(sentence) => f.write_str(sentence),
        }
    }
}

/// Notes about a file that is being decoded.
#[derive(Debug, Default)]
pub(super) struct Notes(pub(super) Vec<ImageNote>);

impl Notes {
    pub(super) fn choice(&mut self, sentence: impl Into<String>) {
        self.0.push(ImageNote::Choice(sentence.into()));
    }

    pub(super) fn fault(&mut self, sentence: impl Into<String>) {
        self.0.push(ImageNote::Fault(sentence.into()));
    }
}
