//! Limits of the size of images, checked before memory is allocated.

use crate::ImageError;

/// Size that the header of a file states.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatedSize {
    pub(super) format: &'static str,
    pub(super) width: u64,
    pub(super) height: u64,
    /// Bits per texel before compression.
    pub(super) file_bits: u64,
    /// Bytes per texel in memory.
    pub(super) texel_bytes: u64,
}

/// Images of up to this many bytes are decoded whatever their file says.
const HARMLESS_BYTES: u64 = 16 << 20;

impl StatedSize {
    /// Checks that the texels need at most `limit` bytes of memory, and that a file of `file_bytes` can hold them.
    ///
    /// * `compression` — how many times smaller than its texels a file of the format can be.
    pub(super) fn check(self, limit: u64, file_bytes: usize, compression: u64) -> Result<(), ImageError> {
        let Self { format, width, height, file_bits, texel_bytes } = self;
        let product = |factor: u64| width.checked_mul(height).and_then(|texels| texels.checked_mul(factor));
        let needed = product(texel_bytes).filter(|&bytes| bytes <= limit);
        let needed = needed.ok_or(ImageError::TooLarge { width, height, limit })?;
        let held = product(file_bits).unwrap_or(u64::MAX) / 8;
        if needed > HARMLESS_BYTES && held / compression > file_bytes as u64 {
            return Err(ImageError::Implausible { format, width, height, file_bytes: file_bytes as u64 });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_cannot_hold_more_than_their_compression_allows() {
        let size =
            |edge| StatedSize { format: "PNG", width: edge, height: edge, file_bits: 24, texel_bytes: 4 };
        // 8192² · 3 bytes are 201 MB, in deflate at least 195 KB
        assert!(size(8192).check(1 << 30, 200_000, 1032).is_ok(), "an image of one colour");
        let refused = size(8192).check(1 << 30, 190_000, 1032);
        assert!(matches!(refused, Err(ImageError::Implausible { format: "PNG", .. })), "{refused:?}");
        assert!(size(1024).check(1 << 30, 10, 1032).is_ok(), "harmless, and perhaps only truncated");
        assert!(matches!(size(1 << 40).check(1 << 30, 10, 1), Err(ImageError::TooLarge { .. })));
    }
}
