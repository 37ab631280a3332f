//! Export of scene files.

use std::path::{Path, PathBuf};

use sunfleck_image::{ImageError, write_atomically};
use sunfleck_scene::Scene;

use crate::Report;
use crate::gltf::export::{self, TextureEncodeError, TooLarge};
use crate::report::Reporter;

/// Scene encoded as a file in memory.
#[derive(Debug)]
pub struct SavedScene {
    /// Content of the file.
    pub bytes: Vec<u8>,
    /// Report of data that could not be written as in the scene, or only in an extension that other programs ignore.
    pub report: Report,
}

/// Error of an export. A file that existed before is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The extension of the file name is not that of a supported format.
    #[error("{}: the file name must end in .glb or .gltf, which selects the format", path.display())]
    UnknownExtension {
        /// Path of the file.
        path: PathBuf,
    },
    /// A texture cannot be encoded as PNG.
    #[error("{}: the texture `{texture}`: {source}", path.display())]
    Texture {
        /// Path of the file.
        path: PathBuf,
        /// Name of the texture.
        texture: String,
        /// Error of the encoder.
        source: ImageError,
    },
    /// The scene is larger than 4 GiB, the limit of a .glb file, whose lengths have 32 bits.
    #[error("{}: the file would have {bytes} bytes, more than the 4 GiB of a .glb file; write a .gltf file instead", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// Size of the file in bytes.
        bytes: u64,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] ImageError),
}

/// Returns the extensions of files that [`save`] writes, in lower case, without a dot.
pub fn writable_extensions() -> &'static [&'static str] {
    &["glb", "gltf"]
}

/// Writes a scene as glTF 2.0, atomically: a binary file (.glb), or JSON with embedded buffers and images (.gltf).
///
/// [`crate::load`] reads the same scene from it: the objects of each kind are in the same order, so an image rendered
/// from it has the same bits. Ids are renumbered from 0 without gaps. The report lists what other programs will not
/// see.
///
/// Errors: [`ExportError`].
pub fn save(scene: &Scene, path: &Path) -> Result<Report, ExportError> {
    let SavedScene { bytes, report } = save_bytes(scene, path)?;
    write_atomically(path, &bytes)?;
    Ok(report)
}

/// Encodes a scene as [`save`] does, into memory.
///
/// * `name` — file name whose extension selects the format, and for messages; no file is written.
///
/// Errors: [`ExportError`].
pub fn save_bytes(scene: &Scene, name: &Path) -> Result<SavedScene, ExportError> {
    let extension = name.extension().unwrap_or_default().to_ascii_lowercase();
    let path = name.to_path_buf();
    let binary = match extension.to_str() {
        Some("glb") => true,
        Some("gltf") => false,
        _ => return Err(ExportError::UnknownExtension { path }),
    };
    let mut report = Reporter::new(name);
    let document = match export::export(scene, &mut report) {
        Ok(document) => document,
        Err(TextureEncodeError { name: texture, source }) => {
            return Err(ExportError::Texture { path, texture, source });
        }
    };
    let bytes = match binary {
        true => export::glb(document).map_err(|TooLarge { bytes }| ExportError::TooLarge { path, bytes })?,
        false => export::embedded(document),
    };
    Ok(SavedScene { bytes, report: report.finish() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_file_and_leave_it_unchanged() {
        let scene = Scene::default();
        let error = save_bytes(&scene, Path::new("a.obj")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.obj: the file name must end in .glb or .gltf, which selects the format"
        );
        let error = save(&scene, Path::new("no/such/folder/a.glb")).unwrap_err();
        assert!(error.to_string().starts_with("no/such/folder/a.glb: cannot write the file"), "{error}");
    }

    #[test]
    fn an_empty_scene_is_a_file() {
        for name in ["a.glb", "a.GLTF"] {
            let saved = save_bytes(&Scene::default(), Path::new(name)).unwrap();
            let loaded = crate::load_bytes(Path::new(name), &saved.bytes, &crate::NoFiles).unwrap();
            assert_eq!(loaded.scene.meshes().len(), 0, "{name}");
        }
    }
}
