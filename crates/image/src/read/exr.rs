//! Decoding of `OpenEXR` files.

use std::io::Cursor;

use ::exr::block::read as read_blocks;
use ::exr::meta::header::Header;
use ::exr::prelude::{
    Error, Image, Layer, ReadChannels, ReadLayers, ReadSpecificChannel, SpecificChannels, Vec2, read,
};

use super::{Decoded, check_size};
use crate::ImageError;

/// First bytes of every EXR file.
pub(super) const MAGIC: [u8; 4] = [0x76, 0x2f, 0x31, 0x01];

/// Texels under construction.
struct Texels {
    width: usize,
    rgba: Vec<[f32; 4]>,
}

impl Texels {
    fn new(size: Vec2<usize>) -> Self {
        Self { width: size.0, rgba: vec![[0.0; 4]; size.0 * size.1] }
    }

    fn set(&mut self, at: Vec2<usize>, texel: [f32; 4]) {
        self.rgba[at.1 * self.width + at.0] = texel;
    }
}

/// Decodes the data window of the first layer with red, green and blue, or else with luminance.
pub(super) fn decode(bytes: &[u8], limit: u64) -> Result<Decoded, ImageError> {
    // Check the sizes in the headers before memory is allocated
    let blocks = read_blocks(Cursor::new(bytes), false).map_err(malformed)?;
    for header in blocks.headers() {
        let (width, height) = (header.layer_size.0 as u64, header.layer_size.1 as u64);
        check_size(width, height, 16, limit)?;
        check_size(width, height, header.channels.bytes_per_pixel as u64, limit)?;
    }
    let has = |header: &Header, name: &str| header.channels.list.iter().any(|c| c.name.eq(name));
    let colored = blocks.headers().iter().any(|h| ["R", "G", "B"].iter().all(|name| has(h, name)));

    // Decode on this thread, since a panic of the decoder in a thread pool would abort the process
    let channels = read().no_deep_data().largest_resolution_level();
    if colored {
        let set = |texels: &mut Texels, at, (r, g, b, a): (f32, f32, f32, f32)| texels.set(at, [r, g, b, a]);
        let layer = channels.rgba_channels(|size, _| Texels::new(size), set).first_valid_layer();
        finish(layer.all_attributes().non_parallel().from_buffered(Cursor::new(bytes)))
    } else {
        let set = |texels: &mut Texels, at, (y, a): (f32, f32)| texels.set(at, [y, y, y, a]);
        let layer = channels
            .specific_channels()
            .required("Y")
            .optional("A", 1.0)
            .collect_pixels(|size, _| Texels::new(size), set)
            .first_valid_layer();
        finish(layer.all_attributes().non_parallel().from_buffered(Cursor::new(bytes)))
    }
}

fn finish<C>(
    image: ::exr::error::Result<Image<Layer<SpecificChannels<Texels, C>>>>,
) -> Result<Decoded, ImageError> {
    let layer = image.map_err(malformed)?.layer_data;
    let too_wide =
        |_| ImageError::Malformed { format: "EXR", reason: "it is too wide or too high".to_owned() };
    Ok(Decoded::Rgba32F {
        width: u32::try_from(layer.size.0).map_err(too_wide)?,
        height: u32::try_from(layer.size.1).map_err(too_wide)?,
        texels: layer.channel_data.pixels.rgba,
    })
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn malformed(error: Error) -> ImageError {
    ImageError::Malformed { format: "EXR", reason: error.to_string() }
}
