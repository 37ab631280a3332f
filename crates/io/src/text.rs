//! Tokeniser of text formats: lines and words with their locations.
//!
//! Text may begin with a byte order mark, be encoded in UTF-16, and end its lines with LF, CR LF or CR.

use std::borrow::Cow;

use crate::FileLocation;
use crate::error::ParseError;
use crate::number::leading_number;

const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the text without its byte order mark.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(UTF8_MARK).unwrap_or(text)
}

/// Returns text in UTF-16 with a byte order mark as UTF-8, all other text as it is. Locations in converted text are
/// those of the UTF-8.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, [u8]> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return Cow::Borrowed(bytes),
    };
    let units = bytes[2..].as_chunks().0.iter().map(|&pair| unit(pair));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Cow::Owned(text.into_bytes())
}

/// Iterator over the lines of a text, without a byte order mark.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    offset: usize,
    number: u64,
    continued: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        let offset = text.len() - without_mark(text).len();
        Self { text, offset, number: 0, continued: false }
    }

    /// Joins a line that ends in a backslash with the next one.
    pub(crate) fn continued_by_backslash(self) -> Self {
        Self { continued: true, ..self }
    }

    /// Creates an iterator from `offset` on; the line that begins there has the number `number`.
    pub(crate) fn from_offset(text: &'a [u8], offset: usize, number: u64) -> Self {
        Self { text, offset, number: number - 1, continued: false }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Words<'a>;

    fn next(&mut self) -> Option<Words<'a>> {
        let start = LineStart { offset: self.offset, number: self.number + 1 };
        self.text.get(self.offset).copied()?;
        loop {
            let rest = self.text.get(self.offset..).unwrap_or(&[]);
            let line = rest.split(|&b| b == b'\n' || b == b'\r').next().unwrap_or(&[]);
            let end = self.offset + line.len();
            self.offset = end + if rest[line.len()..].starts_with(b"\r\n") { 2 } else { 1 };
            self.number += 1;
            if !(self.continued && line.trim_ascii_end().ends_with(b"\\")) {
                return Some(Words {
                    text: self.text,
                    start,
                    at: start.offset,
                    end: end.min(self.text.len()),
                });
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct LineStart {
    offset: usize,
    number: u64,
}

/// Iterator over the words of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    text: &'a [u8],
    start: LineStart,
    at: usize,
    end: usize,
}

impl<'a> Words<'a> {
    /// Returns the location of the rest of the line.
    pub(crate) fn location(&self) -> FileLocation {
        location_of(self.start, self.at)
    }

    /// Returns the offset of the rest of the line.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Returns the offset of the line's end.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Creates an empty line at the end of a text whose last line has the number `number`.
    pub(crate) fn at_end_of(text: &'a [u8], number: u64) -> Self {
        let end = text.len();
        Self { text, start: LineStart { offset: end, number }, at: end, end }
    }

    /// Returns the next word. Errors: the line ends here; the message says that `what` is missing.
    pub(crate) fn expect(&mut self, what: &str) -> Result<Word<'a>, ParseError> {
        self.next().ok_or_else(|| ParseError::malformed(self.location(), format!("{what} is missing")))
    }

    /// Returns the rest of the line as one word, trimmed; for names that may contain spaces.
    pub(crate) fn rest(self) -> Word<'a> {
        let text = self.text.get(self.at..self.end).unwrap_or(&[]);
        let leading = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
        Word { text: text.trim_ascii(), start: self.start, at: self.at + leading }
    }

    /// Puts back the last `length` bytes of the word before the rest of the line.
    pub(crate) fn with_last(self, length: usize) -> Self {
        Self { at: self.at.saturating_sub(length).max(self.start.offset), ..self }
    }

    /// Removes everything from the first `#` on.
    pub(crate) fn without_comment(self) -> Self {
        self.without_comment_after(b"#")
    }

    /// Removes everything from the first of some characters on.
    pub(crate) fn without_comment_after(mut self, marks: &[u8]) -> Self {
        let text = self.text.get(self.at..self.end).unwrap_or(&[]);
        if let Some(length) = text.iter().position(|b| marks.contains(b)) {
            self.end = self.at + length;
        }
        self
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let text = &self.text[..self.end];
        while is_gap(text.get(self.at..)?)? {
            self.at += 1;
        }
        let begin = self.at;
        while text.get(self.at).is_some_and(|b| !b.is_ascii_whitespace()) {
            self.at += 1;
        }
        Some(Word { text: &text[begin..self.at], start: self.start, at: begin })
    }
}

/// Returns whether a text begins with white space or with a backslash that joins two lines; `None` if it is empty.
fn is_gap(text: &[u8]) -> Option<bool> {
    let joins_lines = || matches!(text.get(1), Some(b'\n' | b'\r'));
    text.first().map(|&b| b.is_ascii_whitespace() || b == b'\\' && joins_lines())
}

/// Word of a line, with its location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a [u8],
    start: LineStart,
    at: usize,
}

impl<'a> Word<'a> {
    pub(crate) fn location(&self) -> FileLocation {
        location_of(self.start, self.at)
    }

    pub(crate) fn lossy(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.text)
    }

    /// Returns the word as a name, so that different words have different names: bytes that are not UTF-8, as in
    /// Latin-1 and GBK, become the characters of Latin-1. Names that are longer than any path are cut.
    pub(crate) fn name(&self) -> String {
        const MAX_BYTES: usize = 4096;
        let text = &self.text[..self.text.len().min(MAX_BYTES)];
        let cut = text.len() < self.text.len();
        let text = match std::str::from_utf8(text) {
            // The cut is within a character
            Err(error) if cut && error.error_len().is_none() => &text[..error.valid_up_to()],
            _ => text,
        };
        match std::str::from_utf8(text) {
            Ok(name) => name.to_string(),
            Err(_) => text.iter().map(|&byte| char::from(byte)).collect(),
        }
    }

    /// Returns the error that the word is not `expected`.
    pub(crate) fn bad(&self, expected: &str) -> ParseError {
        const MAX_CHARS: usize = 40;
        let text: String = self.lossy().chars().take(MAX_CHARS).collect();
        ParseError::malformed(self.location(), format!("{text:?} is not {expected}"))
    }

    pub(crate) fn parse<T: std::str::FromStr>(&self, expected: &str) -> Result<T, ParseError> {
        std::str::from_utf8(self.text).ok().and_then(|s| s.parse().ok()).ok_or_else(|| self.bad(expected))
    }

    /// Parses a decimal number; `None` if the word is something else.
    fn decimal(&self) -> Option<f64> {
        leading_number(self.text).filter(|(_, length)| *length == self.text.len()).map(|(number, _)| number)
    }

    /// Parses a finite number.
    pub(crate) fn number(&self) -> Result<f32, ParseError> {
        let number = match self.decimal().and_then(rounded_once) {
            Some(number) => number,
            None => self.parse::<f32>("a number")?,
        };
        if number.is_finite() { Ok(number) } else { Err(self.bad("a finite number")) }
    }

    /// Parses a coordinate: a number in double precision that is finite in single precision, too.
    pub(crate) fn coordinate(&self) -> Result<f64, ParseError> {
        let number = match self.decimal() {
            Some(number) => number,
            None => self.parse::<f64>("a number")?,
        };
        if number.abs() <= f64::from(f32::MAX) { Ok(number) } else { Err(self.bad("a finite number")) }
    }

    /// Returns the first `length` bytes of the word.
    pub(crate) fn first(self, length: usize) -> Self {
        Self { text: self.text.get(..length).unwrap_or(self.text), ..self }
    }

    /// Splits the word at each `separator`; the parts keep their locations.
    pub(crate) fn split(self, separator: u8) -> impl Iterator<Item = Word<'a>> {
        let mut at = self.at;
        self.text.split(move |&b| b == separator).map(move |text| {
            let word = Word { text, start: self.start, at };
            at += text.len() + 1;
            word
        })
    }
}

fn location_of(start: LineStart, at: usize) -> FileLocation {
    FileLocation::Text { line: start.number, column: (at - start.offset) as u64 + 1, offset: at as u64 }
}

/// Returns a number that was rounded to double precision in single precision; `None` if it may have been rounded to the
/// middle between two numbers of single precision, or is close to 0: rounding twice may differ then from rounding once.
#[allow(clippy::cast_possible_truncation, reason = "it is to be rounded")]
fn rounded_once(number: f64) -> Option<f32> {
    // The 29 bits that single precision does not have
    const REST: u64 = (1 << 29) - 1;
    const MIDDLE: u64 = 1 << 28;
    let is_normal = number == 0.0 || number.abs() >= f64::from(f32::MIN_POSITIVE);
    (is_normal && number.to_bits() & REST != MIDDLE).then_some(number as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_locations() {
        let mut lines = Lines::new(b"v 1\r\n\n  f 1/2//4 \tx");
        assert_eq!(lines.next().unwrap().map(|w| w.lossy()).collect::<Vec<_>>(), ["v", "1"]);
        assert_eq!(lines.next().unwrap().count(), 0);
        let face = lines.next().unwrap().nth(1).unwrap();
        assert_eq!(face.location(), FileLocation::Text { line: 3, column: 5, offset: 10 });
        let parts: Vec<_> = face.split(b'/').collect();
        assert_eq!(parts.iter().map(|w| w.lossy()).collect::<Vec<_>>(), ["1", "2", "", "4"]);
        assert_eq!(parts[3].location(), FileLocation::Text { line: 3, column: 10, offset: 15 });
        assert!(lines.next().is_none());
    }

    #[test]
    fn backslash_joins_lines() {
        let mut lines = Lines::new(b"f 1 \\\r\n 2 \\\n3\nv\\").continued_by_backslash();
        assert_eq!(lines.next().unwrap().map(|w| w.lossy()).collect::<Vec<_>>(), ["f", "1", "2", "3"]);
        let v = lines.next().unwrap();
        assert_eq!(v.location(), FileLocation::Text { line: 4, column: 1, offset: 14 });
        assert_eq!(v.map(|w| w.lossy()).collect::<Vec<_>>(), ["v\\"]);
        assert!(lines.next().is_none());
    }

    #[test]
    fn any_line_end_and_byte_order_mark() {
        let words = |text: &[u8]| -> Vec<Vec<String>> {
            Lines::new(text).map(|line| line.map(|w| w.name()).collect()).collect()
        };
        let expected = [vec!["a", "1"], vec![], vec!["b"]];
        for text in ["a 1\n\nb", "a 1\r\n\r\nb\r\n", "a 1\r\rb\r", "\u{FEFF}a 1\n\r\nb"] {
            assert_eq!(words(text.as_bytes()), expected, "{text:?}");
            let units: Vec<u16> =
                "\u{FEFF}".encode_utf16().chain(text.trim_start_matches('\u{FEFF}').encode_utf16()).collect();
            let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            assert_eq!(words(&decoded(&big)), words(&decoded(&little)), "{text:?}");
            assert_eq!(words(&decoded(&little)), expected, "{text:?}");
        }
        let marked = Lines::new(b"\xEF\xBB\xBF\rv x").nth(1).unwrap().nth(1).unwrap();
        assert_eq!(marked.location(), FileLocation::Text { line: 2, column: 3, offset: 6 });
        assert_eq!(decoded(b"\xFF\xFEa\0b").as_ref(), b"a", "half a code unit is dropped");
    }

    #[test]
    fn names_are_bytes() {
        let name = |text: &[u8]| Lines::new(text).next().unwrap().rest().name();
        assert_eq!(name("grün".as_bytes()), "grün");
        assert_eq!(name(b"gr\xFCn"), "grün", "Latin-1");
        assert_ne!(name(b"\xBA\xEC"), name(b"\xC0\xB6"), "GBK");
        assert_eq!(
            name("üa".repeat(5000).as_bytes()),
            "üa".repeat(1365),
            "4096 bytes end within a character"
        );
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let mut words: Vec<String> =
            ["0", "-0", "1e-40", "-1e-45", "3.4028236e38", "16777217", "16777217.0000001"]
                .map(str::to_string)
                .into();
        let mut state = 1u64;
        for i in 0..20_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (digits, places) = (state >> (8 + i % 50), (i % 12) as u8);
            words.push(format!(
                "{}.{:0w$}e{}",
                digits % 1000,
                digits / 1000,
                places,
                w = usize::from(places)
            ));
            // The middle between two numbers, and beside it
            let low = f32::from_bits(0x3f80_0000 + (state >> 42) as u32);
            let middle = (f64::from(low) + f64::from(f32::from_bits(low.to_bits() + 1))) / 2.0;
            words.push(format!("{middle}"));
            words.push(format!("{middle}0000000000000000000001"));
        }
        for text in words {
            let word = Lines::new(text.as_bytes()).next().unwrap().next().unwrap();
            let (single, double) = (text.parse::<f32>().unwrap(), text.parse::<f64>().unwrap());
            if single.is_finite() {
                assert_eq!(word.number().unwrap().to_bits(), single.to_bits(), "{text}");
                assert_eq!(word.coordinate().unwrap().to_bits(), double.to_bits(), "{text}");
            }
        }
    }

    #[test]
    fn coordinates_are_doubles() {
        let word = |text| Lines::new(text).next().unwrap().next().unwrap();
        assert_eq!(word(b"5335942.1").coordinate().unwrap(), 5_335_942.1);
        for bad in [&b"nan"[..], b"-inf", b"1e60", b"x"] {
            assert!(word(bad).coordinate().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn numbers_are_finite() {
        let word = |text| Lines::new(text).next().unwrap().next().unwrap();
        assert_eq!(word(b"-1.5e2").number().unwrap(), -150.0);
        for bad in [&b"nan"[..], b"inf", b"1e60", b"0x10", b"1,5", b"\xff"] {
            assert!(word(bad).number().is_err(), "{bad:?}");
        }
    }
}
