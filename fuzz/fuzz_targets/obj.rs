//! OBJ with its material library: what follows the first zero byte is the library.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sunfleck_io::{MemoryFiles, load_bytes};

// Panics of third-party image decoders are caught, and no finding
fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |&byte| byte == 0);
    let obj = parts.next().unwrap_or_default();
    let library = parts.next().unwrap_or_default().to_vec();
    let files = MemoryFiles([("a.mtl".to_string(), library)].into());
    let _ = load_bytes("a.obj".as_ref(), obj, &files);
});
