//! Exit codes of commands, and failures with a message, a hint and an excerpt of the file at fault.

use std::fmt;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

/// Exit code of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The command succeeded.
    Done = 0,
    /// The input was valid, but the work failed: the disk is full, memory ran out, images differ too much.
    Failed = 1,
    /// Bad arguments, unreadable or malformed files, unknown names; clap uses the same number.
    BadInput = 2,
    /// Interrupted by Ctrl-C, after the image rendered so far was written. 128 + SIGINT, the convention of shells.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Prints the failure of a command, if it failed, and returns the exit code of the process.
pub fn end(result: Result<Exit, Failure>) -> ExitCode {
    result
        .unwrap_or_else(|failure| {
            let exit = failure.exit();
            failure.print();
            exit
        })
        .into()
}

/// Failure of a command: a message, its exit code, and optionally a hint and an excerpt of a file.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
    help: Option<String>,
    /// Boxed to keep `Result`s small.
    excerpt: Option<Box<Excerpt>>,
}

/// Text file with the span of the offending word.
#[derive(Debug)]
struct Excerpt {
    text: NamedSource<String>,
    span: LabeledSpan,
}

impl Failure {
    /// Makes a failure with [`Exit::BadInput`]: arguments or files of the user are invalid.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self { exit: Exit::BadInput, message: message.into(), help: None, excerpt: None }
    }

    /// Makes a failure with [`Exit::Failed`]: the input was valid, but the work failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, ..Self::bad_input(message) }
    }

    /// Makes a failure with [`Exit::Interrupted`]: interrupted before there was a result to save.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self { exit: Exit::Interrupted, ..Self::bad_input(message) }
    }

    /// Adds a hint that says how to solve the problem.
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Adds an excerpt of a text file in which the word at `offset`, in bytes, is underlined; it is printed to
    /// terminals only. Adds nothing if the file cannot be read as text.
    pub fn at(self, file: &Path, offset: usize) -> Self {
        Self { excerpt: Excerpt::at(file, offset).map(Box::new), ..self }
    }

    /// Exit code of the process.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Prints the failure to standard error: with excerpt and colours on a terminal, as plain text otherwise.
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
    /// Size in bytes above which a file is not read again for an excerpt.
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
        assert_eq!(underlined(text, 15), None, "inside a multi-byte character");
        assert_eq!(underlined(text, text.len()).as_deref(), Some(""));
        assert_eq!(underlined(text, text.len() + 1), None);
    }

    #[test]
    fn a_missing_file_adds_nothing() {
        let failure = Failure::bad_input("m").at(Path::new("no/such/file"), 3);
        assert!(failure.source_code().is_none());
    }
}
