//! Formats of scene files and their detection.

use std::path::Path;

use crate::FileLocation;
use crate::error::{ImportProblem, ParseError};
use crate::text::decoded;

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
    /// BPT, the bicubic Bézier patches of the Utah teapot.
    Bpt,
    /// NFF, the Neutral File Format of the Standard Procedural Databases.
    Nff,
    /// AFF, the animated file format of BART, the Benchmark for Animated Ray Tracing.
    Aff,
    /// Scene of the renderer Mitsuba in XML.
    Mitsuba,
    /// Scene of the renderer pbrt.
    Pbrt,
}

const FORMATS: [(&str, Format); 11] = [
    ("gltf", Format::Gltf),
    ("glb", Format::Gltf),
    ("obj", Format::Obj),
    ("ply", Format::Ply),
    ("stl", Format::Stl),
    ("off", Format::Off),
    ("bpt", Format::Bpt),
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

/// Returns which of several files, given by names and contents, is the scene that the others belong to; `None` if none
/// is a scene. Scenes of formats that refer to meshes come before those of others, and of these the one in the uppermost
/// folder, since the others may be included.
pub fn main_scene<'a>(files: impl IntoIterator<Item = (&'a Path, &'a [u8])>) -> Option<usize> {
    // The text may be in UTF-16, which has other bytes
    let has = |bytes: &[u8], word: &[u8]| decoded(bytes).windows(word.len()).any(|found| found == word);
    let rank = |name: &Path, bytes: &[u8]| {
        let depth = name.components().count();
        match format_of_extension(name)? {
            // Documents of other kinds are in XML, too
            Format::Mitsuba => has(bytes, b"<scene").then_some((0, depth)),
            // Files of meshes and materials have no world
            Format::Pbrt if !has(bytes, b"WorldBegin") => Some((2, depth)),
            Format::Pbrt | Format::Aff => Some((0, depth)),
            _ => Some((1, 0)),
        }
    };
    let ranked = files.into_iter().enumerate();
    ranked
        .filter_map(|(index, (name, bytes))| Some((rank(name, bytes)?, index)))
        .min()
        .map(|(_, index)| index)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_loaded_by_the_scene_that_refers_to_the_rest() {
        let mitsuba = ("a/scene.xml", "<?xml version='1.0'?><scene version='3.0.0'/>");
        let pbrt = ("scene.pbrt", "Camera \"perspective\"\nWorldBegin\nInclude \"geometry.pbrt\"");
        let part = ("geometry.pbrt", "Shape \"sphere\"");
        let (obj, other) = (("model.obj", "v 0 0 0"), ("notes.xml", "<notes/>"));
        let main = |files: &[(&'static str, &'static str)]| {
            let found = main_scene(files.iter().map(|(name, text)| (Path::new(*name), text.as_bytes())));
            found.map(|index| files[index].0)
        };
        assert_eq!(main(&[obj, mitsuba, other]), Some("a/scene.xml"));
        assert_eq!(main(&[other, obj]), Some("model.obj"));
        assert_eq!(main(&[part, obj, pbrt]), Some("scene.pbrt"));
        assert_eq!(main(&[part]), Some("geometry.pbrt"));
        assert_eq!(main(&[other]), None);
        let utf16 = |text: &str| -> Vec<u8> {
            "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
        };
        for (name, text) in [mitsuba, pbrt] {
            let bytes = utf16(text);
            let files = [(Path::new("model.obj"), &b"v 0 0 0"[..]), (Path::new(name), &bytes[..])];
            assert_eq!(main_scene(files), Some(1), "{name} in UTF-16");
        }
    }
}
