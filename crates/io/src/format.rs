use std::path::Path;

use crate::FileLocation;
use crate::error::{Fault, Problem};

/// A kind of scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// glTF 2.0, as JSON with other files or as one binary file.
    Gltf,
    /// Wavefront OBJ with MTL.
    Obj,
    /// Stanford polygon file.
    Ply,
    /// Stereolithography.
    Stl,
    /// Object File Format of Geomview.
    Off,
}

const FORMATS: [(&str, Format); 6] = [
    ("gltf", Format::Gltf),
    ("glb", Format::Gltf),
    ("obj", Format::Obj),
    ("ply", Format::Ply),
    ("stl", Format::Stl),
    ("off", Format::Off),
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

/// The extensions of files that [`crate::load`] reads, in lower case, without dot.
pub fn supported_extensions() -> &'static [&'static str] {
    &EXTENSIONS
}

impl Format {
    /// By the first bytes if they tell, else by the extension of the name.
    pub(crate) fn of(name: &Path, bytes: &[u8]) -> Result<Self, Fault> {
        if crate::gltf::is_glb(bytes) {
            return Ok(Self::Gltf);
        }
        if crate::ply::is_ply(bytes) {
            return Ok(Self::Ply);
        }
        let extension = name.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let found = FORMATS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension));
        found.map(|&(_, format)| format).ok_or_else(|| {
            let supported = EXTENSIONS.map(|extension| format!(".{extension}")).join(", ");
            Fault { place: FileLocation::File, problem: Problem::UnknownFormat { supported } }
        })
    }
}
