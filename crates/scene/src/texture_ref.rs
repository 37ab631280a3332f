use glam::Affine2;
use serde::{Deserialize, Serialize};
use sunfleck_math::{Vec3, Vec4};

use crate::TextureId;

/// A colour, perhaps multiplied with a texture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColorTexture {
    /// Linear colour and alpha.
    pub factor: Vec4,
    /// Multiplied in.
    pub texture: Option<TextureRef>,
}

impl ColorTexture {
    /// An opaque colour without a texture.
    pub const fn plain(color: Vec3) -> Self {
        Self { factor: Vec4::new(color.x, color.y, color.z, 1.0), texture: None }
    }
}

impl From<Vec3> for ColorTexture {
    fn from(color: Vec3) -> Self {
        Self::plain(color)
    }
}

/// A texture with the coordinates it is read at.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextureRef {
    /// Which image.
    pub texture: TextureId,
    /// Which texture coordinates of the mesh: 0 or 1.
    pub uv_set: u8,
    /// Applied to the mesh's coordinates first (`KHR_texture_transform`).
    pub uv_transform: Affine2,
}

impl TextureRef {
    /// Read at the mesh's first coordinates as they are.
    pub fn new(texture: TextureId) -> Self {
        Self { texture, uv_set: 0, uv_transform: Affine2::IDENTITY }
    }
}
