//! Image files as textures: each file is decoded once and shared by the textures that read it differently.

use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_image::{Decoded, decode};
use sunfleck_scene::{Scene, Texels, Texture, TextureFilter, TextureId, Wrap};

use crate::error::Problem;

/// What the numbers of an image mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Colour, encoded as sRGB if it has 8 or 16 bits.
    Color,
    /// Anything else: normals, roughness.
    Linear,
}

/// How a texture reads its image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sampling {
    pub(crate) encoding: Encoding,
    pub(crate) wrap: [Wrap; 2],
    pub(crate) filter: TextureFilter,
}

impl Sampling {
    /// For a table.
    fn key(self) -> [u8; 4] {
        [self.encoding as u8, self.wrap[0] as u8, self.wrap[1] as u8, self.filter as u8]
    }
}

/// A decoded image.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Pixels,
}

/// Row by row from the top.
#[derive(Clone, Debug)]
pub(crate) enum Pixels {
    Bytes(Arc<Vec<[u8; 4]>>),
    Floats(Arc<Vec<[f32; 4]>>),
}

impl Image {
    /// `hint`: the extension or MIME type, for formats that their content does not tell.
    ///
    /// Floating-point values that are not finite, and negative ones, become 0: some exporters write them, and neither
    /// light nor anything else that images say can be so.
    pub(crate) fn decode(bytes: &[u8], hint: &str) -> Result<Self, Problem> {
        Ok(match decode(bytes, hint)?.without_16_bit() {
            Decoded::Rgba32F { width, height, mut texels } => {
                let light = |v: &mut f32| *v = if v.is_finite() { v.max(0.0) } else { 0.0 };
                texels.as_flattened_mut().iter_mut().for_each(light);
                Self { width, height, pixels: Pixels::Floats(Arc::new(texels)) }
            }
            Decoded::Rgba8 { width, height, texels } => {
                Self { width, height, pixels: Pixels::Bytes(Arc::new(texels)) }
            }
            Decoded::Rgba16 { .. } => unreachable!("was rounded to 8 bits"),
        })
    }

    /// A texture that shares the pixels.
    pub(crate) fn texture(&self, name: &str, sampling: Sampling) -> Result<Texture, Problem> {
        let texels = match (&self.pixels, sampling.encoding) {
            (Pixels::Bytes(bytes), Encoding::Color) => Texels::Srgb8(Arc::clone(bytes)),
            (Pixels::Bytes(bytes), Encoding::Linear) => Texels::Linear8(Arc::clone(bytes)),
            (Pixels::Floats(floats), _) => Texels::Float(Arc::clone(floats)),
        };
        Ok(Texture::new(name, self.width, self.height, texels)?.with_sampling(sampling.wrap, sampling.filter))
    }
}

/// The images of a scene under construction, by any name that is unique in it.
#[derive(Debug, Default)]
pub(crate) struct Images {
    /// None: cannot be had, and was complained about.
    images: BTreeMap<String, Option<Image>>,
    textures: BTreeMap<(String, [u8; 4]), TextureId>,
}

impl Images {
    /// The image `name`, decoded at first use from what `read` gives. Errors: those of `read`, once; later nothing.
    pub(crate) fn image(
        &mut self,
        name: &str,
        read: impl FnOnce() -> Result<Image, Problem>,
    ) -> Result<Option<&Image>, Problem> {
        if !self.images.contains_key(name) {
            let image = read();
            let (image, problem) =
                image.map_or_else(|problem| (None, Some(problem)), |image| (Some(image), None));
            self.images.insert(name.to_string(), image);
            problem.map_or(Ok(()), Err)?;
        }
        Ok(self.images.get(name).and_then(Option::as_ref))
    }

    /// The image `name`, if it was decoded.
    pub(crate) fn get(&self, name: &str) -> Option<&Image> {
        self.images.get(name).and_then(Option::as_ref)
    }

    /// A texture that shows the image `name`, if there is one; the same one for the same sampling.
    pub(crate) fn texture(
        &mut self,
        scene: &mut Scene,
        name: &str,
        sampling: Sampling,
    ) -> Result<Option<TextureId>, Problem> {
        let key = (name.to_string(), sampling.key());
        if let Some(&texture) = self.textures.get(&key) {
            return Ok(Some(texture));
        }
        let Some(image) = self.images.get(name).and_then(Option::as_ref) else { return Ok(None) };
        let texture = scene.add_texture(image.texture(name, sampling)?)?;
        self.textures.insert(key, texture);
        Ok(Some(texture))
    }

    /// Adds an image that was made from others.
    pub(crate) fn insert(&mut self, name: String, image: Image) {
        self.images.insert(name, Some(image));
    }
}
