//! glTF as JSON or as GLB.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sunfleck_io::{NoFiles, load_bytes};

// Panics of third-party image decoders are caught, and no finding
fuzz_target!(init: std::panic::set_hook(Box::new(|_| ())), |bytes: &[u8]| {
    let _ = load_bytes("a.gltf".as_ref(), bytes, &NoFiles);
});
