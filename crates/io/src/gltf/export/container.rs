//! Encoding of a document as a file: binary (.glb), or JSON with an embedded buffer (.gltf).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Document;

/// Error: the file would be larger than a GLB file can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge {
    pub(crate) bytes: u64,
}

/// Encodes a .glb file. Errors: it would be larger than 4 GiB.
pub(crate) fn glb(document: Document) -> Result<Vec<u8>, TooLarge> {
    let Document { mut root, mut binary } = document;
    binary.resize(binary.len().next_multiple_of(4), 0);
    if !binary.is_empty() {
        root.insert("buffers".into(), json!([{ "byteLength": binary.len() }]));
    }
    let mut json = Value::Object(root).to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');

    let chunks = [(b"JSON", &json), (b"BIN\0", &binary)];
    let chunks = &chunks[..if binary.is_empty() { 1 } else { 2 }];
    let length = 12 + chunks.iter().map(|(_, chunk)| 8 + chunk.len()).sum::<usize>();
    let word =
        |n: usize| u32::try_from(n).map(u32::to_le_bytes).map_err(|_| TooLarge { bytes: length as u64 });
    let mut file = Vec::with_capacity(length);
    file.extend(b"glTF\x02\0\0\0");
    file.extend(word(length)?);
    for (kind, chunk) in chunks {
        file.extend(word(chunk.len())?);
        file.extend(*kind);
        file.extend(*chunk);
    }
    Ok(file)
}

/// Encodes a .gltf file with an embedded buffer.
pub(crate) fn embedded(document: Document) -> Vec<u8> {
    let Document { mut root, binary } = document;
    if !binary.is_empty() {
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&binary));
        root.insert("buffers".into(), json!([{ "byteLength": binary.len(), "uri": uri }]));
    }
    format!("{:#}\n", Value::Object(root)).into_bytes()
}
