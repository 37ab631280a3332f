//! Image files as textures. Each file is decoded once; textures with different sampling share its pixels.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sunfleck_image::{DEFAULT_DECODE_LIMIT, Decoded, ImageNote, decode_file, narrow_to_8_bits};
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
    /// What the user should know about the file.
    pub(crate) notes: Vec<ImageNote>,
}

/// Pixels of an image in RGBA, row by row from the top.
#[derive(Clone, Debug)]
pub(crate) enum Pixels {
    Bytes(Arc<Vec<[u8; 4]>>),
    /// 16 bits per channel.
    Words(Arc<Vec<[u16; 4]>>),
    Floats(Arc<Vec<[f32; 4]>>),
}

impl Image {
    /// Decodes an image file. Some exporters write negative floating-point values and values that are not finite, which
    /// are invalid as radiance and as any other texture; they are replaced by 0.
    ///
    /// * `hint` — extension or MIME type, for formats that cannot be identified by their content.
    pub(crate) fn decode(bytes: &[u8], hint: &str) -> Result<Self, ImportProblem> {
        let mut file = decode_file(bytes, hint, DEFAULT_DECODE_LIMIT)?;
        let notes = std::mem::take(&mut file.notes);
        Ok(Self::from_decoded(file.straight(), notes))
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

    /// Creates an image of decoded texels. Adds a note if some are not finite.
    pub(crate) fn from_decoded(mut decoded: Decoded, mut notes: Vec<ImageNote>) -> Self {
        replace_invalid(&mut decoded, &mut notes);
        let (width, height) = decoded.size();
        let pixels = match decoded {
            Decoded::Rgba32F { texels, .. } => Pixels::Floats(Arc::new(texels)),
            Decoded::Rgba8 { texels, .. } => Pixels::Bytes(Arc::new(texels)),
            Decoded::Rgba16 { texels, .. } => Pixels::Words(Arc::new(texels)),
        };
        Self { width, height, pixels, notes }
    }

    /// Creates a texture that shares the pixels. Colours of 16 bits are rounded to 8, which are enough in sRGB; linear
    /// data keep all bits.
    pub(crate) fn texture(&self, name: &str, sampling: Sampling) -> Result<Texture, ImportProblem> {
        let texels = match (&self.pixels, sampling.encoding) {
            (Pixels::Bytes(bytes), Encoding::Color) => Texels::Srgb8(Arc::clone(bytes)),
            (Pixels::Bytes(bytes), Encoding::Linear) => Texels::Linear8(Arc::clone(bytes)),
            (Pixels::Words(words), Encoding::Linear) => Texels::Linear16(Arc::clone(words)),
            (Pixels::Words(words), Encoding::Color) => {
                Texels::Srgb8(Arc::new(words.iter().map(|texel| texel.map(narrow_to_8_bits)).collect()))
            }
            (Pixels::Floats(floats), _) => Texels::Float(Arc::clone(floats)),
        };
        Ok(Texture::new(name, self.width, self.height, texels)?.with_sampling(sampling.wrap, sampling.filter))
    }
}

/// Replaces floating-point values that are negative or not finite by 0. Adds a note if some are not finite.
pub(crate) fn replace_invalid(decoded: &mut Decoded, notes: &mut Vec<ImageNote>) {
    let Decoded::Rgba32F { texels, .. } = decoded else { return };
    let mut invalid = 0;
    for value in texels.as_flattened_mut() {
        invalid += usize::from(!value.is_finite());
        *value = if value.is_finite() { value.max(0.0) } else { 0.0 };
    }
    if invalid > 0 {
        let values = format!("values that are not finite numbers are set to 0: {invalid}");
        notes.push(ImageNote::Fault(values));
    }
}

/// Images of a scene that is being imported, by a key that is unique in the scene. The key of an image that is read
/// from a file is also its name.
#[derive(Debug, Default)]
pub(crate) struct Images {
    /// `None`: the image could not be read, and the error has been returned once.
    images: BTreeMap<String, Option<Image>>,
    /// Names of the images that were computed from others.
    computed_names: BTreeMap<String, String>,
    textures: BTreeMap<(String, [u8; 4]), TextureId>,
    /// Notes about images that have been decoded since the last call of [`Images::take_notes`].
    new_notes: Vec<ImageNote>,
    /// Choices that have been reported, which hold for further images, too.
    known_choices: BTreeSet<String>,
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
            for note in image.iter().flat_map(|image| &image.notes) {
                let is_new = match note {
                    ImageNote::Choice(sentence) => self.known_choices.insert(sentence.clone()),
                    ImageNote::Fault(_) | ImageNote::Missing(_) => true,
                };
                if is_new {
                    self.new_notes.push(note.clone());
                }
            }
            self.images.insert(name.to_string(), image);
            problem.map_or(Ok(()), Err)?;
        }
        Ok(self.images.get(name).and_then(Option::as_ref))
    }

    /// Returns the notes about images that have been decoded since the last call. A choice that was made for several
    /// images is noted for the first of them.
    pub(crate) fn take_notes(&mut self) -> Vec<ImageNote> {
        std::mem::take(&mut self.new_notes)
    }

    /// Returns the image `key`, if it has been decoded or computed.
    pub(crate) fn get(&self, key: &str) -> Option<&Image> {
        self.images.get(key).and_then(Option::as_ref)
    }

    /// Returns the texture of the image `key` with `sampling`, which is added to the scene at the first use; `None` if
    /// the image could not be read.
    pub(crate) fn texture(
        &mut self,
        scene: &mut Scene,
        key: &str,
        sampling: Sampling,
    ) -> Result<Option<TextureId>, ImportProblem> {
        let texture_key = (key.to_string(), sampling.key());
        if let Some(&texture) = self.textures.get(&texture_key) {
            return Ok(Some(texture));
        }
        let Some(image) = self.get(key) else { return Ok(None) };
        let name = self.computed_names.get(key).map_or(key, String::as_str);
        let texture = scene.add_texture(image.texture(name, sampling)?)?;
        self.textures.insert(texture_key, texture);
        Ok(Some(texture))
    }

    /// Adds an image that was computed from others.
    ///
    /// * `name` — name for users.
    pub(crate) fn insert(&mut self, key: String, name: String, image: Image) {
        self.computed_names.insert(key.clone(), name);
        self.images.insert(key, Some(image));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampling(encoding: Encoding) -> Sampling {
        Sampling { encoding, wrap: [Wrap::Repeat; 2], filter: TextureFilter::Linear }
    }

    #[test]
    fn linear_data_keep_16_bits() {
        // Greys of 16 bits, big-endian
        let image = Image::decode(b"P5 2 1 65535\n\x12\x34\x12\x35", "").unwrap();
        let texels = |encoding| image.texture("t", sampling(encoding)).unwrap().texels().clone();
        let grey = |code: u16| [code, code, code, 65535];
        assert_eq!(texels(Encoding::Linear), Texels::Linear16(vec![grey(0x1234), grey(0x1235)].into()));
        assert_eq!(texels(Encoding::Color), Texels::Srgb8(vec![[18, 18, 18, 255]; 2].into()));
    }

    #[test]
    fn values_that_are_not_finite_are_counted_once() {
        let texels = vec![[f32::NAN, 1.0, -2.0, 1.0], [f32::INFINITY, 0.5, 0.5, 1.0]];
        let image = Image::from_decoded(Decoded::Rgba32F { width: 2, height: 1, texels }, Vec::new());
        let Pixels::Floats(texels) = &image.pixels else { panic!("floats") };
        assert_eq!(**texels, [[0.0, 1.0, 0.0, 1.0], [0.0, 0.5, 0.5, 1.0]]);
        let notes: Vec<_> = image.notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes, ["values that are not finite numbers are set to 0: 2"]);
    }

    #[test]
    fn the_same_choice_is_noted_once() {
        let mut images = Images::default();
        let note = |sentence: &str| ImageNote::Choice(sentence.to_string());
        for name in ["a", "b"] {
            let notes = vec![note("mip levels"), ImageNote::Fault("NaN".to_string())];
            let decoded = Decoded::Rgba8 { width: 1, height: 1, texels: vec![[0; 4]] };
            images.image(name, || Ok(Image::from_decoded(decoded, notes))).unwrap();
        }
        let fault = ImageNote::Fault("NaN".to_string());
        assert_eq!(images.take_notes(), [note("mip levels"), fault.clone(), fault]);
        assert!(images.take_notes().is_empty());
    }
}
