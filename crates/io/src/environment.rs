//! Import of environment maps.

use std::path::Path;

use sunfleck_scene::{Texture, TextureFilter, Wrap};

use crate::error::{ImportProblem, ParseError, THE_FILE, WithLocation};
use crate::files::read_regular_file;
use crate::images::{Encoding, Image, Sampling};
use crate::{FileLocation, ImportError};

/// Reads a latitude-longitude environment map (HDR, EXR, or any other image as colour) for
/// [`sunfleck_scene::Environment::Map`].
///
/// Negative values, and values that are not finite, are replaced by 0.
/// Errors: [`ImportError`].
pub fn load_environment(path: &Path) -> Result<Texture, ImportError> {
    read(path).map_err(|error| error.in_file(path))
}

fn read(path: &Path) -> Result<Texture, ParseError> {
    let cannot_read = |source| ImportProblem::Read { what: THE_FILE.to_string(), source };
    let bytes = read_regular_file(path).map_err(cannot_read).at(|| FileLocation::File)?;
    let hint = path.extension().unwrap_or_default().to_string_lossy();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let wrap = [Wrap::Repeat, Wrap::ClampToEdge];
    let sampling = Sampling { encoding: Encoding::Color, wrap, filter: TextureFilter::Linear };
    let image = Image::decode(&bytes, &hint).at(|| FileLocation::File)?;
    image.texture(&name, sampling).at(|| FileLocation::File)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_scene::Texels;

    #[test]
    fn radiance_hdr_keeps_its_range() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sky.hdr");
        // One row of two RGBE texels: (128, 64, 0) · 2^(131 − 136) = (4, 2, 0), and black [Ward91].
        let mut hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n".to_vec();
        hdr.extend([128, 64, 0, 131, 0, 0, 0, 0]);
        std::fs::write(&path, hdr).unwrap();
        let texture = load_environment(&path).unwrap();
        assert_eq!((texture.width(), texture.height()), (2, 1));
        assert_eq!(texture.wrap(), [Wrap::Repeat, Wrap::ClampToEdge]);
        let Texels::Float(texels) = texture.texels() else { panic!("{:?}", texture.texels()) };
        assert_eq!(texels[0][..3], [4.0, 2.0, 0.0]);
        assert_eq!(texels[1][..3], [0.0, 0.0, 0.0]);
    }

    #[test]
    fn errors_name_the_file() {
        let error = load_environment(Path::new("no/such.exr")).unwrap_err();
        assert!(error.to_string().starts_with("no/such.exr: cannot read the file"), "{error}");
    }
}
