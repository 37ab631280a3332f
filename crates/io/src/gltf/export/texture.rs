//! Textures: each image is written once, as PNG; floating-point images, which glTF does not have, are written to the
//! extension as raw texels.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use sunfleck_image::{ImageError, encode_png_texels, encode_png_texels16};
use sunfleck_scene::{Texels, Texture, TextureFilter, Wrap};

use crate::FileLocation;

use super::{Exporter, TextureEncodeError, extension, named};

/// glTF arrays of textures, images and samplers.
#[derive(Default)]
pub(super) struct Textures {
    pub(super) textures: Vec<Value>,
    pub(super) images: Vec<Value>,
    pub(super) samplers: Vec<Value>,
}

/// Index of the image or buffer view of texels that have been written, by the address of the texels.
type WrittenTexels = BTreeMap<*const u8, usize>;

impl Exporter<'_> {
    pub(super) fn textures(&mut self) -> Result<Textures, TextureEncodeError> {
        let mut arrays = Textures::default();
        let mut written = WrittenTexels::new();
        for (index, (_, texture)) in self.scene.textures().enumerate() {
            let mut json = named(texture.name());
            let encoding = match texture.texels() {
                Texels::Srgb8(texels) | Texels::Linear8(texels) => {
                    let address = Arc::as_ptr(texels).cast();
                    let png = || encode_png_texels(texture.width(), texture.height(), texels);
                    let image = self.image(texture, address, png, &mut arrays.images, &mut written)?;
                    json["source"] = image.into();
                    if matches!(texture.texels(), Texels::Srgb8(_)) { "srgb" } else { "linear" }
                }
                Texels::Linear16(texels) => {
                    let address = Arc::as_ptr(texels).cast();
                    let png = || encode_png_texels16(texture.width(), texture.height(), texels);
                    let image = self.image(texture, address, png, &mut arrays.images, &mut written)?;
                    json["source"] = image.into();
                    "linear"
                }
                Texels::Float(texels) => {
                    let address = Arc::as_ptr(texels).cast();
                    let view = *written.entry(address).or_insert_with(|| {
                        let bytes = texels.as_flattened().iter().flat_map(|v| v.to_le_bytes());
                        self.buffer.view(&bytes.collect::<Vec<u8>>())
                    });
                    let message = "glTF has no floating-point images: other programs will not see this one";
                    self.report.note(FileLocation::Json(format!("textures[{index}]")), message);
                    let sunfleck = extension(&mut json);
                    sunfleck["texels"] = view.into();
                    sunfleck["size"] = json!([texture.width(), texture.height()]);
                    "float"
                }
            };
            extension(&mut json)["encoding"] = encoding.into();
            json["sampler"] = sampler(texture, &mut arrays.samplers).into();
            arrays.textures.push(json);
        }
        Ok(arrays)
    }

    /// Returns the index of the image of the texels at `address`, which `png` encodes at the first use.
    fn image(
        &mut self,
        texture: &Texture,
        address: *const u8,
        png: impl FnOnce() -> Result<Vec<u8>, ImageError>,
        images: &mut Vec<Value>,
        written: &mut WrittenTexels,
    ) -> Result<usize, TextureEncodeError> {
        if let Some(&image) = written.get(&address) {
            return Ok(image);
        }
        let png = png().map_err(|source| TextureEncodeError { name: texture.name().to_string(), source })?;
        let mut image = named(texture.name());
        image["mimeType"] = "image/png".into();
        image["bufferView"] = self.buffer.view(&png).into();
        images.push(image);
        written.insert(address, images.len() - 1);
        Ok(images.len() - 1)
    }
}

/// Returns the index of a sampler with the wrap modes and filter of a texture, which is added if missing.
fn sampler(texture: &Texture, samplers: &mut Vec<Value>) -> usize {
    const NEAREST: u32 = 9728;
    const LINEAR: u32 = 9729;
    let wrap = texture.wrap().map(|wrap| match wrap {
        Wrap::Repeat => 10497,
        Wrap::MirroredRepeat => 33648,
        Wrap::ClampToEdge => 33071,
    });
    let filter = match texture.filter() {
        TextureFilter::Nearest => NEAREST,
        TextureFilter::Linear => LINEAR,
    };
    let sampler = json!({ "magFilter": filter, "minFilter": filter, "wrapS": wrap[0], "wrapT": wrap[1] });
    samplers.iter().position(|known| *known == sampler).unwrap_or_else(|| {
        samplers.push(sampler);
        samplers.len() - 1
    })
}
