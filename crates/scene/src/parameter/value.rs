use std::fmt;

use arrayvec::ArrayString;
use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

use crate::{ColorTexture, TextureRef};

/// Space for the name of a choice; those that programs declare are at least four bytes shorter.
pub const CHOICE_BYTES: usize = 24;

/// Value of a parameter. In JSON it is a plain value: `true`, `3`, `0.5`, `[1, 0, 0]`, `"matrix"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Boolean.
    Boolean(bool),
    /// Unsigned integer.
    Integer(u32),
    /// Real number.
    Number(f32),
    /// Linear Rec. 709 colour.
    Color(Vec3),
    /// Two colours that are the ends of a range.
    Colors([Vec3; 2]),
    /// Colour with alpha and an optional texture, which multiplies it.
    TexturedColor(ColorTexture),
    /// One of the names of a choice.
    Choice(ArrayString<CHOICE_BYTES>),
    /// Optional texture.
    Texture(Option<TextureRef>),
}

impl Value {
    /// Returns a name. One that is too long for a choice is cut, and names none even then: see [`CHOICE_BYTES`].
    pub fn choice(name: &str) -> Self {
        let mut stored = ArrayString::new();
        let _fits = name.chars().all(|c| stored.try_push(c).is_ok());
        Self::Choice(stored)
    }

    /// Returns the texture that the value refers to, if any.
    pub fn texture(&self) -> Option<TextureRef> {
        match self {
            Self::TexturedColor(color) => color.texture,
            Self::Texture(texture) => *texture,
            Self::Boolean(_)
            | Self::Integer(_)
            | Self::Number(_)
            | Self::Color(_)
            | Self::Colors(_)
            | Self::Choice(_) => None,
        }
    }
}

/// Formats the value as [`Parameter::parse`](super::Parameter::parse) reads it; textures are formatted as their ids.
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
            Self::Choice(name) => name.fmt(f),
            Self::Texture(Some(texture)) => texture.texture.fmt(f),
            Self::Texture(None) => f.write_str("none"),
        }
    }
}

/// Formats the channels of a colour, separated by commas.
fn rgb(f: &mut fmt::Formatter<'_>, color: Vec3) -> fmt::Result {
    write!(f, "{},{},{}", color.x, color.y, color.z)
}
