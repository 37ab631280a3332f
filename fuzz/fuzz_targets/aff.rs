//! AFF, and after a zero byte a file that it may include.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sunfleck_io::{MemoryFiles, load_bytes};

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let included = bytes.get(end + 1..).unwrap_or_default().to_vec();
    let files = MemoryFiles([("b.aff".to_string(), included)].into());
    let Ok(loaded) = load_bytes("a.aff".as_ref(), &bytes[..end], &files) else { return };
    // A loaded scene can be animated
    for (id, animation) in loaded.scene.animations() {
        let _ = loaded.scene.pose(id, animation.duration_secs() * 0.5);
    }
});
