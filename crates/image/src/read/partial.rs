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
    notes.fault(format!("{} of {height} rows are missing: {reason}", height - rows));
    Some(match depth {
        BitDepth::Sixteen => {
            let values: Vec<u16> = bytes.as_chunks().0.iter().map(|&b| u16::from_be_bytes(b)).collect();
            Decoded::Rgba16 { width, height, texels: expanded(&values, color, u16::MAX, count) }
        }
        _ => Decoded::Rgba8 { width, height, texels: expanded(&bytes, color, u8::MAX, count) },
    })
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
