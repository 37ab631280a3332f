//! PLY, STL and OFF. PLY is told by its beginning, the others by the first byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sunfleck_io::{NoFiles, load_bytes};

fuzz_target!(|bytes: &[u8]| {
    let name =
        if bytes.first().is_some_and(|byte| *byte == b'O' || *byte == b'C') { "a.off" } else { "a.stl" };
    let _ = load_bytes(name.as_ref(), bytes, &NoFiles);
});
