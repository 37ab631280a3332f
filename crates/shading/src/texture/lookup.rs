use sunfleck_math::Vec2;
use sunfleck_scene::TextureRef;

use super::ImageSampler;
use crate::SurfaceAttributes;

/// A texture as one material refers to it: an image, and the affine map from a set of the mesh's texture
/// coordinates to those of the image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureLookup {
    /// Index into [`super::TextureTable`].
    pub(crate) image: u32,
    /// Whether the second set of texture coordinates is used.
    pub(super) second_set: bool,
    /// Columns of the affine map from the mesh's texture coordinates to those of the image.
    pub(super) x_axis: Vec2,
    pub(super) y_axis: Vec2,
    pub(super) translation: Vec2,
    /// Texels per unit of the mesh's texture coordinates: the square root of the number of texels in a unit square.
    pub(super) density: f32,
}

impl TextureLookup {
    pub(super) fn new(reference: &TextureRef, index: u32, image: &ImageSampler) -> Self {
        let map = &reference.uv_transform;
        let (x_axis, y_axis) = (map.matrix2.x_axis, map.matrix2.y_axis);
        let texels = image.width() as f32 * image.height() as f32;
        let density = (x_axis.perp_dot(y_axis).abs() * texels).sqrt();
        let second_set = reference.uv_set == 1;
        Self { image: index, second_set, x_axis, y_axis, translation: map.translation, density }
    }

    /// Returns the coordinates at which the image is read.
    #[inline(always)]
    pub(crate) fn uv(&self, at: &SurfaceAttributes) -> Vec2 {
        let uv = if self.second_set { at.uv1 } else { at.uv0 };
        self.x_axis * uv.x + self.y_axis * uv.y + self.translation
    }

    /// Returns the width of the footprint in texels of the image.
    #[inline(always)]
    pub(crate) fn width(&self, at: &SurfaceAttributes) -> f32 {
        let [first, second] = at.footprint;
        self.density * if self.second_set { second } else { first }
    }
}
