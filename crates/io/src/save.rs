use std::path::{Path, PathBuf};

use sunfleck_image::{ImageError, write_whole};
use sunfleck_scene::Scene;

use crate::Report;
use crate::gltf::export::{self, BadTexture, TooLarge};
use crate::report::Reporter;

/// A scene as the bytes of a file.
#[derive(Debug)]
pub struct Saved {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// What is not in it as it is in the scene, or only for Sunfleck itself.
    pub report: Report,
}

/// Why a scene could not be written; what was there before still is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The name does not say in which format to write.
    #[error("{}: the file name must end in .glb or .gltf to say in which format to write", path.display())]
    UnknownExtension {
        /// The file.
        path: PathBuf,
    },
    /// A texture does not fit into its format.
    #[error("{}: the texture `{texture}`: {source}", path.display())]
    Texture {
        /// The file.
        path: PathBuf,
        /// What the texture is called.
        texture: String,
        /// Why.
        source: ImageError,
    },
    /// A .glb file counts its bytes with 32 bits.
    #[error("{}: the scene takes {bytes} bytes, more than a .glb file can hold; .gltf can", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How many it would take.
        bytes: u64,
    },
    /// The disk does not take it.
    #[error(transparent)]
    Write(#[from] ImageError),
}

/// The extensions of files that [`save`] writes, in lower case, without dot.
pub fn writable_extensions() -> &'static [&'static str] {
    &["glb", "gltf"]
}

/// Writes a scene as glTF 2.0, whole or not at all: one binary file, or JSON with everything in it.
///
/// [`crate::load`] reads the same scene from it: things of the same kind in the same order, so that a picture has the
/// same bits. Ids are counted anew from 0 if some are not in use. What other programs will not see is in the report.
///
/// Errors: [`ExportError`].
pub fn save(scene: &Scene, path: &Path) -> Result<Report, ExportError> {
    let Saved { bytes, report } = save_bytes(scene, path)?;
    write_whole(path, &bytes)?;
    Ok(report)
}

/// [`save`] into memory.
///
/// * `name` — its extension is the format; for messages too. Nothing is written there.
///
/// Errors: [`ExportError`].
pub fn save_bytes(scene: &Scene, name: &Path) -> Result<Saved, ExportError> {
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
        Err(BadTexture { name: texture, source }) => {
            return Err(ExportError::Texture { path, texture, source });
        }
    };
    let bytes = match binary {
        true => export::glb(document).map_err(|TooLarge { bytes }| ExportError::TooLarge { path, bytes })?,
        false => export::embedded(document),
    };
    Ok(Saved { bytes, report: report.finish() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_file_and_leave_it() {
        let scene = Scene::default();
        let error = save_bytes(&scene, Path::new("a.obj")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a.obj: the file name must end in .glb or .gltf to say in which format to write"
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
