//! Buffers and buffer views: the binary data of accessors and images.

use std::borrow::Cow;
use std::io;

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

use crate::error::{ImportProblem, ParseError};
use crate::{FileKind, FileLocation, FileReference, Resolver};

use super::model::{Buffer, BufferView, Root};

/// Decoder that accepts data with and without padding, since exporters write both.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Contents of all buffers of a file.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    views: &'a [BufferView],
    bytes: Vec<Cow<'a, [u8]>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn read(
        root: &'a Root,
        binary: Option<&'a [u8]>,
        files: &dyn Resolver,
    ) -> Result<Self, ParseError> {
        let read = |(i, buffer)| read_buffer(i, buffer, binary, files);
        let bytes = root.buffers.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(Self { views: &root.buffer_views, bytes })
    }

    /// Returns the total size of the buffers, in bytes.
    pub(super) fn total(&self) -> usize {
        self.bytes.iter().map(|b| b.len()).sum()
    }

    /// Returns the bytes of a buffer view, and its stride if it has one. `from` is the JSON path of the reference.
    pub(super) fn view(&self, index: usize, from: &str) -> Result<(&[u8], Option<usize>), ParseError> {
        let view = self.views.get(index).ok_or_else(|| {
            let message = format!("there is no buffer view {index}; there are {}", self.views.len());
            ParseError::malformed(FileLocation::Json(from.to_string()), message)
        })?;
        let location = || FileLocation::Json(format!("bufferViews[{index}]"));
        let buffer = self.bytes.get(view.buffer).ok_or_else(|| {
            let message = format!("there is no buffer {}; there are {}", view.buffer, self.bytes.len());
            ParseError::malformed(location(), message)
        })?;
        let bytes = buffer.get(view.byte_offset..).and_then(|rest| rest.get(..view.byte_length));
        let bytes = bytes.ok_or_else(|| {
            let (offset, length) = (view.byte_offset, view.byte_length);
            let message = format!(
                "{length} bytes from byte {offset} on are not within buffer {}, which has {}",
                view.buffer,
                buffer.len()
            );
            ParseError::malformed(location(), message)
        })?;
        Ok((bytes, view.byte_stride.filter(|&stride| stride != 0)))
    }
}

fn read_buffer<'a>(
    index: usize,
    buffer: &Buffer,
    binary: Option<&'a [u8]>,
    files: &dyn Resolver,
) -> Result<Cow<'a, [u8]>, ParseError> {
    let location = || FileLocation::Json(format!("buffers[{index}]"));
    let bytes = match (&buffer.uri, binary) {
        (Some(uri), _) => Cow::Owned(read_uri(uri, FileKind::Buffer, files, location)?),
        (None, Some(binary)) if index == 0 => Cow::Borrowed(binary),
        (None, _) => {
            return Err(ParseError::malformed(location(), "the buffer has neither a uri nor a GLB chunk"));
        }
    };
    if bytes.len() < buffer.byte_length {
        let (length, found) = (buffer.byte_length, bytes.len());
        return Err(ParseError::malformed(
            location(),
            format!("the buffer has {found} bytes instead of {length}"),
        ));
    }
    Ok(bytes)
}

/// Reads the data of a URI: that of a `data:` URI, or of a file relative to the glTF file.
pub(super) fn read_uri(
    uri: &str,
    kind: FileKind,
    files: &dyn Resolver,
    location: impl Fn() -> FileLocation,
) -> Result<Vec<u8>, ParseError> {
    let Some(data) = uri.strip_prefix("data:") else {
        let name = percent_encoding::percent_decode_str(uri).decode_utf8_lossy();
        let read = |source: io::Error| ImportProblem::Read { what: uri.to_string(), source };
        let dots = |path: &str| path.split(['/', '\\']).filter(is_dots).count();
        let find =
            |name: &str| files.read(FileReference { name, kind, escaped_dots: dots(name) > dots(uri) });
        // Some exporters write names as they are, with percent signs or the separators of Windows
        let found = find(&name).or_else(|error| {
            let others = [uri.to_string(), name.replace('\\', "/")];
            let mut others = others.iter().filter(|other| **other != name);
            let found = others.find_map(|other| find(other).ok());
            found.filter(|_| error.kind() == io::ErrorKind::NotFound).ok_or(error)
        });
        return found.map_err(|source| ParseError { location: location(), problem: read(source) });
    };
    let (header, data) = data.split_once(',').ok_or_else(|| {
        ParseError::malformed(location(), "the data: URI has no comma between its type and its data")
    })?;
    // Characters of base64 may be escaped, too
    let bytes: Cow<'_, [u8]> = percent_encoding::percent_decode_str(data).into();
    if !header.ends_with(";base64") {
        return Ok(bytes.into_owned());
    }
    BASE64
        .decode(bytes)
        .map_err(|error| ParseError::malformed(location(), format!("bad base64 data: {error}")))
}

/// Returns whether a component of a path stands for a folder relative to another.
fn is_dots(component: &&str) -> bool {
    matches!(*component, "." | "..")
}

/// Returns a URI for messages, without the content of `data:` URIs.
pub(super) fn short_uri(uri: &str) -> &str {
    if uri.starts_with("data:") { "embedded image" } else { uri }
}
