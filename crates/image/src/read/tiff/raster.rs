//! Samples of an image, and their conversion to red, green, blue and alpha.

use ::tiff::ColorType;

/// Meaning of the samples of a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Layout {
    Grey { alpha: bool },
    Rgb { alpha: bool },
    Cmyk,
}

impl Layout {
    pub(super) fn of(color: ColorType) -> Option<Self> {
        match color {
            ColorType::Gray(_) => Some(Self::Grey { alpha: false }),
            // Grey with further samples: the second one is alpha
            ColorType::GrayA(_) | ColorType::Multiband { num_samples: 2, .. } => {
                Some(Self::Grey { alpha: true })
            }
            ColorType::Multiband { .. } => Some(Self::Grey { alpha: false }),
            ColorType::RGB(_) => Some(Self::Rgb { alpha: false }),
            ColorType::RGBA(_) => Some(Self::Rgb { alpha: true }),
            ColorType::CMYK(_) | ColorType::CMYKA(_) => Some(Self::Cmyk),
            // Its texels are converted afterwards
            ColorType::YCbCr(8) => Some(Self::Rgb { alpha: false }),
            _ => None,
        }
    }

    /// Returns whether one of the samples is alpha.
    pub(super) fn has_alpha(self) -> bool {
        matches!(self, Self::Grey { alpha: true } | Self::Rgb { alpha: true })
    }
}

/// Arrangement of samples.
pub(super) struct Raster {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) samples: u16,
    /// Whether the samples of a pixel are stored together, not in planes.
    pub(super) interleaved: bool,
}

impl Raster {
    /// Returns the samples of an image of fewer than 8 bits per sample, whose rows begin with a byte.
    pub(super) fn unpacked(&self, bytes: &[u8], depth: u8) -> Vec<u8> {
        let per_row = self.width * usize::from(self.samples);
        let row_bytes = (per_row * usize::from(depth)).div_ceil(8).max(1);
        let sample = |row: &[u8], index: usize| {
            let bit = index * usize::from(depth);
            let byte = row.get(bit / 8).copied().unwrap_or(0);
            (byte >> (8 - usize::from(depth) - bit % 8)) & ((1 << depth) - 1)
        };
        bytes.chunks(row_bytes).flat_map(|row| (0..per_row).map(move |index| sample(row, index))).collect()
    }

    /// Returns red, green, blue and alpha of each pixel; fewer than there are pixels if `values` is too short.
    ///
    /// * `one` — the value that stands for 1. * `complement` — subtracts from it.
    pub(super) fn texels<T: Texel>(
        &self,
        values: &[T],
        layout: Layout,
        one: T,
        complement: impl Fn(T) -> T,
    ) -> Vec<[T; 4]> {
        let count = self.width * self.height;
        let samples = usize::from(self.samples);
        let value = |pixel: usize, sample: usize| {
            let index = if self.interleaved { pixel * samples + sample } else { sample * count + pixel };
            values.get(index).copied()
        };
        let texel = |pixel: usize| {
            let first = value(pixel, 0)?;
            Some(match layout {
                Layout::Grey { alpha } => [first, first, first, if alpha { value(pixel, 1)? } else { one }],
                Layout::Rgb { alpha } => {
                    [first, value(pixel, 1)?, value(pixel, 2)?, if alpha { value(pixel, 3)? } else { one }]
                }
                Layout::Cmyk => {
                    let black = complement(value(pixel, 3)?);
                    let [c, m, y] = [first, value(pixel, 1)?, value(pixel, 2)?];
                    let [r, g, b] = [c, m, y].map(|ink| T::product(complement(ink), black));
                    [r, g, b, one]
                }
            })
        };
        (0..count).map_while(texel).collect()
    }
}

/// Converts YCbCr to RGB, with the alpha unchanged: Rec. 601 with full range [TIFF6, §21].
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to bytes")]
pub(super) fn rgb_of_ycbcr([y, cb, cr, alpha]: [u8; 4]) -> [u8; 4] {
    let [y, cb, cr] = [f32::from(y), f32::from(cb) - 128.0, f32::from(cr) - 128.0];
    let [r, g, b] = [y + 1.402 * cr, y - 0.344_14 * cb - 0.714_14 * cr, y + 1.772 * cb]
        .map(|v| v.round().clamp(0.0, 255.0) as u8);
    [r, g, b, alpha]
}

/// Arithmetic of samples, whose largest value stands for 1.
pub(super) trait Texel: Copy {
    fn product(a: Self, b: Self) -> Self;
}

impl Texel for u8 {
    #[expect(clippy::cast_possible_truncation, reason = "at most 255")]
    fn product(a: Self, b: Self) -> Self {
        ((u32::from(a) * u32::from(b) + 127) / 255) as Self
    }
}

impl Texel for u16 {
    #[expect(clippy::cast_possible_truncation, reason = "at most 65535")]
    fn product(a: Self, b: Self) -> Self {
        ((u64::from(a) * u64::from(b) + 32_767) / 65_535) as Self
    }
}

impl Texel for f32 {
    fn product(a: Self, b: Self) -> Self {
        a * b
    }
}
