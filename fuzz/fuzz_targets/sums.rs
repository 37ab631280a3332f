//! Sums of pixels as another machine sends them, or as a checkpoint holds them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sunfleck_integrators::{RenderState, TileJob, TileResult};

fuzz_target!(|bytes: &[u8]| {
    let _ = postcard::from_bytes::<TileJob>(bytes);
    let _ = postcard::from_bytes::<TileResult>(bytes);
    if let Ok(state) = postcard::from_bytes::<RenderState>(bytes) {
        let _ = (state.film.radiance(), state.film.noise());
    }
});
