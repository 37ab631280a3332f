//! Header of a PLY file, which describes the layout of its data.

use crate::FileLocation;
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::text::{Lines, Word, Words, without_mark};

#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Image files that `comment TextureFile` names, with the locations of the names.
    pub(super) textures: Vec<(String, FileLocation)>,
    /// Offset of the data in bytes.
    pub(super) data_offset: usize,
    /// Line (from 1) on which the data begins.
    pub(super) data_line: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
    pub(super) location: FileLocation,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: PropertyKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PropertyKind {
    Scalar(Scalar),
    List { count: Scalar, item: Scalar },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn of(word: Word<'_>) -> Result<Self, ParseError> {
        Ok(match word.text {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return Err(word.bad("a type of numbers")),
        })
    }

    /// Returns the size in a binary file, in bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Returns the value that represents 1 in a colour of this type.
    pub(super) fn one(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32_767.0,
            Self::U16 => 65_535.0,
            Self::I32 => 2_147_483_647.0,
            Self::U32 => 4_294_967_295.0,
            Self::F32 | Self::F64 => 1.0,
        }
    }
}

impl Element {
    /// Returns the minimum size of one element in the file, in bytes.
    pub(super) fn min_size(&self, encoding: Encoding) -> usize {
        let of_property = |property: &Property| match (encoding, property.kind) {
            // A digit and a separator
            (Encoding::Ascii, _) => 2,
            (_, PropertyKind::Scalar(scalar)) => scalar.size(),
            (_, PropertyKind::List { count, .. }) => count.size(),
        };
        self.properties.iter().map(of_property).sum()
    }
}

/// Returns whether `bytes` begin with the magic number of PLY.
pub(crate) fn is_ply(bytes: &[u8]) -> bool {
    line_end(bytes).is_some()
}

/// Returns the line end after the magic number; `None` without one.
fn line_end(bytes: &[u8]) -> Option<&'static [u8]> {
    let rest = without_mark(bytes).strip_prefix(b"ply")?;
    [&b"\r\n"[..], b"\n", b"\r"].into_iter().find(|end| rest.starts_with(end))
}

/// Parses the header. Lines that cannot be understood are ignored and counted in `faults`.
pub(super) fn parse(bytes: &[u8], faults: &mut Faults) -> Result<Header, ParseError> {
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut textures = Vec::new();
    for (number, line) in (2u64..).zip(Lines::new(bytes)) {
        let mut words = line;
        let Some(keyword) = words.next() else { continue };
        match keyword.text {
            b"ply" | b"obj_info" => {}
            b"comment" => {
                if words.next().is_some_and(|word| word.text.eq_ignore_ascii_case(b"TextureFile")) {
                    let name = words.rest();
                    textures.push((name.name().replace('\\', "/"), name.location()));
                }
            }
            b"format" => encoding = Some(parse_encoding(words)?),
            b"element" => elements.push(parse_element(keyword, words)?),
            b"property" => match elements.last_mut() {
                Some(element) => element.properties.push(parse_property(words)?),
                None => {
                    return Err(ParseError::malformed(
                        keyword.location(),
                        "a property must follow an element",
                    ));
                }
            },
            b"end_header" => {
                let encoding = encoding.ok_or_else(|| {
                    ParseError::malformed(keyword.location(), "the header does not name its format")
                })?;
                // Binary data may begin with a byte that looks like the end of another line.
                let end =
                    line_end(bytes).filter(|end| bytes[line.end()..].starts_with(end)).map_or(1, <[u8]>::len);
                let data_offset = (line.end() + end).min(bytes.len());
                return Ok(Header { encoding, elements, textures, data_offset, data_line: number });
            }
            _ => faults.add(Fault::Statement, 1, || keyword.bad("a keyword of a PLY header")),
        }
    }
    Err(ParseError::malformed(FileLocation::Byte(bytes.len() as u64), "the file ends within its header"))
}

fn parse_encoding(mut words: Words<'_>) -> Result<Encoding, ParseError> {
    let word = words.expect("the format")?;
    match word.text {
        b"ascii" => Ok(Encoding::Ascii),
        b"binary_little_endian" => Ok(Encoding::LittleEndian),
        b"binary_big_endian" => Ok(Encoding::BigEndian),
        _ => Err(word.bad("ascii, binary_little_endian or binary_big_endian")),
    }
}

fn parse_element(keyword: Word<'_>, mut words: Words<'_>) -> Result<Element, ParseError> {
    let name = words.expect("the name of the element")?.lossy().into_owned();
    let count = words.expect("the number of elements")?.parse("a number of elements")?;
    Ok(Element { name, count, properties: Vec::new(), location: keyword.location() })
}

fn parse_property(mut words: Words<'_>) -> Result<Property, ParseError> {
    let word = words.expect("the type of the property")?;
    let kind = if word.text == b"list" {
        let count = words.expect("the type of the list's length")?;
        let item = words.expect("the type of the list's items")?;
        PropertyKind::List { count: Scalar::of(count)?, item: Scalar::of(item)? }
    } else {
        PropertyKind::Scalar(Scalar::of(word)?)
    };
    let name = words.expect("the name of the property")?.lossy().into_owned();
    Ok(Property { name, kind })
}
