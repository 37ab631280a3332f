//! Buffers and buffer views: where the bytes of accessors and images are.

use std::borrow::Cow;
use std::io;

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

use crate::error::{Fault, Problem};
use crate::{FileLocation, Resolver};

use super::model::{Buffer, BufferView, Root};

/// Exporters are not agreed about padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// All buffers of a file, read.
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
    ) -> Result<Self, Fault> {
        let read = |(i, buffer)| read_buffer(i, buffer, binary, files);
        let bytes = root.buffers.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(Self { views: &root.buffer_views, bytes })
    }

    /// Bytes in all buffers together.
    pub(super) fn total(&self) -> usize {
        self.bytes.iter().map(|b| b.len()).sum()
    }

    /// The bytes of a buffer view with its stride. `from`: JSON path of the reference.
    pub(super) fn view(&self, index: usize, from: &str) -> Result<(&[u8], Option<usize>), Fault> {
        let view = self.views.get(index).ok_or_else(|| {
            let message = format!("there is no buffer view {index}; there are {}", self.views.len());
            Fault::malformed(FileLocation::Json(from.to_string()), message)
        })?;
        let place = || FileLocation::Json(format!("bufferViews[{index}]"));
        let buffer = self.bytes.get(view.buffer).ok_or_else(|| {
            let message = format!("there is no buffer {}; there are {}", view.buffer, self.bytes.len());
            Fault::malformed(place(), message)
        })?;
        let bytes = buffer.get(view.byte_offset..).and_then(|rest| rest.get(..view.byte_length));
        let bytes = bytes.ok_or_else(|| {
            let (offset, length) = (view.byte_offset, view.byte_length);
            let message = format!(
                "{length} bytes from byte {offset} on are not within buffer {}, which has {}",
                view.buffer,
                buffer.len()
            );
            Fault::malformed(place(), message)
        })?;
        Ok((bytes, view.byte_stride.filter(|&stride| stride != 0)))
    }
}

fn read_buffer<'a>(
    index: usize,
    buffer: &Buffer,
    binary: Option<&'a [u8]>,
    files: &dyn Resolver,
) -> Result<Cow<'a, [u8]>, Fault> {
    let place = || FileLocation::Json(format!("buffers[{index}]"));
    let bytes = match (&buffer.uri, binary) {
        (Some(uri), _) => Cow::Owned(read_uri(uri, files, place)?),
        (None, Some(binary)) if index == 0 => Cow::Borrowed(binary),
        (None, _) => return Err(Fault::malformed(place(), "the buffer has neither a uri nor a GLB chunk")),
    };
    if bytes.len() < buffer.byte_length {
        let (length, found) = (buffer.byte_length, bytes.len());
        return Err(Fault::malformed(place(), format!("the buffer has {found} bytes instead of {length}")));
    }
    Ok(bytes)
}

/// The bytes that a URI holds (`data:`) or names (relative to the file).
pub(super) fn read_uri(
    uri: &str,
    files: &dyn Resolver,
    place: impl Fn() -> FileLocation,
) -> Result<Vec<u8>, Fault> {
    let Some(data) = uri.strip_prefix("data:") else {
        let name = percent_encoding::percent_decode_str(uri).decode_utf8_lossy();
        let read = |source: io::Error| Problem::Read { what: uri.to_string(), source };
        return files.read(&name).map_err(|source| Fault { place: place(), problem: read(source) });
    };
    let Some((_, base64)) = data.split_once(";base64,") else {
        return Err(Fault::unsupported(place(), "a data: URI must be base64"));
    };
    BASE64.decode(base64).map_err(|error| Fault::malformed(place(), format!("bad base64 data: {error}")))
}

/// A URI for people: `data:` URIs are long.
pub(super) fn short_uri(uri: &str) -> &str {
    if uri.starts_with("data:") { "embedded image" } else { uri }
}
