//! Formats of scene files and their detection.

use std::path::Path;

use crate::FileLocation;
use crate::error::{ImportProblem, ParseError};

/// Format of a scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// glTF 2.0: JSON with external files (.gltf), or a single binary file (.glb).
    Gltf,
    /// Wavefront OBJ with MTL.
    Obj,
    /// PLY, the Stanford polygon file format.
    Ply,
    /// STL, the file format of stereolithography.
    Stl,
    /// OFF, the Object File Format of Geomview.
    Off,
    /// NFF, the Neutral File Format of the Standard Procedural Databases.
    Nff,
    /// AFF, the animated file format of BART, the Benchmark for Animated Ray Tracing.
    Aff,
    /// Scene of the renderer Mitsuba in XML.
    Mitsuba,
    /// Scene of the renderer pbrt.
    Pbrt,
}

const FORMATS: [(&str, Format); 10] = [
    ("gltf", Format::Gltf),
    ("glb", Format::Gltf),
    ("obj", Format::Obj),
    ("ply", Format::Ply),
    ("stl", Format::Stl),
    ("off", Format::Off),
    ("nff", Format::Nff),
    ("aff", Format::Aff),
    ("xml", Format::Mitsuba),
    ("pbrt", Format::Pbrt),
];

const EXTENSIONS: [&str; FORMATS.len()] = {
    let mut extensions = [""; FORMATS.len()];
    let mut i = 0;
    while i < FORMATS.len() {
        extensions[i] = FORMATS[i].0;
        i += 1;
    }
    extensions
};

/// Returns the extensions of files that [`crate::load`] reads, in lower case, without a dot.
pub fn supported_extensions() -> &'static [&'static str] {
    &EXTENSIONS
}

/// Returns whether the extension of a file name is one of [`supported_extensions`], in upper or lower case.
pub fn has_supported_extension(name: &Path) -> bool {
    format_of_extension(name).is_some()
}

/// Returns which of several files, given by names, is the scene that the others belong to; `None` if none has a
/// supported extension. Scenes of formats that refer to meshes come before those of others, and of these the one in the
/// uppermost folder, since the others may be included.
pub fn main_scene<'a>(names: impl IntoIterator<Item = &'a Path>) -> Option<usize> {
    let rank = |name: &Path| match format_of_extension(name)? {
        Format::Mitsuba | Format::Pbrt | Format::Aff => Some((0, name.components().count())),
        _ => Some((1, 0)),
    };
    let ranked = names.into_iter().enumerate().filter_map(|(index, name)| Some((rank(name)?, index)));
    ranked.min().map(|(_, index)| index)
}

fn format_of_extension(name: &Path) -> Option<Format> {
    let extension = name.extension().and_then(|e| e.to_str()).unwrap_or_default();
    FORMATS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension)).map(|&(_, format)| format)
}

impl Format {
    /// Detects the format by the first bytes if they identify it, else by the extension of the name.
    pub(crate) fn of(name: &Path, bytes: &[u8]) -> Result<Self, ParseError> {
        if crate::gltf::is_glb(bytes) {
            return Ok(Self::Gltf);
        }
        if crate::ply::is_ply(bytes) {
            return Ok(Self::Ply);
        }
        format_of_extension(name).ok_or_else(|| {
            let supported = EXTENSIONS.map(|extension| format!(".{extension}")).join(", ");
            ParseError { location: FileLocation::File, problem: ImportProblem::UnknownFormat { supported } }
        })
    }
}
