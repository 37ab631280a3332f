//! Messages of the viewer's page.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        sunfleck_web::is_request(text);
    }
});
