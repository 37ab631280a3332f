//! Textures: images, samplers and `KHR_texture_transform`.

use glam::{Affine2, Mat2};
use sunfleck_math::{sin_cos, vec2};
use sunfleck_scene::{TextureFilter, TextureId, TextureRef, Wrap};

use crate::FileLocation;
use crate::error::{At, Fault, Problem};
use crate::images::{Encoding, Image, Sampling};

use super::Importer;
use super::buffers::{read_uri, short_uri};
use super::model::{self, Sampler, TextureInfo};

const NEAREST: u32 = 9728;
const CLAMP_TO_EDGE: u32 = 33071;
const MIRRORED_REPEAT: u32 = 33648;

impl Importer<'_> {
    /// What a texture info refers to; nothing (and a warning) if its image cannot be had. `path`: its JSON path.
    pub(super) fn texture_ref(
        &mut self,
        info: Option<&TextureInfo>,
        encoding: Encoding,
        path: &str,
    ) -> Result<Option<TextureRef>, Fault> {
        let Some(info) = info else { return Ok(None) };
        let Some(texture) = self.texture(info.index, encoding, path)? else { return Ok(None) };
        let transform = info.extensions.transform.as_ref();
        let matrix = info.extensions.own.as_ref().map(|own| Affine2::from_cols_array(&own.matrix));
        let set = transform.and_then(|t| t.tex_coord).unwrap_or(info.tex_coord);
        let uv_set = u8::try_from(set).ok().filter(|&set| set < 2).unwrap_or_else(|| {
            let message = format!("TEXCOORD_{set} is not supported; TEXCOORD_0 is used instead");
            self.report.warn(FileLocation::Json(path.to_string()), message);
            0
        });
        let uv_transform = matrix.unwrap_or_else(|| {
            transform.map_or(Affine2::IDENTITY, |t| affine_of(t.offset, t.rotation, t.scale))
        });
        Ok(Some(TextureRef { texture, uv_set, uv_transform }))
    }

    fn texture(&mut self, index: usize, encoding: Encoding, path: &str) -> Result<Option<TextureId>, Fault> {
        if self.own.is_some() {
            return self.own_texture(index, path);
        }
        let root = self.root;
        let texture =
            root.textures.get(index).ok_or_else(|| missing("texture", index, root.textures.len(), path))?;
        let here = format!("textures[{index}]");
        let (wrap, filter) = self.sampler(texture, &here)?;
        let Some(source) = texture.extensions.webp.as_ref().map(|webp| webp.source).or(texture.source) else {
            self.report
                .warn(FileLocation::Json(here), "a texture without an image that we can read is left out");
            return Ok(None);
        };
        let Some(name) = self.image(source, &here)? else { return Ok(None) };
        let sampling = Sampling { encoding, wrap, filter };
        let place = || FileLocation::Json(here.clone());
        self.images.texture(&mut self.scene, &name, sampling).at(place)
    }

    /// How a texture reads its image. `path`: its JSON path.
    pub(super) fn sampler(
        &self,
        texture: &model::Texture,
        path: &str,
    ) -> Result<([Wrap; 2], TextureFilter), Fault> {
        let samplers = &self.root.samplers;
        let sampler = match texture.sampler {
            Some(i) => samplers.get(i).ok_or_else(|| missing("sampler", i, samplers.len(), path))?,
            None => &Sampler::default(),
        };
        let nearest = sampler.mag_filter == Some(NEAREST);
        let filter = if nearest { TextureFilter::Nearest } else { TextureFilter::Linear };
        Ok(([wrap(sampler.wrap_s), wrap(sampler.wrap_t)], filter))
    }

    /// Sees to it that an image is decoded; returns its name in [`Importer::images`], if it can be had.
    pub(super) fn image(&mut self, index: usize, from: &str) -> Result<Option<String>, Fault> {
        let root = self.root;
        let image = root.images.get(index).ok_or_else(|| missing("image", index, root.images.len(), from))?;
        let path = format!("images[{index}]");
        let place = || FileLocation::Json(path.clone());
        let called = match &image.uri {
            _ if !image.name.is_empty() => image.name.as_str(),
            Some(uri) => short_uri(uri),
            None => "embedded image",
        };
        let name = format!("{called} ({path})");
        let read = || -> Result<Image, Problem> {
            match (&image.uri, image.buffer_view) {
                (Some(uri), _) => {
                    let bytes = read_uri(uri, self.files, place).map_err(|fault| fault.problem)?;
                    let hint = uri.rsplit('.').next().filter(|hint| hint.len() <= 4).unwrap_or_default();
                    Image::decode(&bytes, hint)
                }
                (None, Some(view)) => {
                    let (bytes, _) = self.buffers.view(view, &path).map_err(|fault| fault.problem)?;
                    Image::decode(bytes, "")
                }
                (None, None) => {
                    Err(Problem::Malformed("the image has neither uri nor bufferView".to_string()))
                }
            }
        };
        match self.images.image(&name, read) {
            Ok(found) => Ok(found.is_some().then_some(name)),
            Err(problem) => {
                self.report.warn(place(), format!("the image is left out: {problem}"));
                Ok(None)
            }
        }
    }
}

pub(super) fn missing(what: &str, index: usize, count: usize, from: &str) -> Fault {
    Fault::malformed(
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

/// Scale, then rotation, then offset.
///
/// A positive angle turns the coordinates counter-clockwise as seen in the image, where v points down; that is what the
/// extension's text, its test model and other loaders do. The sample code in its text, read as GLSL (column by column),
/// turns the other way.
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

    /// What `transform` shows at a place relative to the centre of a quad whose y points up.
    fn shown(transform: &TextureTransform, x: f32, y: f32) -> Vec2 {
        let TextureTransform { offset, rotation, scale, .. } = *transform;
        affine_of(offset, rotation, scale).transform_point2(vec2(0.5 + x, 0.5 - y))
    }

    #[test]
    fn transform_of_the_khronos_test_model() {
        // In TextureTransformTest the arrow of the image points at the marker "not supported" without transform, and
        // at the marker "correct" with it. The numbers are the translations of the markers' nodes.
        let tip = shown(&TextureTransform::default(), 0.277_817_46, -0.277_817_46);
        let rotation =
            TextureTransform { rotation: std::f32::consts::FRAC_PI_8, ..TextureTransform::default() };
        assert!(shown(&rotation, -0.079_048_22, -0.516_267_5).distance(tip) < 1e-6);
        let scale = TextureTransform { scale: [1.5; 2], ..TextureTransform::default() };
        assert!(shown(&scale, 0.018_544_97, -0.018_544_97).distance(tip) < 1e-6);
        // This marker was placed by eye.
        let all = TextureTransform { offset: [-0.2, -0.1], rotation: 0.3, scale: [1.5; 2], tex_coord: None };
        assert!(shown(&all, -0.07, -0.25).distance(tip) < 0.05);
    }
}
