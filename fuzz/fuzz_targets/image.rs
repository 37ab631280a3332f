//! All image formats. An odd first byte, which is not part of the file, says that it is TGA, which has no signature.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sunfleck_image::decode_within;

/// Enough for any image of a few kilobytes that is not a decompression bomb.
const LIMIT: u64 = 1 << 26;

// Panics of third-party image decoders are caught, and no finding
fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let hint = if first & 1 == 1 { "tga" } else { "" };
    let _ = decode_within(rest, hint, LIMIT);
});
