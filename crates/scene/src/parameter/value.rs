use std::fmt;

use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

use crate::{ColorTexture, TextureRef};

/// The value of a parameter. In JSON it is a plain value: `true`, `3`, `0.5`, `[1, 0, 0]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Boolean(bool),
    /// A whole number.
    Integer(u32),
    /// A number.
    Number(f32),
    /// A linear Rec. 709 colour.
    Color(Vec3),
    /// Two colours, between which others lie.
    Colors([Vec3; 2]),
    /// A colour with alpha, perhaps multiplied with a texture.
    TexturedColor(ColorTexture),
    /// A texture, or none.
    Texture(Option<TextureRef>),
}

impl Value {
    /// The texture that it refers to.
    pub fn texture(&self) -> Option<TextureRef> {
        match self {
            Self::TexturedColor(color) => color.texture,
            Self::Texture(texture) => *texture,
            Self::Boolean(_) | Self::Integer(_) | Self::Number(_) | Self::Color(_) | Self::Colors(_) => None,
        }
    }
}

/// As it can be typed; textures by their ids.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Boolean(boolean) => boolean.fmt(f),
            Self::Integer(integer) => integer.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Color(color) => rgb(f, color),
            Self::Colors([first, second]) => {
                rgb(f, first)?;
                f.write_str(",")?;
                rgb(f, second)
            }
            Self::TexturedColor(ColorTexture { factor, texture }) => {
                rgb(f, factor.truncate())?;
                texture.map_or(Ok(()), |texture| write!(f, " × {}", texture.texture))
            }
            Self::Texture(Some(texture)) => texture.texture.fmt(f),
            Self::Texture(None) => f.write_str("none"),
        }
    }
}

fn rgb(f: &mut fmt::Formatter<'_>, color: Vec3) -> fmt::Result {
    write!(f, "{},{},{}", color.x, color.y, color.z)
}
