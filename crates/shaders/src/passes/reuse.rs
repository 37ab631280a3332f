//! Passes of frames that reuse those before.

use super::{ALPHA, BVHS, Features, Pass, SURFACES, TEXTURES, passes};

passes! {
    /// Finds what the centre of each pixel shows, and where that was in the frame before.
    SURFACES_OF_PIXELS: Pass::new("reuse::surfaces").or_with(Features::ALPHA)
        .reads(&[BVHS, ALPHA, SURFACES, TEXTURES, "frame view materials tables motions earlier_positions"])
        .writes(&["surfaces ray_count"]);
    /// Merges the frame with those before.
    MERGE: Pass::new("reuse::merge").or_with(Features::CHANNELS)
        .reads(&["strip film channels frame surfaces earlier changes"])
        .writes(&["kept merged merged_channels frame_counts"]);
}
