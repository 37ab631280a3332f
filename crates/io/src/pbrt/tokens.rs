//! Tokeniser of pbrt's text: words, quoted strings, brackets and numbers, with their locations.

use crate::FileLocation;
use crate::number::leading_number;

/// Piece of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// Name of a directive, or a value such as `true` or a number.
    Word(&'a [u8]),
    /// What is between quotation marks, with its escapes.
    Quoted(&'a [u8]),
    Open,
    Close,
}

/// Tokens of a text.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    line: LineCounter,
}

/// Number of lines before an offset. Offsets that grow are counted once over.
#[derive(Clone, Copy, Debug)]
struct LineCounter {
    offset: usize,
    number: u64,
    /// Offset of the line's first byte.
    start: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        let at = text.len() - crate::text::without_mark(text).len();
        Self { text, at, line: LineCounter { offset: 0, number: 1, start: at } }
    }

    /// Returns the offset of the next token, or of the end.
    pub(super) fn offset(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    /// Returns the location of an offset.
    pub(super) fn location(&mut self, offset: usize) -> FileLocation {
        let offset = offset.min(self.text.len());
        if offset < self.line.offset {
            self.line = Self::new(self.text).line;
        }
        let skipped = &self.text[self.line.offset..offset];
        let breaks = skipped.iter().filter(|&&byte| byte == b'\n').count();
        if breaks > 0 {
            let last = skipped.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
            self.line.number += breaks as u64;
            self.line.start = self.line.offset + last + 1;
        }
        self.line.offset = offset;
        let column = offset.saturating_sub(self.line.start) as u64 + 1;
        FileLocation::Text { line: self.line.number, column, offset: offset as u64 }
    }

    /// Skips white space and comments, which begin with `#`.
    fn skip_space(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'#' => {
                    let rest = &self.text[self.at..];
                    let length = rest.iter().position(|&byte| matches!(byte, b'\n' | b'\r'));
                    self.at += length.unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    /// Returns the next token; `None` at the end. Errors: a string that does not end.
    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>, &'static str> {
        self.skip_space();
        let Some(&first) = self.text.get(self.at) else { return Ok(None) };
        let begin = self.at;
        self.at += 1;
        Ok(Some(match first {
            b'[' => Token::Open,
            b']' => Token::Close,
            b'"' => loop {
                match self.text.get(self.at) {
                    Some(b'"') => {
                        self.at += 1;
                        break Token::Quoted(&self.text[begin + 1..self.at - 1]);
                    }
                    Some(b'\\') => self.at += 2,
                    Some(b'\n') | None => return Err("the string does not end"),
                    Some(_) => self.at += 1,
                }
            },
            _ => {
                while self.text.get(self.at).is_some_and(|&byte| !ends_word(byte)) {
                    self.at += 1;
                }
                Token::Word(&self.text[begin..self.at])
            }
        }))
    }

    /// Returns the next token, which stays the next one.
    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.clone().next().ok().flatten()
    }

    /// Calls `push` for each number up to the next token that is none.
    pub(super) fn numbers(&mut self, mut push: impl FnMut(f64)) {
        loop {
            self.skip_space();
            match leading_number(&self.text[self.at..]) {
                Some((number, length)) if self.text.get(self.at + length).is_none_or(|&b| ends_word(b)) => {
                    push(number);
                    self.at += length;
                }
                _ => return,
            }
        }
    }
}

fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'[' | b']' | b'"' | b'#')
}

/// Returns what a quoted string says: `\"`, `\\`, `\n`, `\t` and the like stand for one character.
pub(super) fn unescaped(quoted: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut rest = quoted.iter();
    while let Some(&byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(&other) => other,
                None => b'\\',
            },
            other => other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_their_locations() {
        let mut tokens = Tokens::new(b"\xEF\xBB\xBFShape \"a \\\"b\" # [\n  [1 2e1]-3");
        let mut next = || {
            let offset = tokens.offset();
            let location = tokens.location(offset);
            let FileLocation::Text { line, column, .. } = location else { panic!("{location:?}") };
            tokens.next().unwrap().map(|token| (token, line, column))
        };
        assert_eq!(next(), Some((Token::Word(b"Shape"), 1, 1)));
        assert_eq!(next(), Some((Token::Quoted(b"a \\\"b"), 1, 7)));
        assert_eq!(next(), Some((Token::Open, 2, 3)));
        assert_eq!(next(), Some((Token::Word(b"1"), 2, 4)));
        assert_eq!(next(), Some((Token::Word(b"2e1"), 2, 6)));
        assert_eq!(next(), Some((Token::Close, 2, 9)));
        assert_eq!(next(), Some((Token::Word(b"-3"), 2, 10)));
        assert_eq!(next(), None);
        assert!(Tokens::new(b"\"a\nb\"").next().is_err());
        assert!(Tokens::new(b"\"a\\").next().is_err());
        assert_eq!(unescaped(b"a \\\"b\\\\"), "a \"b\\");
    }

    #[test]
    fn locations_may_go_back() {
        let mut tokens = Tokens::new(b"a\nb\nc");
        let line = |location| match location {
            FileLocation::Text { line, column, .. } => (line, column),
            _ => (0, 0),
        };
        assert_eq!([4, 0, 2].map(|offset| line(tokens.location(offset))), [(3, 1), (1, 1), (2, 1)]);
    }

    #[test]
    fn numbers_end_at_other_words() {
        let mut tokens = Tokens::new(b"1 2#x\n.5,3 ]");
        let mut found = Vec::new();
        tokens.numbers(|number| found.push(number));
        assert_eq!(found, [1.0, 2.0]);
        assert_eq!(tokens.next(), Ok(Some(Token::Word(b".5,3"))));
    }

    /// 200 MB/s on one core; run alone, optimised.
    #[test]
    #[ignore = "measures time"]
    fn long_lists_are_fast() {
        let text: String =
            (0..4_000_000u32).map(|i| format!("{:.6} ", f64::from(i) * 1e-3 - 700.0)).collect();
        let begun = std::time::Instant::now();
        let mut values: Vec<f32> = Vec::new();
        #[allow(clippy::cast_possible_truncation, reason = "as the importer does")]
        Tokens::new(text.as_bytes()).numbers(|number| values.push(number as f32));
        let rate = text.len() as f64 / begun.elapsed().as_secs_f64() / 1e6;
        eprintln!("{rate:.0} MB/s");
        assert_eq!(values.len(), 4_000_000);
        assert!(rate > 200.0, "{rate} MB/s");
    }
}
