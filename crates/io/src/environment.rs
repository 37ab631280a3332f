//! Import of environment maps.

use std::path::Path;

use sunfleck_image::{CubeLayout, DEFAULT_DECODE_LIMIT, Decoded, ImageError, ImageNote, decode_file};
use sunfleck_scene::{Texels, Texture, TextureFilter, Wrap};

use crate::error::{ImportProblem, ParseError, THE_FILE, WithLocation};
use crate::files::read_regular_file;
use crate::images::{Encoding, Image, Sampling, replace_invalid};
use crate::report::Reporter;
use crate::{FileLocation, ImportError, Report};

/// An environment map for [`sunfleck_scene::Environment::Map`].
#[derive(Debug)]
pub struct LoadedEnvironment {
    /// Latitude-longitude map.
    pub texture: Texture,
    /// Notes and warnings about the file.
    pub report: Report,
}

/// Reads an environment map: HDR, EXR, or any other image as colour.
///
/// A latitude-longitude image has the zenith +y at the top; its middle column is at −z, where a camera without a
/// rotation looks, ¾ of its width is at +x, ¼ at −x, and its left and right edges meet at +z. Cube maps, in the layouts
/// of [`CubeLayout`] and in DDS files, are recognised and converted. Values that are negative or not finite become 0.
///
/// Errors: [`ImportError`].
pub fn load_environment(path: &Path) -> Result<LoadedEnvironment, ImportError> {
    let cannot_read = |source| ImportProblem::Read { what: THE_FILE.to_string(), source };
    let bytes = read_regular_file(path).map_err(cannot_read).at(|| FileLocation::File);
    load_environment_bytes(path, &bytes.map_err(|error| error.in_file(path))?, DEFAULT_DECODE_LIMIT)
}

/// Reads an environment map from memory as [`load_environment`] does.
///
/// * `name` — file name for messages and for its extension; it is not opened.
/// * `limit` — maximum memory of the decoded image, and of that which a cube map is converted to, in bytes.
///
/// Errors: [`ImportError`].
pub fn load_environment_bytes(
    name: &Path,
    bytes: &[u8],
    limit: u64,
) -> Result<LoadedEnvironment, ImportError> {
    let mut report = Reporter::new(name);
    let texture = read(name, bytes, limit, &mut report).map_err(|error| error.in_file(name))?;
    Ok(LoadedEnvironment { texture, report: report.finish() })
}

fn read(path: &Path, bytes: &[u8], limit: u64, report: &mut Reporter) -> Result<Texture, ParseError> {
    let hint = path.extension().unwrap_or_default().to_string_lossy();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = decode_file(bytes, &hint, limit).at(|| FileLocation::File)?;
    let mut image = latitude_longitude(file.image, file.notes, limit).at(|| FileLocation::File)?;
    let wrap = [Wrap::Repeat, Wrap::ClampToEdge];
    let sampling = Sampling { encoding: Encoding::Color, wrap, filter: TextureFilter::Linear };
    report.image_notes(path, &FileLocation::File, "", std::mem::take(&mut image.notes));
    image.texture(&name, sampling).at(|| FileLocation::File)
}

/// Returns a latitude-longitude map: a cube map is converted, other images are unchanged.
///
/// * `limit` — maximum memory of each image that the conversion needs, in bytes.
fn latitude_longitude(
    mut decoded: Decoded,
    mut notes: Vec<ImageNote>,
    limit: u64,
) -> Result<Image, ImageError> {
    // Beforehand, since the conversion would spread values that are not finite
    replace_invalid(&mut decoded, &mut notes);
    let (width, height) = decoded.size();
    if width == height.saturating_mul(2) {
        return Ok(Image::from_decoded(decoded, notes));
    }
    if let Some(edge) = CubeLayout::edge_of_size(width, height).map(u64::from) {
        let (width, height, pixel_bytes) = (4 * edge, 2 * edge, size_of::<[f32; 4]>() as u64);
        if width * height * pixel_bytes > limit {
            return Err(ImageError::TooLarge { width, height, limit });
        }
        let picture = decoded.to_picture();
        if let Some(layout) = CubeLayout::of(&picture) {
            notes.push(ImageNote::Choice(format!("the environment is a cube map: {layout}")));
            drop(decoded);
            let map = layout.latitude_longitude(&picture);
            let (width, height) = (map.width(), map.height());
            let texels = map.pixels().iter().map(|rgb| rgb.extend(1.0).to_array()).collect();
            return Ok(Image::from_decoded(Decoded::Rgba32F { width, height, texels }, notes));
        }
    }
    notes.push(ImageNote::Choice(format!(
        "the environment of {width} × {height} pixels is read as latitude and longitude, which are twice as wide as high"
    )));
    Ok(Image::from_decoded(decoded, notes))
}

/// Returns the linear values of texels.
pub(crate) fn linear_texels(texels: &Texels) -> Vec<[f32; 4]> {
    use sunfleck_image::srgb::linear_from_srgb8_table;
    match texels {
        Texels::Srgb8(texels) => {
            let table = linear_from_srgb8_table();
            texels.iter().map(|texel| texel.map(|byte| table[usize::from(byte)])).collect()
        }
        Texels::Linear8(texels) => texels.iter().map(|texel| texel.map(|v| f32::from(v) / 255.0)).collect(),
        Texels::Linear16(texels) => {
            texels.iter().map(|texel| texel.map(|v| f32::from(v) / 65535.0)).collect()
        }
        Texels::Float(texels) => texels.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::Pixels;
    use sunfleck_math::direction::direction_from_equirect;
    use sunfleck_math::{Vec3, vec2, vec3};
    use sunfleck_scene::Texels;

    #[test]
    fn radiance_hdr_keeps_its_range() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sky.hdr");
        // One row of two RGBE texels: (128, 64, 0) · 2^(131 − 136) = (4, 2, 0), and black [Ward91].
        let mut hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n".to_vec();
        hdr.extend([128, 64, 0, 131, 0, 0, 0, 0]);
        std::fs::write(&path, hdr).unwrap();
        let texture = load_environment(&path).unwrap().texture;
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

    /// Returns the direction of the brightest texel of an environment file.
    fn brightest(name: &str, bytes: &[u8]) -> (Vec3, Report) {
        let loaded = load_environment_bytes(Path::new(name), bytes, DEFAULT_DECODE_LIMIT).unwrap();
        let (width, texture) = (loaded.texture.width() as usize, &loaded.texture);
        let values: Vec<f32> = match texture.texels() {
            Texels::Float(texels) => texels.iter().map(|texel| texel[0]).collect(),
            Texels::Srgb8(texels) => texels.iter().map(|texel| f32::from(texel[0])).collect(),
            other => panic!("{other:?} as environment"),
        };
        let (at, _) = values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
        let size = vec2(width as f32, texture.height() as f32);
        let uv = vec2((at % width) as f32 + 0.5, (at / width) as f32 + 0.5) / size;
        (direction_from_equirect(uv), loaded.report)
    }

    /// Returns a black PPM image with one white texel.
    fn one_white([width, height]: [usize; 2], [x, y]: [usize; 2]) -> Vec<u8> {
        let mut file = format!("P6 {width} {height} 255\n").into_bytes();
        let start = file.len();
        file.resize(start + 3 * width * height, 0);
        file[start + 3 * (y * width + x)..][..3].fill(255);
        file
    }

    #[test]
    fn a_bright_texel_is_in_the_documented_direction() {
        // Latitude and longitude, 16 × 8: the middle column is −z, ¾ is +x, the edges are +z, the top is +y
        for (at, direction) in [
            ([8, 4], vec3(0.2, -0.2, -1.0)),
            ([12, 3], vec3(1.0, 0.2, 0.2)),
            ([4, 4], vec3(-1.0, -0.2, -0.2)),
            ([0, 3], vec3(-0.2, 0.2, 1.0)),
            ([15, 4], vec3(0.2, -0.2, 1.0)),
            ([8, 0], vec3(0.0, 1.0, -0.2)),
            ([8, 7], vec3(0.0, -1.0, -0.2)),
        ] {
            let (found, report) = brightest("sky.ppm", &one_white([16, 8], at));
            assert!(found.dot(direction.try_normalize().unwrap()) > 0.98, "{at:?}: {found}");
            assert!(report.entries.is_empty(), "{report:?}");
        }
        // Crosses and rows of faces of 4 × 4: a texel near the middle of each face
        for (size, at, direction) in [
            ([16, 12], [5, 5], Vec3::NEG_Z),
            ([16, 12], [9, 5], Vec3::X),
            ([16, 12], [13, 5], Vec3::Z),
            ([16, 12], [1, 5], Vec3::NEG_X),
            ([16, 12], [5, 1], Vec3::Y),
            ([16, 12], [5, 9], Vec3::NEG_Y),
            ([12, 16], [5, 13], Vec3::Z),
            ([12, 16], [9, 5], Vec3::X),
            ([24, 4], [1, 1], Vec3::X),
            ([24, 4], [9, 1], Vec3::Y),
            ([24, 4], [17, 1], Vec3::NEG_Z),
            ([4, 24], [1, 21], Vec3::Z),
        ] {
            let (found, report) = brightest("cube.ppm", &one_white(size, at));
            assert!(found.dot(direction) > 0.8, "{at:?} of {size:?}: {found} instead of {direction}");
            let notes: Vec<_> = report.entries.iter().map(|entry| &*entry.message).collect();
            assert!(notes[0].starts_with("the environment is a cube map"), "{notes:?}");
        }
    }

    #[test]
    fn other_shapes_are_noted() {
        let (_, report) = brightest("photo.ppm", &one_white([5, 5], [2, 2]));
        assert!(report.entries[0].message.contains("5 × 5"), "{report:?}");
        assert_eq!(report.warnings().count(), 0);
    }
    #[test]
    fn one_invalid_texel_of_a_cube_map_is_one_invalid_texel() {
        // A column of faces of 4 × 4; the invalid texel is in the middle of that at +x
        let mut texels = vec![[1.0; 4]; 96];
        texels[5] = [f32::NAN, f32::INFINITY, 1.0, 1.0];
        let cube = Decoded::Rgba32F { width: 4, height: 24, texels };
        let image = latitude_longitude(cube.clone(), Vec::new(), DEFAULT_DECODE_LIMIT).unwrap();
        let notes: Vec<_> = image.notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes[0], "values that are not finite numbers are set to 0: 2");
        let Pixels::Floats(texels) = &image.pixels else { panic!("floats") };
        let dark = texels.iter().filter(|texel| texel[0] < 1.0 - 1e-6).count();
        assert!((1..16).contains(&dark) && texels.iter().all(|texel| texel[2] > 0.999), "{dark} of 128");

        let limit = 16 * 8 * 4 * 4;
        assert!(latitude_longitude(cube.clone(), Vec::new(), limit).is_ok());
        let error = latitude_longitude(cube, Vec::new(), limit - 1).unwrap_err();
        assert!(matches!(error, ImageError::TooLarge { width: 16, height: 8, .. }), "{error}");
    }
}
