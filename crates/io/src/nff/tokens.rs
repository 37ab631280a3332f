//! Words of NFF and AFF files, across their lines.

use sunfleck_math::{DVec3, Vec3};

use crate::FileLocation;
use crate::error::ParseError;
use crate::text::{Lines, Word, Words};

/// What a format takes for comments and for the beginning of a statement.
#[derive(Debug)]
pub(crate) struct Syntax {
    /// Characters that begin a comment, which ends with the line.
    pub(crate) comments: &'static [u8],
    /// Words that begin a statement, besides those of NFF.
    pub(crate) statements: &'static [&'static [u8]],
    /// Whether `{` and `}` are words of their own.
    pub(crate) braces: bool,
}

/// Words that begin a statement of NFF.
const STATEMENTS: [&[u8]; 14] = [
    b"from",
    b"at",
    b"up",
    b"angle",
    b"hither",
    b"resolution",
    b"v",
    b"b",
    b"l",
    b"f",
    b"s",
    b"c",
    b"p",
    b"pp",
];

impl Syntax {
    fn is_statement(&self, word: &[u8]) -> bool {
        STATEMENTS.contains(&word) || self.statements.contains(&word)
    }
}

/// Words of a file, across its lines.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    syntax: &'static Syntax,
    line: Words<'a>,
    lines: Lines<'a>,
    /// Word that was read too early.
    pending: Option<Word<'a>>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(bytes: &'a [u8], syntax: &'static Syntax) -> Self {
        Self { syntax, line: Words::at_end_of(b"", 1), lines: Lines::new(bytes), pending: None }
    }

    /// Returns the next word, from this line or a later one.
    pub(crate) fn word(&mut self) -> Option<Word<'a>> {
        if let Some(word) = self.pending.take() {
            return Some(word);
        }
        loop {
            if let Some(word) = self.line.next() {
                return Some(if self.syntax.braces { self.without_brace(word) } else { word });
            }
            self.line = self.lines.next()?.without_comment_after(self.syntax.comments);
        }
    }

    /// Separates the first brace from the rest of a word, which is read next.
    fn without_brace(&mut self, word: Word<'a>) -> Word<'a> {
        let brace = word.text.iter().position(|byte| matches!(byte, b'{' | b'}'));
        let Some(length) = brace.map(|at| at.max(1)).filter(|&length| length < word.text.len()) else {
            return word;
        };
        self.line = self.line.with_last(word.text.len() - length);
        word.first(length)
    }

    /// Returns the next word for a number. Errors: the file ends, or a statement begins, which is kept.
    pub(crate) fn argument(&mut self) -> Result<Word<'a>, ParseError> {
        let location = self.location();
        match self.word() {
            Some(word) if self.syntax.is_statement(word.text) => {
                self.pending = Some(word);
                Err(ParseError::malformed(location, "a number is missing"))
            }
            word => word.ok_or_else(|| ParseError::malformed(location, "a number is missing")),
        }
    }

    pub(crate) fn number(&mut self) -> Result<f64, ParseError> {
        self.argument()?.coordinate()
    }

    #[allow(clippy::cast_possible_truncation, reason = "scenes are in f32")]
    pub(crate) fn short(&mut self) -> Result<f32, ParseError> {
        Ok(self.number()? as f32)
    }

    pub(crate) fn vec3(&mut self) -> Result<DVec3, ParseError> {
        Ok(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    pub(crate) fn color(&mut self) -> Result<Vec3, ParseError> {
        Ok(self.vec3()?.as_vec3().max(Vec3::ZERO))
    }

    /// Reads the corners of a polygon after its first word, `p`, or `pp` if each corner has a normal. Returns positions
    /// and normals.
    pub(crate) fn polygon(&mut self, word: &Word<'_>) -> Result<(Vec<DVec3>, Vec<Vec3>), ParseError> {
        let count = self.argument()?.parse::<u32>("a number of corners")?;
        let (mut corners, mut normals) = (Vec::new(), Vec::new());
        for _ in 0..count {
            corners.push(self.vec3()?);
            if word.text == b"pp" {
                normals.push(self.vec3()?.as_vec3());
            }
        }
        if count < 3 {
            return Err(ParseError::malformed(word.location(), "a polygon has at least three corners"));
        }
        Ok((corners, normals))
    }

    /// Returns the place of the rest of the line.
    pub(crate) fn location(&self) -> FileLocation {
        self.line.location()
    }

    /// Returns whether more words of the statement follow on this line.
    pub(crate) fn line_goes_on(&self) -> bool {
        let mut rest = self.line;
        rest.next().is_some_and(|word| !self.syntax.is_statement(word.text))
    }

    /// Leaves out the rest of a line that cannot be understood.
    pub(crate) fn leave_line(&mut self) {
        if self.pending.is_none() {
            self.line.by_ref().for_each(drop);
        }
    }

    /// Puts a word back, which is the next one that is read.
    pub(crate) fn put_back(&mut self, word: Word<'a>) {
        self.pending = Some(word);
    }
}
