use sunfleck_math::Vec4;
use sunfleck_scene::{Scene, TextureId, TextureRef};

use super::{ImageSampler, Means, SrgbTable, TextureLookup};
use crate::SurfaceAttributes;

/// All images of a scene, by dense index.
#[derive(Clone, Debug)]
pub(crate) struct TextureTable {
    pub(super) images: Vec<ImageSampler>,
    /// Sorted; the place of an id is the index of its image.
    ids: Vec<TextureId>,
    pub(super) srgb: Box<SrgbTable>,
}

impl TextureTable {
    pub(crate) fn new(scene: &Scene) -> Self {
        let (ids, images) = scene.textures().map(|(id, texture)| (id, ImageSampler::new(texture))).unzip();
        Self { images, ids, srgb: Box::new(SrgbTable::new()) }
    }

    /// `None` if there is no such texture.
    pub(crate) fn resolve(&self, reference: &TextureRef) -> Option<TextureLookup> {
        let image = self.ids.binary_search(&reference.texture).ok()?;
        Some(TextureLookup::new(reference, u32::try_from(image).ok()?))
    }

    #[inline(always)]
    pub(crate) fn sample(&self, lookup: &TextureLookup, at: &SurfaceAttributes) -> Vec4 {
        self.images[lookup.image as usize].sample(&self.srgb, lookup.uv(at))
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
