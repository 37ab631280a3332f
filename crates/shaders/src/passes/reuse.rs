//! Passes of frames that reuse previous ones.

use super::{ALPHA, BVHS, Features, Pass, SURFACES, TEXTURES, passes};

passes! {
    /// Finds the primary surface of each pixel and its motion vector.
    SURFACES_OF_PIXELS: Pass::new("reuse::surfaces").or_with(Features::ALPHA)
        .reads(&[BVHS, ALPHA, SURFACES, TEXTURES, "frame view materials tables motions previous_positions"])
        .writes(&["surfaces ray_count"]);
    /// Merges the frame with the history of its surfaces.
    MERGE: Pass::new("reuse::merge").or_with(Features::CHANNELS)
        .reads(&["strip film channels frame surfaces history changes"])
        .writes(&["next_history merged merged_channels frame_counts"]);
}
