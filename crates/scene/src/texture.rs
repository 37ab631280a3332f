use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The texels of a [`Texture`], row by row from the top, shared between textures that differ in sampling only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Texels {
    /// sRGB-encoded colour, linear alpha.
    Srgb8(Arc<Vec<[u8; 4]>>),
    /// Linear values / 255: normals, roughness.
    Linear8(Arc<Vec<[u8; 4]>>),
    /// Linear values: environment maps.
    Float(Arc<Vec<[f32; 4]>>),
}

impl Texels {
    /// Number of texels.
    pub fn len(&self) -> usize {
        match self {
            Self::Srgb8(texels) | Self::Linear8(texels) => texels.len(),
            Self::Float(texels) => texels.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a coordinate outside [0, 1] means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wrap {
    /// The image again.
    #[default]
    Repeat,
    /// The image mirrored every second time.
    MirroredRepeat,
    /// Its border texel.
    ClampToEdge,
}

/// How a texture is read between texel centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextureFilter {
    /// The nearest texel.
    Nearest,
    /// Bilinear.
    #[default]
    Linear,
}

/// An image with its sampling rule.
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

/// Why [`Texture::new`] refused its data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextureError {
    /// Width × height is not the number of texels, or is zero.
    #[error("a texture of {width}×{height} needs as many texels (and at least one), not {found}")]
    Size {
        /// Width in texels.
        width: u32,
        /// Height in texels.
        height: u32,
        /// Texels given.
        found: usize,
    },
    /// A texel is NaN or infinite.
    #[error("texel {0} is not a finite number")]
    NotFinite(usize),
}

impl Texture {
    /// A repeating, bilinear texture. Errors: [`TextureError`].
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

    /// The same image with other sampling; `wrap` is for u and v.
    pub fn with_sampling(self, wrap: [Wrap; 2], filter: TextureFilter) -> Self {
        Self { wrap, filter, ..self }
    }

    /// For people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Width in texels, ≥ 1.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in texels, ≥ 1.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Row by row from the top.
    pub fn texels(&self) -> &Texels {
        &self.texels
    }

    /// For u and v.
    pub fn wrap(&self) -> [Wrap; 2] {
        self.wrap
    }

    /// Between texel centres.
    pub fn filter(&self) -> TextureFilter {
        self.filter
    }
}

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
