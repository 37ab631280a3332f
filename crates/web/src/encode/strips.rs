//! Baseline JPEG by several threads. A picture is cut into strips of whole blocks, each becomes a JPEG by itself, and their data are joined by restart markers, after
//! which a decoder begins afresh as it does at the start of a picture [T81, §E.1.4, §F.1.1.5]: pixels are the same as of one piece.

use std::ops::Range;

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

/// Most strips of a picture. Not as many as there are cores, so that the same picture has the same bytes everywhere.
const MOST: usize = 8;
/// Rows that are worth a thread.
const ROWS: usize = 256;

/// How much a JPEG keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    /// 1 to 100.
    pub(super) quality: u8,
    /// Whether colours have all pixels, or one of four.
    pub(super) full_color: bool,
}

impl Detail {
    /// Rows and columns of the blocks that are encoded together.
    fn block(self) -> usize {
        if self.full_color { 8 } else { 16 }
    }

    /// In one piece; `None` if a JPEG cannot be so large.
    ///
    /// * `restart` — blocks between restart markers; 0: there are none.
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

/// A JPEG of an RGB picture, row by row; `None` if it cannot be so large.
pub(super) fn encode(rgb: &[u8], size: [usize; 2], detail: Detail) -> Option<Vec<u8>> {
    in_strips(rgb, size, detail).or_else(|| detail.encode(rgb, size, 0))
}

/// `None` where it is not worth it, or no thread is to be had.
fn in_strips(rgb: &[u8], [width, height]: [usize; 2], detail: Detail) -> Option<Vec<u8>> {
    let block = detail.block();
    let rows = height.div_ceil((height / ROWS).clamp(1, MOST)).next_multiple_of(block);
    let restart =
        u16::try_from(width.div_ceil(block) * (rows / block)).ok().filter(|_| rows < height && width > 0)?;
    let encode = |strip: &[u8]| detail.encode(strip, [width, strip.len() / (3 * width)], restart);
    let (first, rest) = rgb.split_at_checked(3 * width * rows)?;
    let strips = std::thread::scope(|scope| {
        // Threads of their own: those of the pool are rendering the next frame
        let begin = |strip| std::thread::Builder::new().spawn_scoped(scope, move || encode(strip)).ok();
        let rest: Vec<_> = rest.chunks(3 * width * rows).map(begin).collect();
        let first = encode(first);
        let rest = rest.into_iter().map(|thread| thread?.join().ok().flatten());
        std::iter::once(first).chain(rest).collect::<Option<Vec<_>>>()
    })?;
    join(&strips, u16::try_from(height).ok()?)
}

/// One JPEG of those of its strips.
fn join(strips: &[Vec<u8>], height: u16) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(strips.iter().map(Vec::len).sum());
    for (strip, number) in strips.iter().zip(0u8..) {
        let Parts { height: place, data } = parts(strip)?;
        if let Some(before) = number.checked_sub(1) {
            joined.extend([MARKER, RESTART + before % 8]);
            joined.extend(&strip[data]);
        } else {
            joined.extend(&strip[..data.end]);
            joined[place].copy_from_slice(&height.to_be_bytes());
        }
    }
    joined.extend([MARKER, END]);
    Some(joined)
}

/// Where a JPEG of one scan has the height, and the data of its blocks.
struct Parts {
    height: Range<usize>,
    data: Range<usize>,
}

/// First byte of a marker, and the second [T81, Table B.1].
const MARKER: u8 = 0xff;
const RESTART: u8 = 0xd0;
const FRAME: u8 = 0xc0;
const SCAN: u8 = 0xda;
const END: u8 = 0xd9;

fn parts(jpeg: &[u8]) -> Option<Parts> {
    let (mut at, mut height) = (2, None);
    loop {
        let [MARKER, what, high, low] = *jpeg.get(at..at + 4)? else { return None };
        let end = at + 2 + usize::from(u16::from_be_bytes([high, low]));
        match what {
            // After the length and the bits of a sample
            FRAME => height = Some(at + 5..at + 7),
            SCAN => return Some(Parts { height: height?, data: end..jpeg.len().checked_sub(2)? }),
            _ => {}
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges, gradients and noise.
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
    fn strips_are_the_same_picture() {
        for size in [[333, 511], [333, 512], [64, 1000], [401, 1080], [16, 4000], [1, 600]] {
            let rgb = picture(size);
            for full_color in [false, true] {
                let detail = Detail { quality: 85, full_color };
                let decoded = |jpeg: &[u8]| sunfleck_image::decode(jpeg, "jpg").unwrap();
                let whole = detail.encode(&rgb, size, 0).unwrap();
                let strips = encode(&rgb, size, detail).unwrap();
                assert_eq!(decoded(&strips), decoded(&whole), "{size:?}");
                let cut = size[1] >= 2 * ROWS;
                assert_eq!(strips.windows(2).any(|pair| pair == [MARKER, RESTART]), cut, "{size:?}");
            }
        }
    }

    #[test]
    fn what_no_jpeg_holds_is_refused() {
        assert_eq!(encode(&vec![0; 3 * 70_000], [70_000, 1], Detail { quality: 80, full_color: true }), None);
        assert!(
            encode(&vec![0; 3 * 60_000 * 512], [60_000, 512], Detail { quality: 80, full_color: true })
                .is_some()
        );
    }
}
