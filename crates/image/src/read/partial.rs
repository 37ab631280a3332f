//! What can be shown of files that end early or are damaged.

use std::io::Cursor;

use ::png::{BitDepth, ColorType, Decoder, Transformations};

use super::Decoded;
use super::note::Notes;

/// Decodes the rows of a PNG file before the first fault; the others stay black and transparent. `None` if not even one
/// row can be read, or the image is interlaced.
pub(super) fn png(bytes: &[u8], notes: &mut Notes) -> Option<Decoded> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = reader.info().size();
    if reader.info().interlaced {
        return None;
    }
    let (color, depth) = reader.output_color_type();
    let count = width as usize * height as usize;
    let mut bytes = Vec::new();
    let mut rows = 0;
    let reason = loop {
        match reader.next_row() {
            Ok(Some(row)) => bytes.extend_from_slice(row.data()),
            Ok(None) => return None,
            Err(error) => break error,
        }
        rows += 1;
    };
    if rows == 0 {
        return None;
    }
    notes.missing(format!("{} of {height} rows are missing: {reason}", height - rows));
    Some(match depth {
        BitDepth::Sixteen => {
            let values: Vec<u16> = bytes.as_chunks().0.iter().map(|&b| u16::from_be_bytes(b)).collect();
            Decoded::Rgba16 { width, height, texels: expanded(&values, color, u16::MAX, count) }
        }
        _ => Decoded::Rgba8 { width, height, texels: expanded(&bytes, color, u8::MAX, count) },
    })
}

/// Returns whether a JPEG file has no end-of-image marker after the beginning of its scan [T81, §B.1.1].
pub(super) fn jpeg_ends_early(bytes: &[u8]) -> bool {
    const START_OF_SCAN: u8 = 0xda;
    // The segments before the scan may hold a thumbnail, which is a whole JPEG file
    let mut rest = bytes.get(2..).unwrap_or_default();
    while let &[0xff, marker, ref segment @ ..] = rest {
        rest = match marker {
            START_OF_SCAN => break,
            0xff => &rest[1..],
            _ => {
                let length = segment.first_chunk().map_or(0, |&length| u16::from_be_bytes(length));
                segment.get(usize::from(length)..).unwrap_or_default()
            }
        };
    }
    !rest.windows(2).any(|marker| marker == [0xff, 0xd9])
}

fn expanded<T: Copy + Default>(values: &[T], color: ColorType, opaque: T, count: usize) -> Vec<[T; 4]> {
    let mut texels: Vec<[T; 4]> = match color {
        ColorType::Grayscale | ColorType::Indexed => values.iter().map(|&v| [v, v, v, opaque]).collect(),
        ColorType::GrayscaleAlpha => values.as_chunks().0.iter().map(|&[v, a]| [v, v, v, a]).collect(),
        ColorType::Rgb => values.as_chunks().0.iter().map(|&[r, g, b]| [r, g, b, opaque]).collect(),
        ColorType::Rgba => values.as_chunks().0.to_vec(),
    };
    texels.resize(count, [T::default(); 4]);
    texels
}
