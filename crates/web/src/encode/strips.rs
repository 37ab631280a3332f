//! Baseline JPEG encoding with several threads. An image is split into strips of whole blocks, each strip is encoded as
//! a JPEG, and their entropy-coded data are joined by restart markers. A decoder resets its state at these markers as
//! at the start of a scan [T81, §E.1.4, §F.1.1.5], so the decoded pixels are those of a JPEG encoded in one piece.

use std::ops::Range;

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

/// Maximum number of strips of an image. It does not depend on the number of cores, so that the bytes are the same on
/// every machine.
const MAX_STRIPS: usize = 8;
/// Minimum number of rows of a strip, below which a thread does not pay off.
const MIN_ROWS: usize = 256;

/// Quality and chroma subsampling of a JPEG.
#[derive(Clone, Copy, Debug)]
pub(super) struct JpegOptions {
    /// Quality from 1 to 100.
    pub(super) quality: u8,
    /// Whether chroma has full resolution (4:4:4) instead of a quarter (4:2:0).
    pub(super) full_color: bool,
}

impl JpegOptions {
    /// Edge length of a minimum coded unit, in pixels.
    fn block(self) -> usize {
        if self.full_color { 8 } else { 16 }
    }

    /// Encodes an image in one piece; `None` if it is too large for a JPEG.
    ///
    /// * `restart` — number of coded units between restart markers; 0 for no markers.
    fn encode(self, rgb: &[u8], [width, height]: [usize; 2], restart: u16) -> Option<Vec<u8>> {
        let (width, height) = (u16::try_from(width).ok()?, u16::try_from(height).ok()?);
        let mut jpeg = Vec::with_capacity(rgb.len() / 8);
        let mut encoder = Encoder::new(&mut jpeg, self.quality);
        encoder.set_sampling_factor(if self.full_color {
            SamplingFactor::F_1_1
        } else {
            SamplingFactor::F_2_2
        });
        encoder.set_restart_interval(restart);
        encoder.encode(rgb, width, height, ColorType::Rgb).ok()?;
        Some(jpeg)
    }
}

/// Encodes RGB bytes, row by row, as a JPEG; `None` if the image is too large.
pub(super) fn encode(rgb: &[u8], size: [usize; 2], options: JpegOptions) -> Option<Vec<u8>> {
    in_strips(rgb, size, options).or_else(|| options.encode(rgb, size, 0))
}

/// Encodes in strips; `None` if the image is too small for that or no thread can be started.
fn in_strips(rgb: &[u8], [width, height]: [usize; 2], options: JpegOptions) -> Option<Vec<u8>> {
    let block = options.block();
    let rows = height.div_ceil((height / MIN_ROWS).clamp(1, MAX_STRIPS)).next_multiple_of(block);
    let restart =
        u16::try_from(width.div_ceil(block) * (rows / block)).ok().filter(|_| rows < height && width > 0)?;
    let encode = |strip: &[u8]| options.encode(strip, [width, strip.len() / (3 * width)], restart);
    let (first, rest) = rgb.split_at_checked(3 * width * rows)?;
    let strips = std::thread::scope(|scope| {
        // Separate threads, since those of the pool are rendering the next frame
        let spawn = |strip| std::thread::Builder::new().spawn_scoped(scope, move || encode(strip)).ok();
        let rest: Vec<_> = rest.chunks(3 * width * rows).map(spawn).collect();
        let first = encode(first);
        let rest = rest.into_iter().map(|thread| thread?.join().ok().flatten());
        std::iter::once(first).chain(rest).collect::<Option<Vec<_>>>()
    })?;
    join_strips(&strips, u16::try_from(height).ok()?)
}

/// Joins the JPEGs of strips to one JPEG of the given height.
fn join_strips(strips: &[Vec<u8>], height: u16) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(strips.iter().map(Vec::len).sum());
    for (strip, number) in strips.iter().zip(0u8..) {
        let ScanLayout { height: height_bytes, data } = scan_layout(strip)?;
        if let Some(previous) = number.checked_sub(1) {
            joined.extend([MARKER, RESTART + previous % 8]);
            joined.extend(&strip[data]);
        } else {
            joined.extend(&strip[..data.end]);
            joined[height_bytes].copy_from_slice(&height.to_be_bytes());
        }
    }
    joined.extend([MARKER, END]);
    Some(joined)
}

/// Byte ranges of the height and of the entropy-coded data in a JPEG of one scan.
struct ScanLayout {
    height: Range<usize>,
    data: Range<usize>,
}

/// First byte of every marker [T81, Table B.1]; the constants below are second bytes.
const MARKER: u8 = 0xff;
/// RST0.
const RESTART: u8 = 0xd0;
/// SOF0, start of a baseline frame.
const FRAME: u8 = 0xc0;
/// SOS, start of scan.
const SCAN: u8 = 0xda;
/// EOI, end of image.
const END: u8 = 0xd9;

fn scan_layout(jpeg: &[u8]) -> Option<ScanLayout> {
    let (mut at, mut height) = (2, None);
    loop {
        let [MARKER, kind, high, low] = *jpeg.get(at..at + 4)? else { return None };
        let end = at + 2 + usize::from(u16::from_be_bytes([high, low]));
        match kind {
            // Follows the segment length and the sample precision
            FRAME => height = Some(at + 5..at + 7),
            SCAN => return Some(ScanLayout { height: height?, data: end..jpeg.len().checked_sub(2)? }),
            _ => {}
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes an image with edges, gradients and noise.
    fn picture([width, height]: [usize; 2]) -> Vec<u8> {
        let pixel = |i: usize| {
            let (x, y) = (i % width, i / width);
            let noise = i.wrapping_mul(2_654_435_761) >> 7 & 63;
            let checks = if (x / 9 + y / 7).is_multiple_of(2) { 200 } else { 20 };
            [3 * x % 256, checks, y / 4 % 128 + noise].map(|byte| u8::try_from(byte).unwrap())
        };
        (0..width * height).flat_map(pixel).collect()
    }

    #[test]
    fn strips_decode_to_the_same_image() {
        for size in [[333, 511], [333, 512], [64, 1000], [401, 1080], [16, 4000], [1, 600]] {
            let rgb = picture(size);
            for full_color in [false, true] {
                let options = JpegOptions { quality: 85, full_color };
                let decoded = |jpeg: &[u8]| sunfleck_image::decode(jpeg, "jpg").unwrap();
                let whole = options.encode(&rgb, size, 0).unwrap();
                let strips = encode(&rgb, size, options).unwrap();
                assert_eq!(decoded(&strips), decoded(&whole), "{size:?}");
                let cut = size[1] >= 2 * MIN_ROWS;
                assert_eq!(strips.windows(2).any(|pair| pair == [MARKER, RESTART]), cut, "{size:?}");
            }
        }
    }

    #[test]
    fn images_too_large_for_a_jpeg_are_refused() {
        assert_eq!(
            encode(&vec![0; 3 * 70_000], [70_000, 1], JpegOptions { quality: 80, full_color: true }),
            None
        );
        assert!(
            encode(&vec![0; 3 * 60_000 * 512], [60_000, 512], JpegOptions { quality: 80, full_color: true })
                .is_some()
        );
    }
}
