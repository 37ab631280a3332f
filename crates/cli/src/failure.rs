//! How a command ends: its exit code, and one sentence for people when it did not work.

use std::fmt;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

/// What the process tells its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything that was asked for.
    Done = 0,
    /// The input was good, the work failed: the disk is full, memory ran out, pictures differ too much.
    Failed = 1,
    /// Bad arguments, unreadable or malformed files, unknown names; clap uses the same number.
    BadInput = 2,
    /// Ctrl-C; a picture begun was written as far as it had come. 128 + SIGINT, as shells expect.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    help: Option<String>,
    /// Boxed to keep results small.
    excerpt: Option<Box<Excerpt>>,
}

/// The offending line of a text file.
#[derive(Debug)]
struct Excerpt {
    text: NamedSource<String>,
    span: LabeledSpan,
}

impl Failure {
    /// The caller's input is at fault.
    pub(crate) fn bad_input(message: impl Into<String>) -> Self {
        Self { exit: Exit::BadInput, message: message.into(), help: None, excerpt: None }
    }

    /// The input was good, but the work failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, ..Self::bad_input(message) }
    }

    /// The same, with what may help.
    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The same, showing a line (counted from 1) of a text file to people at a terminal. Nothing is added if the file
    /// cannot be read as text.
    pub(crate) fn at_line(self, file: &Path, line: usize) -> Self {
        Self { excerpt: Excerpt::of_line(file, line).map(Box::new), ..self }
    }

    /// For the caller of the process.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Says it on standard error: with an excerpt and colours to a terminal, plainly to anything else.
    pub(crate) fn print(self) {
        if std::io::stderr().is_terminal() {
            eprintln!("{:?}", miette::Report::new(self));
            return;
        }
        eprintln!("error: {self}");
        if let Some(help) = self.help {
            eprintln!("help: {help}");
        }
    }
}

impl Excerpt {
    /// Larger files are not worth a second reading.
    const LARGEST_FILE: u64 = 64 << 20;

    fn of_line(file: &Path, line: usize) -> Option<Self> {
        if std::fs::metadata(file).ok()?.len() > Self::LARGEST_FILE {
            return None;
        }
        let text = std::fs::read_to_string(file).ok()?;
        let before: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
        let length = text[before..].lines().next()?.len();
        let span = LabeledSpan::underline((before, length));
        Some(Self { text: NamedSource::new(file.display().to_string(), text), span })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl Diagnostic for Failure {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        let help = self.help.as_ref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        let excerpt = self.excerpt.as_ref()?;
        Some(&excerpt.text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let excerpt = self.excerpt.as_ref()?;
        Some(Box::new(std::iter::once(excerpt.span.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span_of_line(text: &str, line: usize) -> Option<String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let excerpt = Excerpt::of_line(file.path(), line)?;
        let start = excerpt.span.offset();
        Some(text[start..start + excerpt.span.len()].to_string())
    }

    #[test]
    fn the_right_line_is_underlined() {
        let text = "v 1 2 3\r\nv 4 5 x\r\n\nf 1 2 3";
        assert_eq!(span_of_line(text, 1).as_deref(), Some("v 1 2 3"));
        assert_eq!(span_of_line(text, 2).as_deref(), Some("v 4 5 x"));
        assert_eq!(span_of_line(text, 3).as_deref(), Some(""));
        assert_eq!(span_of_line(text, 4).as_deref(), Some("f 1 2 3"));
        assert_eq!(span_of_line(text, 5), None);
        assert_eq!(span_of_line(text, 0), None);
    }

    #[test]
    fn a_missing_file_adds_nothing() {
        let failure = Failure::bad_input("m").at_line(Path::new("no/such/file"), 3);
        assert!(failure.source_code().is_none());
    }
}
