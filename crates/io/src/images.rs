//! Image files as textures. Each file is decoded once; textures with different sampling share its pixels.

use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_image::{Decoded, decode};
use sunfleck_scene::{Scene, Texels, Texture, TextureFilter, TextureId, Wrap};

use crate::error::ImportProblem;
use crate::{FileKind, FileReference, Resolver};

/// Encoding of the values of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Colour; sRGB if the image has 8 or 16 bits per channel.
    Color,
    /// Linear data, such as normals and roughness.
    Linear,
}

/// Encoding, wrap modes and filter with which a texture reads its image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sampling {
    pub(crate) encoding: Encoding,
    pub(crate) wrap: [Wrap; 2],
    pub(crate) filter: TextureFilter,
}

impl Sampling {
    /// Returns a key that can be ordered.
    fn key(self) -> [u8; 4] {
        [self.encoding as u8, self.wrap[0] as u8, self.wrap[1] as u8, self.filter as u8]
    }
}

/// Decoded image.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Pixels,
}

/// Pixels of an image in RGBA, row by row from the top.
#[derive(Clone, Debug)]
pub(crate) enum Pixels {
    Bytes(Arc<Vec<[u8; 4]>>),
    Floats(Arc<Vec<[f32; 4]>>),
}

impl Image {
    /// Decodes an image file. Some exporters write negative floating-point values and values that are not finite, which
    /// are invalid as radiance and as any other texture; they are replaced by 0.
    ///
    /// * `hint` — extension or MIME type, for formats that cannot be identified by their content.
    pub(crate) fn decode(bytes: &[u8], hint: &str) -> Result<Self, ImportProblem> {
        Ok(match decode(bytes, hint)?.without_16_bit() {
            Decoded::Rgba32F { width, height, mut texels } => {
                let sanitize = |v: &mut f32| *v = if v.is_finite() { v.max(0.0) } else { 0.0 };
                texels.as_flattened_mut().iter_mut().for_each(sanitize);
                Self { width, height, pixels: Pixels::Floats(Arc::new(texels)) }
            }
            Decoded::Rgba8 { width, height, texels } => {
                Self { width, height, pixels: Pixels::Bytes(Arc::new(texels)) }
            }
            Decoded::Rgba16 { .. } => unreachable!("was rounded to 8 bits"),
        })
    }

    /// Reads and decodes the first of `candidates` that exists.
    ///
    /// * `name` — name in the scene file, for the message if there is none.
    pub(crate) fn read(
        name: &str,
        mut candidates: impl Iterator<Item = String>,
        files: &dyn Resolver,
    ) -> Result<Self, ImportProblem> {
        let read = |name: &str| files.read(FileReference::new(name, FileKind::Image));
        let found = candidates.find_map(|candidate| read(&candidate).ok());
        let bytes = found.map_or_else(|| read(name), Ok);
        let bytes = bytes.map_err(|source| ImportProblem::Read { what: name.to_string(), source })?;
        Self::decode(&bytes, name.rsplit('.').next().unwrap_or_default())
    }

    /// Creates a texture that shares the pixels.
    pub(crate) fn texture(&self, name: &str, sampling: Sampling) -> Result<Texture, ImportProblem> {
        let texels = match (&self.pixels, sampling.encoding) {
            (Pixels::Bytes(bytes), Encoding::Color) => Texels::Srgb8(Arc::clone(bytes)),
            (Pixels::Bytes(bytes), Encoding::Linear) => Texels::Linear8(Arc::clone(bytes)),
            (Pixels::Floats(floats), _) => Texels::Float(Arc::clone(floats)),
        };
        Ok(Texture::new(name, self.width, self.height, texels)?.with_sampling(sampling.wrap, sampling.filter))
    }
}

/// Images of a scene that is being imported, by a name that is unique in the scene.
#[derive(Debug, Default)]
pub(crate) struct Images {
    /// `None`: the image could not be read, and the error has been returned once.
    images: BTreeMap<String, Option<Image>>,
    textures: BTreeMap<(String, [u8; 4]), TextureId>,
}

impl Images {
    /// Returns the image `name`, which `read` decodes at the first use. Errors: that of `read`, at the first use only;
    /// later calls return `None`.
    pub(crate) fn image(
        &mut self,
        name: &str,
        read: impl FnOnce() -> Result<Image, ImportProblem>,
    ) -> Result<Option<&Image>, ImportProblem> {
        if !self.images.contains_key(name) {
            let image = read();
            let (image, problem) =
                image.map_or_else(|problem| (None, Some(problem)), |image| (Some(image), None));
            self.images.insert(name.to_string(), image);
            problem.map_or(Ok(()), Err)?;
        }
        Ok(self.images.get(name).and_then(Option::as_ref))
    }

    /// Returns the image `name`, if it has been decoded.
    pub(crate) fn get(&self, name: &str) -> Option<&Image> {
        self.images.get(name).and_then(Option::as_ref)
    }

    /// Returns the texture of the image `name` with `sampling`, which is added to the scene at the first use; `None` if
    /// the image could not be read.
    pub(crate) fn texture(
        &mut self,
        scene: &mut Scene,
        name: &str,
        sampling: Sampling,
    ) -> Result<Option<TextureId>, ImportProblem> {
        let key = (name.to_string(), sampling.key());
        if let Some(&texture) = self.textures.get(&key) {
            return Ok(Some(texture));
        }
        let Some(image) = self.images.get(name).and_then(Option::as_ref) else { return Ok(None) };
        let texture = scene.add_texture(image.texture(name, sampling)?)?;
        self.textures.insert(key, texture);
        Ok(Some(texture))
    }

    /// Adds an image that was computed from others.
    pub(crate) fn insert(&mut self, name: String, image: Image) {
        self.images.insert(name, Some(image));
    }
}
