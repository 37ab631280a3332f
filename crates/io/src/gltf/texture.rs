//! Textures with their images, samplers and `KHR_texture_transform`.

use glam::{Affine2, Mat2};
use sunfleck_math::{sin_cos, vec2};
use sunfleck_scene::{TextureFilter, TextureId, TextureRef, Wrap};

use crate::error::{ImportProblem, ParseError, WithLocation};
use crate::images::{Encoding, Image, Sampling};
use crate::{FileKind, FileLocation};

use super::Importer;
use super::buffers::{read_uri, short_uri};
use super::model::{self, Sampler, TextureInfo};
use super::uv_sets::uv_set;

const NEAREST: u32 = 9728;
const CLAMP_TO_EDGE: u32 = 33071;
const MIRRORED_REPEAT: u32 = 33648;

impl Importer<'_> {
    /// Imports the texture of a texture info; returns `None`, with a warning, if its image cannot be read. `path` is
    /// the JSON path of the info.
    pub(super) fn texture_ref(
        &mut self,
        info: Option<&TextureInfo>,
        encoding: Encoding,
        path: &str,
    ) -> Result<Option<TextureRef>, ParseError> {
        let Some(info) = info else { return Ok(None) };
        let texture = match self.texture(info.index, encoding, path) {
            Ok(Some(texture)) => texture,
            Ok(None) => return Ok(None),
            Err(error) => {
                self.leave_out("the texture is ignored", &error);
                return Ok(None);
            }
        };
        let transform = info.extensions.transform.as_ref();
        let matrix =
            info.extensions.sunfleck.as_ref().map(|sunfleck| Affine2::from_cols_array(&sunfleck.matrix));
        let set = uv_set(info);
        let uv_set = if set == self.uv_sets[0] {
            0
        } else if set == self.uv_sets[1] {
            1
        } else {
            let [first, second] = self.uv_sets;
            let message = format!(
                "TEXCOORD_{set} is not supported beside TEXCOORD_{first} and TEXCOORD_{second}; TEXCOORD_{first} is used"
            );
            self.report.warn(FileLocation::Json(path.to_string()), message);
            0
        };
        let uv_transform = matrix.unwrap_or_else(|| {
            transform.map_or(Affine2::IDENTITY, |t| affine_of(t.offset, t.rotation, t.scale))
        });
        Ok(Some(TextureRef { texture, uv_set, uv_transform }))
    }

    fn texture(
        &mut self,
        index: usize,
        encoding: Encoding,
        path: &str,
    ) -> Result<Option<TextureId>, ParseError> {
        if self.sunfleck.is_some() {
            return self.sunfleck_texture(index, path);
        }
        let root = self.root;
        let texture =
            root.textures.get(index).ok_or_else(|| missing("texture", index, root.textures.len(), path))?;
        let here = format!("textures[{index}]");
        let (wrap, filter) = self.sampler(texture, &here)?;
        let Some(source) = texture.extensions.webp.as_ref().and_then(|webp| webp.source).or(texture.source)
        else {
            self.report.warn(
                FileLocation::Json(here),
                "the texture has no image in a supported format and is ignored",
            );
            return Ok(None);
        };
        let Some(name) = self.image(source, &here)? else { return Ok(None) };
        let sampling = Sampling { encoding, wrap, filter };
        let location = || FileLocation::Json(here.clone());
        self.images.texture(&mut self.scene, &name, sampling).at(location)
    }

    /// Returns the wrap modes and the filter of a texture. `path` is its JSON path.
    pub(super) fn sampler(
        &self,
        texture: &model::Texture,
        path: &str,
    ) -> Result<([Wrap; 2], TextureFilter), ParseError> {
        let samplers = &self.root.samplers;
        let sampler = match texture.sampler {
            Some(i) => samplers.get(i).ok_or_else(|| missing("sampler", i, samplers.len(), path))?,
            None => &Sampler::default(),
        };
        let nearest = sampler.mag_filter == Some(NEAREST);
        let filter = if nearest { TextureFilter::Nearest } else { TextureFilter::Linear };
        Ok(([wrap(sampler.wrap_s), wrap(sampler.wrap_t)], filter))
    }

    /// Decodes an image unless that has been done; returns its name in [`Importer::images`], or `None` if it cannot be
    /// read.
    pub(super) fn image(&mut self, index: usize, from: &str) -> Result<Option<String>, ParseError> {
        let root = self.root;
        let image = root.images.get(index).ok_or_else(|| missing("image", index, root.images.len(), from))?;
        let path = format!("images[{index}]");
        let location = || FileLocation::Json(path.clone());
        let called = match &image.uri {
            _ if !image.name.is_empty() => image.name.as_str(),
            Some(uri) => short_uri(uri),
            None => "embedded image",
        };
        let name = format!("{called} ({path})");
        let read = || -> Result<Image, ImportProblem> {
            match (&image.uri, image.buffer_view) {
                (Some(uri), _) => {
                    let bytes = read_uri(uri, FileKind::Image, self.files, location)
                        .map_err(|error| error.problem)?;
                    let hint = uri.rsplit('.').next().filter(|hint| hint.len() <= 4).unwrap_or_default();
                    Image::decode(&bytes, hint)
                }
                (None, Some(view)) => {
                    let (bytes, _) = self.buffers.view(view, &path).map_err(|error| error.problem)?;
                    Image::decode(bytes, "")
                }
                (None, None) => {
                    Err(ImportProblem::Malformed("the image has neither uri nor bufferView".to_string()))
                }
            }
        };
        let found = self.images.image(&name, read).map(|found| found.is_some());
        let (notes, file) = (self.images.take_notes(), self.report.file().to_path_buf());
        self.report.image_notes(&file, &location(), called, notes);
        match found {
            Ok(found) => Ok(found.then_some(name)),
            Err(problem) => {
                self.report.warn(location(), format!("the image is ignored: {problem}"));
                Ok(None)
            }
        }
    }
}

pub(super) fn missing(what: &str, index: usize, count: usize, from: &str) -> ParseError {
    ParseError::malformed(
        FileLocation::Json(from.to_string()),
        format!("there is no {what} {index}; there are {count}"),
    )
}

fn wrap(mode: Option<u32>) -> Wrap {
    match mode {
        Some(CLAMP_TO_EDGE) => Wrap::ClampToEdge,
        Some(MIRRORED_REPEAT) => Wrap::MirroredRepeat,
        _ => Wrap::Repeat,
    }
}

/// Returns the transform of texture coordinates: scale, then rotation, then offset.
///
/// A positive angle rotates the coordinates counter-clockwise in the image, where v points down, as the text of the
/// extension, its test model and other loaders do. The sample code of the extension, read as GLSL (column-major),
/// rotates in the other direction.
pub(super) fn affine_of(offset: [f32; 2], rotation_radians: f32, scale: [f32; 2]) -> Affine2 {
    let (sin, cos) = sin_cos(rotation_radians);
    let rotation = Mat2::from_cols(vec2(cos, -sin), vec2(sin, cos));
    let scale = Mat2::from_diagonal(scale.into());
    Affine2::from_mat2_translation(rotation * scale, offset.into())
}

#[cfg(test)]
mod tests {
    use super::model::TextureTransform;
    use super::*;
    use sunfleck_math::Vec2;

    /// Returns the transformed texture coordinates at a point relative to the centre of a quad whose y points up.
    fn uv_at(transform: &TextureTransform, x: f32, y: f32) -> Vec2 {
        let TextureTransform { offset, rotation, scale, .. } = *transform;
        affine_of(offset, rotation, scale).transform_point2(vec2(0.5 + x, 0.5 - y))
    }

    #[test]
    fn transform_of_the_khronos_test_model() {
        // In TextureTransformTest the arrow of the image points at the marker "not supported" without the transform,
        // and at the marker "correct" with it. The numbers are the translations of the markers' nodes.
        let tip = uv_at(&TextureTransform::default(), 0.277_817_46, -0.277_817_46);
        let rotation =
            TextureTransform { rotation: std::f32::consts::FRAC_PI_8, ..TextureTransform::default() };
        assert!(uv_at(&rotation, -0.079_048_22, -0.516_267_5).distance(tip) < 1e-6);
        let scale = TextureTransform { scale: [1.5; 2], ..TextureTransform::default() };
        assert!(uv_at(&scale, 0.018_544_97, -0.018_544_97).distance(tip) < 1e-6);
        // This marker was placed by eye.
        let all = TextureTransform { offset: [-0.2, -0.1], rotation: 0.3, scale: [1.5; 2], tex_coord: None };
        assert!(uv_at(&all, -0.07, -0.25).distance(tip) < 0.05);
    }
}
