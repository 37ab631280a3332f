//! Cache of the JPEGs of both images, encoded again only when image or options change.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sunfleck_image::{Picture, ToneCurve};

use super::strips::{self, JpegOptions};
use super::{Mode, display};

/// JPEG quality of previews, where size matters more.
const MOVING_QUALITY: u8 = 80;
/// JPEG quality at rest.
const REST_QUALITY: u8 = 92;

/// Exposure, tone curve and quality mode of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EncodeOptions {
    /// Exposure in stops.
    pub(super) stops: f32,
    pub(super) curve: ToneCurve,
    pub(super) mode: Mode,
}

/// Newest JPEG of each side.
#[derive(Debug, Default)]
pub(super) struct Jpegs {
    sides: [Option<EncodedSide>; 2],
    /// Number of JPEGs encoded so far.
    numbers: u64,
}

/// JPEG of one side with the image and options it was made of.
#[derive(Debug)]
struct EncodedSide {
    picture: Arc<Picture>,
    options: EncodeOptions,
    number: u64,
    jpeg: Vec<u8>,
}

impl Jpegs {
    /// Encodes the image of a side, unless it is unchanged, and returns the times of tone mapping and encoding. `None`
    /// if the image is too large for a JPEG.
    pub(super) fn update(
        &mut self,
        side: usize,
        picture: &Arc<Picture>,
        options: EncodeOptions,
    ) -> Option<[Duration; 2]> {
        let same = |old: &&EncodedSide| Arc::ptr_eq(&old.picture, picture) && old.options == options;
        if self.sides[side].as_ref().filter(same).is_some() {
            return Some([Duration::ZERO; 2]);
        }
        let start = Instant::now();
        let rgb = display::bytes(picture, options.curve, options.stops);
        let tone_mapped = Instant::now();
        let jpeg = encode(&rgb, [picture.width(), picture.height()], options.mode)?;
        self.numbers += 1;
        self.sides[side] =
            Some(EncodedSide { picture: picture.clone(), options, number: self.numbers, jpeg });
        Some([tone_mapped - start, tone_mapped.elapsed()])
    }

    /// Returns the number and the bytes of a side's JPEG.
    pub(super) fn get(&self, side: usize) -> Option<(u64, &[u8])> {
        self.sides[side].as_ref().map(|side| (side.number, &side.jpeg[..]))
    }
}

fn encode(rgb: &[u8], [width, height]: [u32; 2], mode: Mode) -> Option<Vec<u8>> {
    let jpeg_options = match mode {
        Mode::Moving => JpegOptions { quality: MOVING_QUALITY, full_color: false },
        Mode::Settling | Mode::Rest => JpegOptions { quality: REST_QUALITY, full_color: true },
    };
    strips::encode(rgb, [width as usize, height as usize], jpeg_options)
}
