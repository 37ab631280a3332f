use std::collections::BTreeSet;

use rayon::prelude::*;
use sunfleck_math::Vec4;
use sunfleck_scene::{Scene, TextureId, TextureRef};

use super::{ImageSampler, MeanPyramid, MipLevels, SrgbTable, TextureLookup};
use crate::SurfaceAttributes;

/// The images to which the materials of a scene refer, by dense index.
#[derive(Clone, Debug)]
pub(crate) struct TextureTable {
    pub(super) images: Vec<ImageSampler>,
    /// Mip levels of each image.
    pub(super) levels: Vec<MipLevels>,
    /// Ids of the textures, sorted, in the order of the images.
    ids: Vec<TextureId>,
    pub(super) srgb: Box<SrgbTable>,
}

impl TextureTable {
    /// Collects the images of a scene.
    ///
    /// * `previous` — table whose mip levels are reused for images that both tables have.
    pub(crate) fn new(scene: &Scene, previous: Option<&Self>) -> Self {
        let read: BTreeSet<TextureId> =
            scene.materials().flat_map(|(_, material)| material.textures()).collect();
        let textures = scene.textures().filter(|(id, _)| read.contains(id));
        let (ids, images): (_, Vec<_>) =
            textures.map(|(id, texture)| (id, ImageSampler::new(texture))).unzip();
        let srgb = Box::new(SrgbTable::new());
        // Textures with the same image share its mip levels
        let first =
            |i: usize| images[..i].iter().position(|other| other.has_same_texels(&images[i])).unwrap_or(i);
        let firsts: Vec<usize> = (0..images.len()).map(first).collect();
        let distinct_levels: Vec<Option<MipLevels>> = images
            .par_iter()
            .enumerate()
            .map(|(i, image)| {
                let known = previous.and_then(|previous| {
                    previous.levels.iter().find(|known| known.image.has_same_texels(image))
                });
                (firsts[i] == i).then(|| known.cloned().unwrap_or_else(|| MipLevels::new(image, &srgb)))
            })
            .collect();
        let levels = firsts.iter().filter_map(|&first| distinct_levels[first].clone()).collect();
        Self { levels, images, ids, srgb }
    }

    /// Returns the lookup of a texture reference; `None` if the scene has no such texture.
    pub(crate) fn resolve(&self, reference: &TextureRef) -> Option<TextureLookup> {
        let index = self.ids.binary_search(&reference.texture).ok()?;
        Some(TextureLookup::new(reference, u32::try_from(index).ok()?, &self.images[index]))
    }

    /// Returns the value at a point, filtered over the footprint.
    #[inline(always)]
    pub(crate) fn sample(&self, lookup: &TextureLookup, at: &SurfaceAttributes) -> Vec4 {
        let (image, uv, width) = (&self.images[lookup.image as usize], lookup.uv(at), lookup.width(at));
        image.mean(&self.levels[lookup.image as usize], &self.srgb, uv, width)
    }

    /// Returns the value as [`TextureTable::sample`], or 1 without a texture.
    #[inline(always)]
    pub(crate) fn sample_or_one(&self, lookup: &Option<TextureLookup>, at: &SurfaceAttributes) -> Vec4 {
        match lookup {
            Some(lookup) => self.sample(lookup, at),
            None => Vec4::ONE,
        }
    }

    /// Returns means over areas of a quantity that is computed from each texel.
    pub(crate) fn means(&self, lookup: &TextureLookup, of: impl Fn(Vec4) -> f32 + Sync) -> MeanPyramid {
        MeanPyramid::new(&self.images[lookup.image as usize], &self.srgb, of)
    }
}
