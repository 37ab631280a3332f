//! Reader of the values of a PLY file, text or binary, as f64, which represents each of their types exactly.

use crate::FileLocation;
use crate::error::ParseError;
use crate::text::{Lines, Word, Words};

use super::header::{Encoding, Header, Scalar};

/// Sequence of the numbers in the data of a PLY file.
pub(super) trait Values {
    /// Reads the next number.
    fn next(&mut self, scalar: Scalar) -> Result<f64, ParseError>;

    /// Returns the location of the next number.
    fn location(&mut self) -> FileLocation;

    /// Returns the number of remaining bytes, an upper bound of the number of remaining values.
    fn bytes_left(&self) -> usize;

    /// Reads the length of a list. Errors: the length is invalid, or the list does not fit into the rest of the file.
    fn list_length(&mut self, count: Scalar, item: Scalar) -> Result<usize, ParseError> {
        let location = self.location();
        let length = self.next(count)?;
        let max_length = self.bytes_left() / self.min_size(item);
        if length < 0.0 || length.fract() != 0.0 || length.is_nan() {
            return Err(ParseError::malformed(location, format!("a list cannot have {length} items")));
        }
        #[allow(clippy::cast_possible_truncation, reason = "a whole number ≥ 0; `as` saturates")]
        let length = length as usize;
        if length > max_length {
            let message = format!("a list of {length} items does not fit into the rest of the file");
            return Err(ParseError::malformed(location, message));
        }
        Ok(length)
    }

    /// Returns the minimum size of a number in the file, in bytes.
    fn min_size(&self, scalar: Scalar) -> usize;
}

/// Numbers of a text file.
#[derive(Debug)]
pub(super) struct TextValues<'a> {
    lines: Lines<'a>,
    line: Words<'a>,
    ahead: Option<Word<'a>>,
    length: usize,
}

impl<'a> TextValues<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        let mut lines = Lines::from_offset(bytes, header.data_offset, header.data_line);
        let end = Words::at_end_of(bytes, header.data_line);
        let line = lines.next().unwrap_or(end);
        Self { lines, line, ahead: None, length: bytes.len() }
    }

    fn peek(&mut self) -> Option<Word<'a>> {
        while self.ahead.is_none() {
            self.ahead = self.line.next();
            if self.ahead.is_none() {
                self.line = self.lines.next()?;
            }
        }
        self.ahead
    }
}

impl Values for TextValues<'_> {
    fn next(&mut self, _scalar: Scalar) -> Result<f64, ParseError> {
        match self.peek() {
            Some(word) => {
                self.ahead = None;
                // A value that is no number makes its element invalid, not the file.
                Ok(word.parse("a number").unwrap_or(f64::NAN))
            }
            None => Err(ParseError::malformed(self.line.location(), "the file ends before its last element")),
        }
    }

    fn location(&mut self) -> FileLocation {
        self.peek().map_or_else(|| self.line.location(), |word| word.location())
    }

    fn bytes_left(&self) -> usize {
        self.length - self.line.offset().min(self.length)
    }

    fn min_size(&self, _scalar: Scalar) -> usize {
        2
    }
}

/// Numbers of a binary file.
#[derive(Debug)]
pub(super) struct BinaryValues<'a> {
    bytes: &'a [u8],
    offset: usize,
    big_endian: bool,
}

impl<'a> BinaryValues<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        Self { bytes, offset: header.data_offset, big_endian: header.encoding == Encoding::BigEndian }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], ParseError> {
        let Some(&taken) = self.bytes.get(self.offset..).and_then(|rest| rest.first_chunk::<N>()) else {
            let location = FileLocation::Byte(self.bytes.len() as u64);
            return Err(ParseError::malformed(location, "the file ends before its last element"));
        };
        self.offset += N;
        let mut little_endian = taken;
        if self.big_endian {
            little_endian.reverse();
        }
        Ok(little_endian)
    }
}

impl Values for BinaryValues<'_> {
    fn next(&mut self, scalar: Scalar) -> Result<f64, ParseError> {
        Ok(match scalar {
            Scalar::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            Scalar::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            Scalar::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            Scalar::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            Scalar::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            Scalar::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            Scalar::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    fn location(&mut self) -> FileLocation {
        FileLocation::Byte(self.offset as u64)
    }

    fn bytes_left(&self) -> usize {
        self.bytes.len().saturating_sub(self.offset)
    }

    fn min_size(&self, scalar: Scalar) -> usize {
        scalar.size()
    }
}
