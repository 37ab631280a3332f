use sunfleck_math::Vec2;
use sunfleck_scene::TextureRef;

use crate::SurfaceAttributes;

/// Which image, at which of the surface's coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureLookup {
    /// Index into [`super::TextureTable`].
    pub(crate) image: u32,
    pub(super) second_set: bool,
    /// Columns of the affine map from the mesh's coordinates.
    pub(super) x_axis: Vec2,
    pub(super) y_axis: Vec2,
    pub(super) translation: Vec2,
}

impl TextureLookup {
    pub(crate) fn new(reference: &TextureRef, image: u32) -> Self {
        let map = &reference.uv_transform;
        let (x_axis, y_axis) = (map.matrix2.x_axis, map.matrix2.y_axis);
        Self { image, second_set: reference.uv_set == 1, x_axis, y_axis, translation: map.translation }
    }

    /// Where the image is read.
    #[inline(always)]
    pub(crate) fn uv(&self, at: &SurfaceAttributes) -> Vec2 {
        let uv = if self.second_set { at.uv1 } else { at.uv0 };
        self.x_axis * uv.x + self.y_axis * uv.y + self.translation
    }
}
