use std::collections::BTreeSet;

use rayon::prelude::*;
use sunfleck_math::Vec4;
use sunfleck_scene::{Scene, TextureId, TextureRef};

use super::{ImageSampler, Levels, Means, SrgbTable, TextureLookup};
use crate::SurfaceAttributes;

/// The images that materials of a scene read, by dense index.
#[derive(Clone, Debug)]
pub(crate) struct TextureTable {
    pub(super) images: Vec<ImageSampler>,
    /// Of each image.
    pub(super) levels: Vec<Levels>,
    /// Sorted; the place of an id is the index of its image.
    ids: Vec<TextureId>,
    pub(super) srgb: Box<SrgbTable>,
}

impl TextureTable {
    /// * `before` — levels of its images serve again.
    pub(crate) fn new(scene: &Scene, before: Option<&Self>) -> Self {
        let read: BTreeSet<TextureId> =
            scene.materials().flat_map(|(_, material)| material.textures()).collect();
        let textures = scene.textures().filter(|(id, _)| read.contains(id));
        let (ids, images): (_, Vec<_>) =
            textures.map(|(id, texture)| (id, ImageSampler::new(texture))).unzip();
        let srgb = Box::new(SrgbTable::new());
        // Textures may share an image
        let first = |i: usize| images[..i].iter().position(|other| other.looks_like(&images[i])).unwrap_or(i);
        let firsts: Vec<usize> = (0..images.len()).map(first).collect();
        let made: Vec<Option<Levels>> = images
            .par_iter()
            .enumerate()
            .map(|(i, image)| {
                let known = before
                    .and_then(|before| before.levels.iter().find(|known| known.image.looks_like(image)));
                (firsts[i] == i).then(|| known.cloned().unwrap_or_else(|| Levels::new(image, &srgb)))
            })
            .collect();
        let levels = firsts.iter().filter_map(|&first| made[first].clone()).collect();
        Self { levels, images, ids, srgb }
    }

    /// `None` if there is no such texture.
    pub(crate) fn resolve(&self, reference: &TextureRef) -> Option<TextureLookup> {
        let index = self.ids.binary_search(&reference.texture).ok()?;
        Some(TextureLookup::new(reference, u32::try_from(index).ok()?, &self.images[index]))
    }

    /// The value at a point, or the mean of what is seen around it.
    #[inline(always)]
    pub(crate) fn sample(&self, lookup: &TextureLookup, at: &SurfaceAttributes) -> Vec4 {
        let (image, uv, width) = (&self.images[lookup.image as usize], lookup.uv(at), lookup.width(at));
        image.mean(&self.levels[lookup.image as usize], &self.srgb, uv, width)
    }

    /// The value, or 1 without a texture.
    #[inline(always)]
    pub(crate) fn sample_or_one(&self, lookup: &Option<TextureLookup>, at: &SurfaceAttributes) -> Vec4 {
        match lookup {
            Some(lookup) => self.sample(lookup, at),
            None => Vec4::ONE,
        }
    }

    /// Means, over larger and larger areas, of a quantity that texels stand for.
    pub(crate) fn means(&self, lookup: &TextureLookup, of: impl Fn(Vec4) -> f32 + Sync) -> Means {
        Means::new(&self.images[lookup.image as usize], &self.srgb, of)
    }
}
