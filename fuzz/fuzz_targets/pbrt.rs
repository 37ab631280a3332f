//! Text of pbrt: what follows the first zero byte is the file `a.ply`, and the text is what `a.pbrt` includes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sunfleck_io::{MemoryFiles, load_bytes};

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |&byte| byte == 0);
    let text = parts.next().unwrap_or_default();
    let mesh = parts.next().unwrap_or_default().to_vec();
    let files = MemoryFiles([("a.ply".to_string(), mesh), ("a.pbrt".to_string(), text.to_vec())].into());
    let _ = load_bytes("scene.pbrt".as_ref(), text, &files);
});
