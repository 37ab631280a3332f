//! Decoding of `OpenEXR` files: the layer with colours or else with luminance, in linear Rec. 709.

mod layer;
mod planes;
mod sampling;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::Cursor;

use ::exr::block::read as read_blocks;
use ::exr::meta::header::Header;
use ::exr::prelude::{Error, IntegerBounds};
use sunfleck_math::{Mat3, Vec3};

use self::layer::{Content, Layer, layers};
use self::planes::Planes;
use super::Decoded;
use super::note::Notes;
use super::size::StatedSize;
use crate::{ImageError, Primaries};

/// First bytes of every EXR file.
pub(super) const MAGIC: [u8; 4] = [0x76, 0x2f, 0x31, 0x01];

/// Largest ratio of compression, which PIZ reaches for an image of one colour.
const COMPRESSION: u64 = 16_384;

pub(super) fn decode(bytes: &[u8], limit: u64, notes: &mut Notes) -> Result<Decoded, ImageError> {
    // The reader refuses subsampled channels; their factors are put back after the header was read
    let (bytes, samplings) = sampling::without_subsampling(bytes);
    let reader = read_blocks(Cursor::new(Cow::as_ref(&bytes)), false).map_err(malformed)?;
    let headers = reader.headers();
    let layers = layers(headers, &samplings);
    let layer = layers.first().ok_or_else(|| no_colors(headers))?;
    let header = &headers[layer.part];

    // Check the sizes before memory is allocated
    let window = visible_window(header, notes);
    let [width, height] = [window.size.0, window.size.1].map(|edge| edge as u64);
    let data = header.layer_size;
    let file_bits = 8 * header.channels.bytes_per_pixel as u64;
    let plane_bytes = 4 * layer.content.channels().count() as u64;
    for (width, height, texel_bytes) in
        [(width, height, 16), (data.0 as u64, data.1 as u64, plane_bytes.max(file_bits / 8))]
    {
        let size = StatedSize { format: "EXR", width, height, file_bits, texel_bytes };
        size.check(limit, bytes.len(), COMPRESSION)?;
    }

    note_unused(headers, layer, notes);
    notes.is_premultiplied = true;
    let colors = Colors::new(header, layer, notes);
    let layer = layer.clone();
    let planes = Planes::read(reader, &layer, &samplings, notes)?;
    let too_wide = |_| reason("it is too wide or too high");
    let (width, height) = (u32::try_from(width).map_err(too_wide)?, u32::try_from(height).map_err(too_wide)?);
    let texel = |x: u32, y: u32| {
        let [x, y] =
            [i64::from(x) + i64::from(window.position.0), i64::from(y) + i64::from(window.position.1)];
        planes.texel_at(x, y).map_or([0.0; 4], |texel| colors.rec709(texel))
    };
    let texels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| texel(x, y));
    Ok(Decoded::Rgba32F { width, height, texels: texels.collect() })
}

/// Returns the display window, which is the image; pixels outside the data window are black and transparent. If the
/// two do not overlap, returns the data window.
fn visible_window(header: &Header, notes: &mut Notes) -> IntegerBounds {
    let (display, data) = (header.shared_attributes.display_window, header.data_window());
    let overlap = |display: (i32, usize), data: (i32, usize)| {
        let end = |(start, size): (i32, usize)| i64::from(start) + size as i64;
        i64::from(display.0) < end(data) && i64::from(data.0) < end(display)
    };
    if overlap((display.position.0, display.size.0), (data.position.0, data.size.0))
        && overlap((display.position.1, display.size.1), (data.position.1, data.size.1))
    {
        return display;
    }
    notes.choice("the display window has no pixels; the data window is shown");
    data
}

/// Conversion of the colours of a layer.
struct Colors {
    content: Content,
    /// Luminance of red, green and blue, from which luminance-chroma images are decoded.
    luminance: [f32; 3],
    rec709_from_rgb: Option<Mat3>,
}

impl Colors {
    fn new(header: &Header, layer: &Layer, notes: &mut Notes) -> Self {
        let stated = header.shared_attributes.chromaticities.map(|c| Primaries {
            red: [c.red.0, c.red.1],
            green: [c.green.0, c.green.1],
            blue: [c.blue.0, c.blue.1],
            white: [c.white.0, c.white.1],
        });
        let matrix = stated.map(|primaries| primaries.rec709_from_rgb());
        if matches!(matrix, Some(None)) {
            notes.fault("the chromaticities are not valid; those of Rec. 709 are taken");
        }
        let rec709_from_rgb = matrix.flatten().filter(|&matrix| matrix != Mat3::IDENTITY);
        let primaries = stated.filter(|_| rec709_from_rgb.is_some()).unwrap_or(Primaries::REC709);
        let luminance = primaries.luminance().filter(|weights| weights[1] > 0.0);
        let luminance = luminance.unwrap_or(crate::color::LUMINANCE);
        Self { content: layer.content, luminance, rec709_from_rgb }
    }

    /// Returns linear Rec. 709 and alpha of the values of the layer's channels.
    fn rec709(&self, [a, b, c, alpha]: [f32; 4]) -> [f32; 4] {
        let rgb = match self.content {
            Content::Rgb { .. } => Vec3::new(a, b, c),
            Content::LuminanceChroma { .. } => self.rgb_of_luminance_chroma(a, b, c),
            Content::Single { .. } => return [a, a, a, alpha],
        };
        let [r, g, b] = self.rec709_from_rgb.map_or(rgb, |matrix| matrix * rgb).to_array();
        [r, g, b, alpha]
    }

    /// The chroma of red is (R − Y) / Y, that of blue (B − Y) / Y [OpenEXR, luminance-chroma].
    fn rgb_of_luminance_chroma(&self, y: f32, ry: f32, by: f32) -> Vec3 {
        let (r, b) = ((ry + 1.0) * y, (by + 1.0) * y);
        let [red, green, blue] = self.luminance;
        Vec3::new(r, (y - red * r - blue * b) / green, b)
    }
}

/// Notes which layer was taken, and what was left.
fn note_unused(headers: &[Header], layer: &Layer, notes: &mut Notes) {
    let used: Vec<usize> = layer.content.channels().collect();
    let mut unused = Vec::new();
    for (part, header) in headers.iter().enumerate() {
        let part_name = header.own_attributes.layer_name.as_ref().filter(|_| headers.len() > 1);
        for (index, channel) in header.channels.list.iter().enumerate() {
            if part != layer.part || !used.contains(&index) {
                let deep = if header.deep { " (deep)" } else { "" };
                let name =
                    part_name.map_or(channel.name.to_string(), |part| format!("{part}.{}", channel.name));
                unused.push(name + deep);
            }
        }
    }
    if !layer.name.is_empty() {
        notes.choice(format!("the layer \"{}\" is shown", layer.name));
    }
    if !unused.is_empty() {
        notes.choice(format!("channels that are not used: {}", listed(&unused)));
    }
    if let ::exr::meta::BlockDescription::Tiles(tiles) = headers[layer.part].blocks
        && tiles.level_mode != ::exr::meta::attribute::LevelMode::Singular
    {
        notes.choice("the smaller resolutions in the file are not used");
    }
}

/// Returns the first few of many names, separated by commas.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn no_colors(headers: &[Header]) -> ImageError {
    if headers.iter().all(|header| header.deep) {
        return reason("deep images are not supported");
    }
    let names: Vec<String> =
        headers.iter().flat_map(|h| h.channels.list.iter().map(|c| c.name.to_string())).collect();
    reason(format!("it has no channels R, G, B or Y, but {}", listed(&names)))
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn malformed(error: Error) -> ImageError {
    reason(error.to_string())
}

fn reason(reason: impl Into<String>) -> ImageError {
    ImageError::Malformed { format: "EXR", reason: reason.into() }
}
