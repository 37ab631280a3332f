use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Texels of a [`Texture`], row by row from the top. They are shared between textures that differ only in wrap modes or
/// filter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Texels {
    /// sRGB-encoded colour with linear alpha.
    Srgb8(Arc<Vec<[u8; 4]>>),
    /// Linear values in [0, 1], multiplied by 255, such as normals and roughness.
    Linear8(Arc<Vec<[u8; 4]>>),
    /// Linear values in [0, 1], multiplied by 65535: those of images with 16 bits per channel.
    Linear16(Arc<Vec<[u16; 4]>>),
    /// Linear values without bounds, such as those of environment maps.
    Float(Arc<Vec<[f32; 4]>>),
}

impl Texels {
    /// Returns the number of texels.
    pub fn len(&self) -> usize {
        match self {
            Self::Srgb8(texels) | Self::Linear8(texels) => texels.len(),
            Self::Linear16(texels) => texels.len(),
            Self::Float(texels) => texels.len(),
        }
    }

    /// Returns the memory of the texels in bytes.
    pub fn byte_count(&self) -> usize {
        let texel = match self {
            Self::Srgb8(_) | Self::Linear8(_) => 4,
            Self::Linear16(_) => 8,
            Self::Float(_) => 16,
        };
        self.len() * texel
    }

    /// Returns whether there are no texels.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Wrap mode: the interpretation of texture coordinates outside of [0, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wrap {
    /// The image repeats.
    #[default]
    Repeat,
    /// The image repeats, and every second copy is mirrored.
    MirroredRepeat,
    /// Coordinates are clamped, so the border texels extend.
    ClampToEdge,
}

/// Filter of a texture between texel centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextureFilter {
    /// Nearest texel.
    Nearest,
    /// Bilinear interpolation.
    #[default]
    Linear,
}

/// Image with wrap modes and a filter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedTexture")]
pub struct Texture {
    name: String,
    width: u32,
    height: u32,
    texels: Texels,
    wrap: [Wrap; 2],
    filter: TextureFilter,
}

/// Error of [`Texture::new`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextureError {
    /// Width × height is not the number of texels, or is 0.
    #[error("a texture of {width} × {height} has {found} texels; it needs width × height, and at least one")]
    Size {
        /// Width in texels.
        width: u32,
        /// Height in texels.
        height: u32,
        /// Number of texels given.
        found: usize,
    },
    /// A texel is NaN or infinite.
    #[error("texel {0} is not a finite number")]
    NotFinite(usize),
}

impl Texture {
    /// Creates a repeating texture with bilinear filtering. Errors: [`TextureError`].
    pub fn new(
        name: impl Into<String>,
        width: u32,
        height: u32,
        texels: Texels,
    ) -> Result<Self, TextureError> {
        let found = texels.len();
        if found == 0 || (width as usize).checked_mul(height as usize) != Some(found) {
            return Err(TextureError::Size { width, height, found });
        }
        if let Texels::Float(values) = &texels
            && let Some(i) = values.iter().position(|t| t.iter().any(|c| !c.is_finite()))
        {
            return Err(TextureError::NotFinite(i));
        }
        let (wrap, filter) = ([Wrap::Repeat; 2], TextureFilter::Linear);
        Ok(Self { name: name.into(), width, height, texels, wrap, filter })
    }

    /// Returns the texture with other wrap modes, for u and v, and another filter.
    pub fn with_sampling(self, wrap: [Wrap; 2], filter: TextureFilter) -> Self {
        Self { wrap, filter, ..self }
    }

    /// Returns the name, which is for display only.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the width in texels, ≥ 1.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height in texels, ≥ 1.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the texels, row by row from the top.
    pub fn texels(&self) -> &Texels {
        &self.texels
    }

    /// Returns the wrap modes for u and v.
    pub fn wrap(&self) -> [Wrap; 2] {
        self.wrap
    }

    /// Returns the filter.
    pub fn filter(&self) -> TextureFilter {
        self.filter
    }
}

/// Serialised form of a [`Texture`], before its validation.
#[derive(Deserialize)]
struct UncheckedTexture {
    name: String,
    width: u32,
    height: u32,
    texels: Texels,
    wrap: [Wrap; 2],
    filter: TextureFilter,
}

impl TryFrom<UncheckedTexture> for Texture {
    type Error = TextureError;
    fn try_from(t: UncheckedTexture) -> Result<Self, TextureError> {
        Ok(Self::new(t.name, t.width, t.height, t.texels)?.with_sampling(t.wrap, t.filter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_must_match() {
        let texels = Texels::Linear8(Arc::new(vec![[0; 4]; 6]));
        assert!(Texture::new("t", 3, 2, texels.clone()).is_ok());
        assert!(Texture::new("t", 2, 2, texels).is_err());
        assert!(Texture::new("t", 0, 0, Texels::Float(Arc::default())).is_err());
        let nan = Texels::Float(Arc::new(vec![[0.0; 4], [0.0, f32::NAN, 0.0, 1.0]]));
        assert_eq!(Texture::new("t", 2, 1, nan), Err(TextureError::NotFinite(1)));
    }
}
