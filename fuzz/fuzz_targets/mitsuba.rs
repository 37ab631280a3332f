//! XML of Mitsuba: what follows the first zero byte is the file `a.serialized`, and the XML is what `a.xml` includes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sunfleck_io::{MemoryFiles, load_bytes};

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |&byte| byte == 0);
    let xml = parts.next().unwrap_or_default();
    let mesh = parts.next().unwrap_or_default().to_vec();
    let files = MemoryFiles([("a.serialized".to_string(), mesh), ("a.xml".to_string(), xml.to_vec())].into());
    let _ = load_bytes("scene.xml".as_ref(), xml, &files);
});
