//! Textures of files with `SUNFLECK_scene`: each glTF texture becomes one texture of the scene, even if another one is
//! equal.

use std::sync::Arc;

use sunfleck_scene::{Texels, Texture, TextureId};

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};
use crate::gltf::Importer;
use crate::gltf::texture::missing;
use crate::images;

use super::model::{self, Encoding};

impl Importer<'_> {
    /// Returns the scene's texture for a glTF texture; `None` if its image could not be read. `from` is the JSON path
    /// of the reference.
    pub(in crate::gltf) fn sunfleck_texture(
        &self,
        index: usize,
        from: &str,
    ) -> Result<Option<TextureId>, ParseError> {
        let texture = self.sunfleck_textures.get(index).copied();
        texture.ok_or_else(|| missing("texture", index, self.sunfleck_textures.len(), from))
    }

    pub(super) fn add_sunfleck_texture(&mut self, index: usize) -> Result<(), ParseError> {
        let texture = self.read_sunfleck_texture(index)?;
        let location = || FileLocation::Json(format!("textures[{index}]"));
        let id = texture.map(|texture| self.scene.add_texture(texture)).transpose().at(location)?;
        self.sunfleck_textures.push(id);
        Ok(())
    }

    fn read_sunfleck_texture(&mut self, index: usize) -> Result<Option<Texture>, ParseError> {
        let texture = &self.root.textures[index];
        let here = format!("textures[{index}]");
        let location = || FileLocation::Json(here.clone());
        let (wrap, filter) = self.sampler(texture, &here)?;
        let sunfleck = texture.extensions.sunfleck.as_ref();
        if let Some(model::Texture { encoding: Encoding::Float, texels: Some(view), size }) = sunfleck {
            let (bytes, _) = self.buffers.view(*view, &here)?;
            let values = bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect::<Vec<f32>>();
            let texels = Texels::Float(Arc::new(values.as_chunks().0.to_vec()));
            let texture = Texture::new(texture.name.clone(), size[0], size[1], texels).at(location)?;
            return Ok(Some(texture.with_sampling(wrap, filter)));
        }
        let encoding = match sunfleck.map(|sunfleck| sunfleck.encoding) {
            Some(Encoding::Linear) => images::Encoding::Linear,
            _ => images::Encoding::Color,
        };
        let Some(source) = texture.source else { return Ok(None) };
        let Some(name) = self.image(source, &here)? else { return Ok(None) };
        let sampling = images::Sampling { encoding, wrap, filter };
        let image = self.images.get(&name);
        image.map(|image| image.texture(&texture.name, sampling)).transpose().at(location)
    }
}
