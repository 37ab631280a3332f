//! Reader of the file as a whole: the GLB container, the JSON document, versions and extensions.

use crate::FileLocation;
use crate::error::ParseError;
use crate::report::Reporter;

use super::lenient;
use super::model::Root;
use super::sunfleck;

/// Supported extensions; files that require another one are refused.
const SUPPORTED_EXTENSIONS: &[&str] = &[
    "EXT_texture_webp",
    "KHR_lights_punctual",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_volume",
    "KHR_mesh_quantization",
    "KHR_node_visibility",
    "KHR_texture_transform",
    sunfleck::NAME,
];

const GLB_MAGIC: &[u8] = b"glTF";
const JSON_CHUNK: &[u8] = b"JSON";
const BINARY_CHUNK: &[u8] = b"BIN\0";

/// Returns whether `bytes` begin with the magic number of GLB.
pub(crate) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(GLB_MAGIC)
}

/// Content of a .gltf or .glb file.
#[derive(Debug)]
pub(super) struct Container<'a> {
    pub(super) root: Root,
    /// Binary chunk of a GLB file.
    pub(super) binary: Option<&'a [u8]>,
}

pub(super) fn open<'a>(bytes: &'a [u8], report: &mut Reporter) -> Result<Container<'a>, ParseError> {
    let (json, json_offset, binary) =
        if is_glb(bytes) { split_glb(bytes, report)? } else { (bytes, None, None) };
    let root = parse_json(json, json_offset)?;
    check_version(&root)?;
    check_extensions(&root, report)?;
    Ok(Container { root, binary })
}

/// JSON chunk, its offset in a GLB file, and the binary chunk.
type GlbParts<'a> = (&'a [u8], Option<usize>, Option<&'a [u8]>);

fn split_glb<'a>(bytes: &'a [u8], report: &mut Reporter) -> Result<GlbParts<'a>, ParseError> {
    let short = || {
        ParseError::malformed(FileLocation::Byte(bytes.len() as u64), "the file ends within the GLB header")
    };
    let version = word(bytes, 4).ok_or_else(short)?;
    if version != 2 {
        let message = format!("GLB version {version} is not supported; version 2 is");
        return Err(ParseError::unsupported(FileLocation::Byte(4), message));
    }
    let (json, after_json) = chunk(bytes, 12, JSON_CHUNK)?;
    let stated = word(bytes, 8).map_or(0, |length| length as usize);
    let is_binary = bytes.get(after_json + 4..after_json + 8) == Some(BINARY_CHUNK);
    let (binary, end) = match is_binary {
        true => chunk(bytes, after_json, BINARY_CHUNK).map(|(binary, end)| (Some(binary), end))?,
        false => (None, after_json),
    };
    // Further chunks are those of extensions and of later versions; what follows them belongs to no chunk
    if bytes.len() > end && stated <= end {
        let message = format!("{} bytes after the last chunk are ignored", bytes.len() - end);
        report.note(FileLocation::Byte(end as u64), message);
    }
    Ok((json, Some(20), binary))
}

/// Returns the content of the chunk at `offset` and the offset of the next chunk.
fn chunk<'a>(bytes: &'a [u8], offset: usize, kind: &[u8]) -> Result<(&'a [u8], usize), ParseError> {
    let location = offset.min(bytes.len()) as u64;
    let error = |message: &str| ParseError::malformed(FileLocation::Byte(location), message);
    let length = word(bytes, offset).ok_or_else(|| error("the file ends before a GLB chunk"))? as usize;
    if bytes.get(offset + 4..offset + 8) != Some(kind) {
        let kind = String::from_utf8_lossy(kind).trim_end_matches('\0').to_string();
        return Err(error(&format!("expected a GLB chunk of type {kind}")));
    }
    let start = offset + 8;
    match bytes.get(start..).and_then(|rest| rest.get(..length)) {
        Some(content) => Ok((content, start + length)),
        None => {
            let there = bytes.len().saturating_sub(start);
            Err(error(&format!("the GLB chunk should have {length} bytes, but the file ends after {there}")))
        }
    }
}

fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(offset..)?.first_chunk()?))
}

fn parse_json(json: &[u8], offset_in_glb: Option<usize>) -> Result<Root, ParseError> {
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let deserializer = &mut serde_json::Deserializer::from_slice(json);
    let error = match serde_path_to_error::deserialize(deserializer) {
        Ok(root) => return Ok(root),
        Err(error) => error,
    };
    let path = error.path().to_string();
    if let Some(lenient) = lenient::parse(json, &path) {
        return lenient;
    }
    let error = error.into_inner();
    // serde_json appends the position to its message; here it is part of the location
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let message =
        if path == "." { format!("bad JSON: {message}") } else { format!("bad JSON in {path}: {message}") };
    let (line, column) = (error.line(), error.column());
    let offset = offset_of_line(json, line) + column.saturating_sub(1);
    let location = match offset_in_glb {
        Some(start) => FileLocation::Byte((start + offset) as u64),
        None => FileLocation::Text { line: line as u64, column: column.max(1) as u64, offset: offset as u64 },
    };
    Err(ParseError::malformed(location, message))
}

/// Returns the offset of a line (from 1).
fn offset_of_line(text: &[u8], line: usize) -> usize {
    text.split_inclusive(|&b| b == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum()
}

fn check_version(root: &Root) -> Result<(), ParseError> {
    let (path, version) = match &root.asset.min_version {
        Some(version) => ("asset.minVersion", version),
        None => ("asset.version", &root.asset.version),
    };
    let location = || FileLocation::Json(path.to_string());
    match version.split('.').next() {
        Some("2") if path == "asset.version" || version == "2.0" => Ok(()),
        None | Some("") => Err(ParseError::malformed(location(), "the file does not state its glTF version")),
        _ => Err(ParseError::unsupported(
            location(),
            format!("glTF version {version} is not supported; 2.0 is"),
        )),
    }
}

/// Extensions of which the exporter writes what other programs can show of the principled model.
const COPIES: [&str; 4] =
    ["KHR_materials_anisotropy", "KHR_materials_clearcoat", "KHR_materials_sheen", "KHR_materials_specular"];

fn check_extensions(root: &Root, report: &mut Reporter) -> Result<(), ParseError> {
    let unknown = |name: &&String| !SUPPORTED_EXTENSIONS.contains(&name.as_str());
    if let Some(name) = root.extensions_required.iter().find(unknown) {
        let supported = SUPPORTED_EXTENSIONS.join(", ");
        let message = format!("the file requires {name}; supported extensions are {supported}");
        return Err(ParseError::unsupported(FileLocation::Json("extensionsRequired".to_string()), message));
    }
    // Files with our extension hold the whole material there; what else they have is for other programs
    let is_ours = root.extensions_used.iter().any(|name| name == sunfleck::NAME);
    let is_copy = |name: &&String| is_ours && COPIES.contains(&name.as_str());
    for name in root.extensions_used.iter().filter(unknown).filter(|name| !is_copy(name)) {
        report.warn(
            FileLocation::Json("extensionsUsed".to_string()),
            format!("{name} is not supported and is ignored"),
        );
    }
    Ok(())
}
