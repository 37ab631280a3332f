//! Textures, each for itself: none is shared because it looks like another.

use std::sync::Arc;

use sunfleck_scene::{Texels, Texture, TextureId};

use crate::FileLocation;
use crate::error::{At, Fault};
use crate::gltf::Importer;
use crate::gltf::texture::missing;
use crate::images;

use super::model::{self, Encoding};

impl Importer<'_> {
    /// The scene's texture for a glTF texture; nothing if its image could not be had. `from`: JSON path of the reference.
    pub(in crate::gltf) fn own_texture(&self, index: usize, from: &str) -> Result<Option<TextureId>, Fault> {
        let texture = self.own_textures.get(index).copied();
        texture.ok_or_else(|| missing("texture", index, self.own_textures.len(), from))
    }

    pub(super) fn add_own_texture(&mut self, index: usize) -> Result<(), Fault> {
        let texture = self.read_own_texture(index)?;
        let place = || FileLocation::Json(format!("textures[{index}]"));
        let id = texture.map(|texture| self.scene.add_texture(texture)).transpose().at(place)?;
        self.own_textures.push(id);
        Ok(())
    }

    fn read_own_texture(&mut self, index: usize) -> Result<Option<Texture>, Fault> {
        let texture = &self.root.textures[index];
        let here = format!("textures[{index}]");
        let place = || FileLocation::Json(here.clone());
        let (wrap, filter) = self.sampler(texture, &here)?;
        let own = texture.extensions.own.as_ref();
        if let Some(model::Texture { encoding: Encoding::Float, texels: Some(view), size }) = own {
            let (bytes, _) = self.buffers.view(*view, &here)?;
            let values = bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect::<Vec<f32>>();
            let texels = Texels::Float(Arc::new(values.as_chunks().0.to_vec()));
            let texture = Texture::new(texture.name.clone(), size[0], size[1], texels).at(place)?;
            return Ok(Some(texture.with_sampling(wrap, filter)));
        }
        let encoding = match own.map(|own| own.encoding) {
            Some(Encoding::Linear) => images::Encoding::Linear,
            _ => images::Encoding::Color,
        };
        let Some(source) = texture.source else { return Ok(None) };
        let Some(name) = self.image(source, &here)? else { return Ok(None) };
        let sampling = images::Sampling { encoding, wrap, filter };
        let image = self.images.get(&name);
        image.map(|image| image.texture(&texture.name, sampling)).transpose().at(place)
    }
}
