//! Uses of images by materials: as masks, as references of the scene.

use std::sync::Arc;

use glam::Affine2;
use sunfleck_image::color::luminance;
use sunfleck_math::Vec3;
use sunfleck_scene::{Scene, TextureFilter, TextureRef, Wrap};

use super::bake::{self, Encoded};
use super::omissions::Omissions;
use super::place::SourcePlace;
use crate::error::ImportProblem;
use crate::images::{Encoding, Image, Images, Pixels, Sampling};

/// Use of an image of [`Images`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ImageUse {
    pub(crate) key: String,
    pub(crate) sampling: Sampling,
    /// Transform from the texture coordinates of the renderer to those of the image.
    pub(crate) image_from_uv: Affine2,
}

impl ImageUse {
    /// Creates an image of two texels by two, row by row from the top, which repeats.
    pub(crate) fn checkerboard(images: &mut Images, texels: [[f32; 4]; 4], image_from_uv: Affine2) -> Self {
        let key = format!("checkerboard {texels:?}");
        if images.get(&key).is_none() {
            let pixels = Pixels::Floats(Arc::new(texels.to_vec()));
            let image = Image { width: 2, height: 2, pixels, notes: Vec::new() };
            images.insert(key.clone(), "checkerboard".to_string(), image);
        }
        let (wrap, filter) = ([Wrap::Repeat; 2], TextureFilter::Nearest);
        Self { key, sampling: Sampling { encoding: Encoding::Linear, wrap, filter }, image_from_uv }
    }

    /// Returns the image of a colour, or white, with this mask as its alpha; `None` if the mask could not be read.
    pub(crate) fn masking(
        &self,
        color: Option<&Self>,
        images: &mut Images,
        omissions: &mut Omissions,
        place: &SourcePlace,
    ) -> Option<Self> {
        let color = color.filter(|color| {
            let is_same = color.image_from_uv == self.image_from_uv;
            if !is_same {
                let message =
                    "a mask and a colour with different transforms are not supported: the colour is plain";
                omissions.warn(place, message);
            }
            is_same
        });
        let encoding = color.map_or(Encoding::Color, |color| color.sampling.encoding);
        let name = color.map_or("white", |color| color.key.as_str());
        let key = format!("{name} {encoding:?} masked by {} {:?}", self.key, self.sampling.encoding);
        if images.get(&key).is_none() {
            let color = color.and_then(|color| Some((images.get(&color.key)?, encoding)));
            let image = bake::masked(color, (images.get(&self.key)?, self.sampling.encoding));
            images.insert(key.clone(), self.key.clone(), image);
        }
        let sampling = Sampling { encoding, ..color.map_or(self.sampling, |color| color.sampling) };
        Some(Self { key, sampling, image_from_uv: self.image_from_uv })
    }

    /// Returns the mean of the image in linear colours; white if it could not be read.
    pub(crate) fn mean(&self, images: &Images) -> Vec3 {
        images.get(&self.key).map_or(Vec3::ONE, |image| bake::mean((image, self.sampling.encoding)))
    }

    /// Returns the linear image that is computed from the luminances of others; `None` if there is none. The luminance
    /// of those that are not given is 1. An image with another transform than the first one is replaced by its mean.
    ///
    /// * `key` — identifies `texel` among all such images.
    pub(crate) fn combined<const N: usize>(
        uses: [Option<&Self>; N],
        key: &str,
        (images, omissions, place): (&mut Images, &mut Omissions, &SourcePlace),
        texel: impl Fn([f32; N]) -> [f32; 4],
    ) -> Option<Self> {
        let main = uses.into_iter().flatten().next()?;
        let mut plain = [1.0; N];
        let uses: [Option<&Self>; N] = std::array::from_fn(|channel| {
            let image = uses[channel]?;
            if image.image_from_uv == main.image_from_uv {
                return Some(image);
            }
            let message =
                "textures of numbers with different transforms are not supported together: one is its mean";
            omissions.warn(place, message);
            plain[channel] = luminance(image.mean(images));
            None
        });
        let name = |channel: usize| match uses[channel] {
            Some(image) => format!("{} {:?}", image.key, image.sampling.encoding),
            None => plain[channel].to_string(),
        };
        let names: [String; N] = std::array::from_fn(name);
        let key = format!("{key}: {}", names.join(", "));
        if images.get(&key).is_none() {
            let encoded = |image: Option<&Self>| -> Option<Encoded<'_>> {
                image.and_then(|image| Some((images.get(&image.key)?, image.sampling.encoding)))
            };
            let image = bake::combined(uses.map(encoded), plain, texel);
            images.insert(key.clone(), main.key.clone(), image);
        }
        let sampling = Sampling { encoding: Encoding::Linear, ..main.sampling };
        Some(Self { key, sampling, image_from_uv: main.image_from_uv })
    }

    /// Returns an image whose luminance is 1 − `factor` · that of this one, at least 0; `None` if it could not be read.
    pub(crate) fn complement(&self, factor: f32, images: &mut Images) -> Option<Self> {
        let encoding = self.sampling.encoding;
        let key = format!("1 - {factor} {} {encoding:?}", self.key);
        if images.get(&key).is_none() {
            let own = [Some((images.get(&self.key)?, encoding))];
            let image = bake::combined(own, [1.0], |[value]| {
                let rest = 1.0 - factor * value;
                [rest, rest, rest, 1.0]
            });
            images.insert(key.clone(), self.key.clone(), image);
        }
        let sampling = Sampling { encoding: Encoding::Linear, ..self.sampling };
        Some(Self { key, sampling, image_from_uv: self.image_from_uv })
    }

    /// Returns the reference to the texture of the image, which is added to the scene at the first use.
    ///
    /// * `uv_from_shape` — transform from texture coordinates of the shape to those of the renderer.
    pub(crate) fn texture_ref(
        &self,
        images: &mut Images,
        scene: &mut Scene,
        uv_from_shape: Affine2,
    ) -> Result<Option<TextureRef>, ImportProblem> {
        let texture = images.texture(scene, &self.key, self.sampling)?;
        let uv_transform = self.image_from_uv * uv_from_shape;
        Ok(texture.map(|texture| TextureRef { uv_transform, ..TextureRef::new(texture) }))
    }
}
