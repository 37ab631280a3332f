//! How a command ends: its exit code, and one sentence for people when it failed.

use std::fmt;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

/// Exit code of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
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

/// Prints the failure, if there is one, and returns the exit code of the process.
pub fn end(result: Result<Exit, Failure>) -> ExitCode {
    result
        .unwrap_or_else(|failure| {
            let exit = failure.exit();
            failure.print();
            exit
        })
        .into()
}

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
    help: Option<String>,
    /// Boxed to keep results small.
    excerpt: Option<Box<Excerpt>>,
}

/// The offending word of a text file.
#[derive(Debug)]
struct Excerpt {
    text: NamedSource<String>,
    span: LabeledSpan,
}

impl Failure {
    /// A failure with [`Exit::BadInput`]: the caller's input is at fault.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self { exit: Exit::BadInput, message: message.into(), help: None, excerpt: None }
    }

    /// A failure with [`Exit::Failed`]: the input was good, but the work failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, ..Self::bad_input(message) }
    }

    /// A failure with [`Exit::Interrupted`]: there is nothing yet that could be kept.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self { exit: Exit::Interrupted, ..Self::bad_input(message) }
    }

    /// Adds a sentence about what may help.
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Adds the line of a text file with the word at `offset`, in bytes, underlined; it is printed to terminals only. Nothing
    /// is added if the file cannot be read as text.
    pub fn at(self, file: &Path, offset: usize) -> Self {
        Self { excerpt: Excerpt::at(file, offset).map(Box::new), ..self }
    }

    /// Exit code of a process that fails with it.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Prints it on standard error: with an excerpt and colours to a terminal, as plain text to anything else.
    pub fn print(self) {
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

    fn at(file: &Path, offset: usize) -> Option<Self> {
        if std::fs::metadata(file).ok()?.len() > Self::LARGEST_FILE {
            return None;
        }
        let text = std::fs::read_to_string(file).ok()?;
        let word = text.get(offset..)?.split(char::is_whitespace).next()?;
        let span = LabeledSpan::underline((offset, word.len()));
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

    fn underlined(text: &str, offset: usize) -> Option<String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let excerpt = Excerpt::at(file.path(), offset)?;
        let start = excerpt.span.offset();
        Some(text[start..start + excerpt.span.len()].to_string())
    }

    #[test]
    fn the_right_word_is_underlined() {
        let text = "v 1 2 3\r\nv 4 fünf 6\r\n";
        assert_eq!(underlined(text, 0).as_deref(), Some("v"));
        assert_eq!(underlined(text, 6).as_deref(), Some("3"));
        assert_eq!(underlined(text, 13).as_deref(), Some("fünf"));
        assert_eq!(underlined(text, 15), None, "in the middle of a letter");
        assert_eq!(underlined(text, text.len()).as_deref(), Some(""));
        assert_eq!(underlined(text, text.len() + 1), None);
    }

    #[test]
    fn a_missing_file_adds_nothing() {
        let failure = Failure::bad_input("m").at(Path::new("no/such/file"), 3);
        assert!(failure.source_code().is_none());
    }
}
