//! Textures: each image once, as PNG; floating-point ones, which glTF has not, as they are in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use sunfleck_image::encode_png_texels;
use sunfleck_scene::{Texels, Texture, TextureFilter, Wrap};

use crate::FileLocation;

use super::{BadTexture, Exporter, extension, named};

/// The arrays that say what textures are.
#[derive(Default)]
pub(super) struct Textures {
    pub(super) textures: Vec<Value>,
    pub(super) images: Vec<Value>,
    pub(super) samplers: Vec<Value>,
}

/// Where texels have been written that are shared: by their address.
type Known = BTreeMap<*const u8, usize>;

impl Exporter<'_> {
    pub(super) fn textures(&mut self) -> Result<Textures, BadTexture> {
        let mut made = Textures::default();
        let mut known = Known::new();
        for (index, (_, texture)) in self.scene.textures().enumerate() {
            let mut json = named(texture.name());
            let encoding = match texture.texels() {
                Texels::Srgb8(texels) | Texels::Linear8(texels) => {
                    json["source"] = self.image(texture, texels, &mut made.images, &mut known)?.into();
                    if matches!(texture.texels(), Texels::Srgb8(_)) { "srgb" } else { "linear" }
                }
                Texels::Float(texels) => {
                    let address = Arc::as_ptr(texels).cast();
                    let view = *known.entry(address).or_insert_with(|| {
                        let bytes = texels.as_flattened().iter().flat_map(|v| v.to_le_bytes());
                        self.buffer.view(&bytes.collect::<Vec<u8>>())
                    });
                    let message = "glTF has no floating-point images: other programs will not see this one";
                    self.report.note(FileLocation::Json(format!("textures[{index}]")), message);
                    let own = extension(&mut json);
                    own["texels"] = view.into();
                    own["size"] = json!([texture.width(), texture.height()]);
                    "float"
                }
            };
            extension(&mut json)["encoding"] = encoding.into();
            json["sampler"] = sampler(texture, &mut made.samplers).into();
            made.textures.push(json);
        }
        Ok(made)
    }

    fn image(
        &mut self,
        texture: &Texture,
        texels: &Arc<Vec<[u8; 4]>>,
        images: &mut Vec<Value>,
        known: &mut Known,
    ) -> Result<usize, BadTexture> {
        let address = Arc::as_ptr(texels).cast();
        if let Some(&image) = known.get(&address) {
            return Ok(image);
        }
        let png = encode_png_texels(texture.width(), texture.height(), texels)
            .map_err(|source| BadTexture { name: texture.name().to_string(), source })?;
        let mut image = named(texture.name());
        image["mimeType"] = "image/png".into();
        image["bufferView"] = self.buffer.view(&png).into();
        images.push(image);
        known.insert(address, images.len() - 1);
        Ok(images.len() - 1)
    }
}

/// The index of the sampler that reads as the texture does.
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
