use std::fmt;

use super::Decoded;

/// An image with what a user should know about its file.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedFile {
    /// The image.
    pub image: Decoded,
    /// Notes about the file, each once.
    pub notes: Vec<ImageNote>,
    /// Whether the colours are multiplied by alpha, as in EXR, and in TIFF where it says so.
    pub is_premultiplied: bool,
}

impl DecodedFile {
    /// Returns the image with colours that are not multiplied by alpha. Those without coverage stay as they are.
    #[must_use]
    pub fn straight(self) -> Decoded {
        match self.image {
            image if !self.is_premultiplied => image,
            Decoded::Rgba8 { width, height, texels } => {
                let divide = |value: u8, alpha: u8| {
                    let quotient = (u32::from(value) * 255 + u32::from(alpha) / 2) / u32::from(alpha);
                    u8::try_from(quotient).unwrap_or(u8::MAX)
                };
                Decoded::Rgba8 { width, height, texels: divided(texels, 0, divide) }
            }
            Decoded::Rgba16 { width, height, texels } => {
                let divide = |value: u16, alpha: u16| {
                    let quotient = (u64::from(value) * 65_535 + u64::from(alpha) / 2) / u64::from(alpha);
                    u16::try_from(quotient).unwrap_or(u16::MAX)
                };
                Decoded::Rgba16 { width, height, texels: divided(texels, 0, divide) }
            }
            Decoded::Rgba32F { width, height, texels } => {
                Decoded::Rgba32F { width, height, texels: divided(texels, 0.0, |value, alpha| value / alpha) }
            }
        }
    }
}

/// Divides the colours of texels by their alpha where it is above zero.
fn divided<T: Copy + PartialOrd>(
    mut texels: Vec<[T; 4]>,
    zero: T,
    divide: impl Fn(T, T) -> T,
) -> Vec<[T; 4]> {
    for [r, g, b, alpha] in &mut texels {
        if *alpha > zero {
            [r, g, b].into_iter().for_each(|value| *value = divide(*value, *alpha));
        }
    }
    texels
}

/// One sentence about an image file that was decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageNote {
    /// A choice that was made, or content that is not used.
    Choice(String),
    /// A fault in the file that was repaired or skipped.
    Fault(String),
    /// Pixels that the file lacks, which were replaced.
    Missing(String),
}

impl fmt::Display for ImageNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choice(sentence) | Self::Fault(sentence) | Self::Missing(sentence) => f.write_str(sentence),
        }
    }
}

/// Notes about a file that is being decoded.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) notes: Vec<ImageNote>,
    /// Whether the colours are multiplied by alpha.
    pub(super) is_premultiplied: bool,
}

impl Notes {
    pub(super) fn choice(&mut self, sentence: impl Into<String>) {
        self.notes.push(ImageNote::Choice(sentence.into()));
    }

    pub(super) fn missing(&mut self, sentence: impl Into<String>) {
        self.notes.push(ImageNote::Missing(sentence.into()));
    }

    pub(super) fn fault(&mut self, sentence: impl Into<String>) {
        self.notes.push(ImageNote::Fault(sentence.into()));
    }
}
