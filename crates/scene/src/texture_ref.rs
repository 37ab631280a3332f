use glam::Affine2;
use serde::{Deserialize, Serialize};
use sunfleck_math::{Vec3, Vec4};

use crate::TextureId;

/// Colour with an optional texture, which multiplies it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColorTexture {
    /// Linear colour and alpha.
    pub factor: Vec4,
    /// Texture that multiplies the factor.
    pub texture: Option<TextureRef>,
}

impl ColorTexture {
    /// Creates an opaque colour without a texture.
    pub const fn plain(color: Vec3) -> Self {
        Self { factor: Vec4::new(color.x, color.y, color.z, 1.0), texture: None }
    }
}

impl From<Vec3> for ColorTexture {
    fn from(color: Vec3) -> Self {
        Self::plain(color)
    }
}

/// Reference to a texture, with its texture coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextureRef {
    /// Texture.
    pub texture: TextureId,
    /// Set of texture coordinates of the mesh: 0 or 1.
    pub uv_set: u8,
    /// Transform of the mesh's texture coordinates (`KHR_texture_transform`).
    pub uv_transform: Affine2,
}

impl TextureRef {
    /// Creates a reference with the first texture coordinates of the mesh, without a transform.
    pub fn new(texture: TextureId) -> Self {
        Self { texture, uv_set: 0, uv_transform: Affine2::IDENTITY }
    }
}
