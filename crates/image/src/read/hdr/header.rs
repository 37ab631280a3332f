//! Header of a picture: lines of text, an empty line, and the line with the size.

use sunfleck_math::{Mat3, Vec3};

use crate::Primaries;
use crate::read::note::Notes;

/// Headers of more bytes are refused.
const MAX_BYTES: usize = 1 << 20;

/// What the header says about the pixels.
#[derive(Debug)]
pub(super) struct Header {
    /// Whether the components are CIE XYZ instead of RGB.
    pub(super) xyz: bool,
    /// Reciprocal of the factors by which the pixels have been multiplied since they were radiance.
    pub(super) factor: Vec3,
    /// Conversion of RGB with other primaries.
    pub(super) rec709_from_rgb: Option<Mat3>,
    pub(super) orientation: Orientation,
}

impl Header {
    /// Reads the header; returns it and the bytes that follow. Errors: one sentence.
    pub(super) fn read<'a>(bytes: &'a [u8], notes: &mut Notes) -> Result<(Self, &'a [u8]), String> {
        let mut lines = Lines(bytes.get(..MAX_BYTES).unwrap_or(bytes));
        let mut xyz = false;
        let mut multiplied = Vec3::ONE;
        let mut primaries = None;
        // Some programs omit the empty line before the size
        let orientation = loop {
            let line = lines.next().ok_or("the header has no line with the size")?;
            if let Some(orientation) = Orientation::parse(&line)? {
                break orientation;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let numbers: Vec<f32> = value.split_whitespace().map_while(|word| word.parse().ok()).collect();
            match (key, &*numbers) {
                ("FORMAT", _) => xyz = is_xyz(value.trim())?,
                // Several exposures are cumulative
                ("EXPOSURE", &[e, ..]) if is_factor(e) => multiplied *= e,
                ("COLORCORR", &[r, g, b, ..]) if [r, g, b].into_iter().all(is_factor) => {
                    multiplied *= Vec3::new(r, g, b);
                }
                ("PRIMARIES", &[rx, ry, gx, gy, bx, by, wx, wy, ..]) => {
                    primaries =
                        Some(Primaries { red: [rx, ry], green: [gx, gy], blue: [bx, by], white: [wx, wy] });
                }
                ("EXPOSURE" | "COLORCORR" | "PRIMARIES", _) => {
                    notes.fault(format!("the line \"{line}\" of the header is not valid and is ignored"));
                }
                _ => {}
            }
        };
        let mut factor = multiplied.recip();
        if !(factor.is_finite() && factor.min_element() > 0.0) {
            notes.fault("the exposures in the header are out of range and are ignored");
            factor = Vec3::ONE;
        }
        if factor != Vec3::ONE {
            let [r, g, b] = multiplied.to_array();
            let by = if r == g && g == b { r.to_string() } else { format!("{r}, {g}, {b}") };
            notes.choice(format!("pixels are divided by the exposure in the header: {by}"));
        }
        let rec709_from_rgb = match primaries.filter(|_| !xyz).map(|primaries| primaries.rec709_from_rgb()) {
            Some(Some(matrix)) => Some(matrix),
            Some(None) => {
                notes.fault("the primaries in the header are not valid; those of Rec. 709 are taken");
                None
            }
            None => None,
        };
        let read = bytes.len().min(MAX_BYTES) - lines.0.len();
        Ok((Self { xyz, factor, rec709_from_rgb, orientation }, &bytes[read..]))
    }
}

/// Returns whether the components of a format are XYZ.
fn is_xyz(format: &str) -> Result<bool, String> {
    match format {
        "32-bit_rle_rgbe" => Ok(false),
        "32-bit_rle_xyze" => Ok(true),
        other => Err(format!("the pixel format \"{other}\" is unknown")),
    }
}

fn is_factor(value: f32) -> bool {
    value.is_finite() && value > 0.0
}

/// Lines of text, whose ends are "\n" or "\r\n".
struct Lines<'a>(&'a [u8]);

impl Iterator for Lines<'_> {
    type Item = String;
    fn next(&mut self) -> Option<String> {
        let end = self.0.iter().position(|&byte| byte == b'\n')?;
        let (line, rest) = self.0.split_at(end);
        self.0 = &rest[1..];
        Some(String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned())
    }
}

/// Size of the image, and the order of its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orientation {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Whether scanlines are columns.
    columns: bool,
    /// Whether x decreases.
    leftwards: bool,
    /// Whether y increases: from the bottom upwards.
    upwards: bool,
}

impl Orientation {
    /// Parses a line such as `-Y 512 +X 1024`; `None` if the line is none of that kind. Errors: one sentence.
    fn parse(line: &str) -> Result<Option<Self>, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[first, first_size, second, second_size] = &*words else { return Ok(None) };
        let (columns, x, y) = match (first, second) {
            ("-Y" | "+Y", "-X" | "+X") => (false, second, first),
            ("-X" | "+X", "-Y" | "+Y") => (true, first, second),
            _ => return Ok(None),
        };
        let size = |word: &str| word.parse::<u32>().ok().filter(|&size| size > 0);
        let sizes = size(first_size).zip(size(second_size));
        let (scanlines, length) = sizes.ok_or_else(|| format!("the size \"{line}\" is not valid"))?;
        let (width, height) = if columns { (scanlines, length) } else { (length, scanlines) };
        Ok(Some(Self { width, height, columns, leftwards: x == "-X", upwards: y == "+Y" }))
    }

    /// Returns the number of scanlines, and the number of pixels in each.
    pub(super) fn scanlines(self) -> (u32, u32) {
        if self.columns { (self.width, self.height) } else { (self.height, self.width) }
    }

    /// Returns the index of a pixel in rows from the top, by its scanline and its position there.
    pub(super) fn index(self, scanline: u32, position: u32) -> usize {
        let (x, y) = if self.columns { (scanline, position) } else { (position, scanline) };
        let x = if self.leftwards { self.width - 1 - x } else { x };
        let y = if self.upwards { self.height - 1 - y } else { y };
        y as usize * self.width as usize + x as usize
    }
}
