//! The numbers of a PLY file one after the other, text or binary. As f64, which holds each of their types exactly.

use crate::FileLocation;
use crate::error::Fault;
use crate::text::{Lines, Word, Words};

use super::header::{Encoding, Header, Scalar};

/// A source of numbers.
pub(super) trait Values {
    /// The next number.
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault>;

    /// Where the next number is.
    fn place(&mut self) -> FileLocation;

    /// Bytes that are left, an upper bound of the numbers that are left.
    fn bytes_left(&self) -> usize;

    /// The length of a list, which the rest of the file must be able to hold.
    fn list_length(&mut self, count: Scalar, item: Scalar) -> Result<usize, Fault> {
        let place = self.place();
        let length = self.next(count)?;
        let most = self.bytes_left() / self.least_size(item);
        if length < 0.0 || length.fract() != 0.0 || length.is_nan() {
            return Err(Fault::malformed(place, format!("a list cannot have {length} items")));
        }
        #[allow(clippy::cast_possible_truncation, reason = "a whole number ≥ 0; `as` saturates")]
        let length = length as usize;
        if length > most {
            let message = format!("a list of {length} items does not fit into the rest of the file");
            return Err(Fault::malformed(place, message));
        }
        Ok(length)
    }

    /// The least number of bytes that a number takes.
    fn least_size(&self, scalar: Scalar) -> usize;
}

/// Numbers in words.
#[derive(Debug)]
pub(super) struct Text<'a> {
    lines: Lines<'a>,
    line: Words<'a>,
    ahead: Option<Word<'a>>,
    length: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        let mut lines = Lines::from_offset(bytes, header.data_offset, header.data_line);
        let nothing = Words::at_end_of(bytes, header.data_line);
        let line = lines.next().unwrap_or(nothing);
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

impl Values for Text<'_> {
    fn next(&mut self, _scalar: Scalar) -> Result<f64, Fault> {
        match self.peek() {
            Some(word) => {
                self.ahead = None;
                word.parse("a number")
            }
            None => Err(Fault::malformed(self.line.place(), "the file ends before its last element")),
        }
    }

    fn place(&mut self) -> FileLocation {
        self.peek().map_or_else(|| self.line.place(), |word| word.place())
    }

    fn bytes_left(&self) -> usize {
        self.length - self.line.offset().min(self.length)
    }

    fn least_size(&self, _scalar: Scalar) -> usize {
        2
    }
}

/// Numbers in bytes.
#[derive(Debug)]
pub(super) struct Binary<'a> {
    bytes: &'a [u8],
    offset: usize,
    big_endian: bool,
}

impl<'a> Binary<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        Self { bytes, offset: header.data_offset, big_endian: header.encoding == Encoding::BigEndian }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let Some(&taken) = self.bytes.get(self.offset..).and_then(|rest| rest.first_chunk::<N>()) else {
            let place = FileLocation::Byte(self.bytes.len() as u64);
            return Err(Fault::malformed(place, "the file ends before its last element"));
        };
        self.offset += N;
        let mut little_endian = taken;
        if self.big_endian {
            little_endian.reverse();
        }
        Ok(little_endian)
    }
}

impl Values for Binary<'_> {
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault> {
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

    fn place(&mut self) -> FileLocation {
        FileLocation::Byte(self.offset as u64)
    }

    fn bytes_left(&self) -> usize {
        self.bytes.len().saturating_sub(self.offset)
    }

    fn least_size(&self, scalar: Scalar) -> usize {
        scalar.size()
    }
}
