use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use sunfleck_math::Vec3;

use super::Value;
use crate::{ColorTexture, TextureRef};

/// Type of a parameter, with its range and default. The range of a colour applies to each channel.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are the ends of the range and the default of each kind")]
pub enum Kind {
    /// Boolean.
    Boolean { default: bool },
    /// Unsigned integer.
    Integer { least: u32, most: u32, default: u32 },
    /// Real number.
    Number { least: f32, most: f32, default: f32 },
    /// Linear Rec. 709 colour.
    Color { least: f32, most: f32, default: Vec3 },
    /// Two colours that are the ends of a range.
    Colors { least: f32, most: f32, default: [Vec3; 2] },
    /// Colour with an optional texture, which multiplies it. The alpha is not restricted.
    TexturedColor { least: f32, most: f32, default: ColorTexture },
    /// One of several names.
    Choice { names: &'static [&'static str], default: &'static str },
    /// Optional texture; the default is none.
    Texture,
}

/// Type that fields of a parameter table can have. [`KindOf`] provides the kind of the type.
pub trait Field: Copy {
    /// Converts the field to a value.
    fn to_value(self) -> Value;

    /// Converts a value to this type; returns `None` if it is of another kind.
    fn from_value(value: Value) -> Option<Self>;
}

#[doc(hidden)]
/// Namespace of the function `kind`, which returns the [`Kind`] of a field of type `T` with its default and range. It
/// is an inherent function, since constants cannot call functions of traits.
#[derive(Clone, Copy, Debug)]
pub struct KindOf<T>(std::marker::PhantomData<T>);

macro_rules! fields {
    ($($type:ty, $kind:ident $(, $number:ty)?;)*) => { $(
        impl Field for $type {
            fn to_value(self) -> Value {
                Value::$kind(self)
            }

            fn from_value(value: Value) -> Option<Self> {
                if let Value::$kind(value) = value { Some(value) } else { None }
            }
        }

        $(impl KindOf<$type> {
            /// Returns the kind with a default and a range.
            pub const fn kind(default: $type, range: RangeInclusive<$number>) -> Kind {
                Kind::$kind { least: *range.start(), most: *range.end(), default }
            }
        })?
    )* };
}

fields! {
    bool, Boolean;
    u32, Integer, u32;
    f32, Number, f32;
    Vec3, Color, f32;
    [Vec3; 2], Colors, f32;
    ColorTexture, TexturedColor, f32;
    Option<TextureRef>, Texture;
}

impl KindOf<bool> {
    /// Returns the kind with a default.
    pub const fn kind(default: bool) -> Kind {
        Kind::Boolean { default }
    }
}

impl KindOf<Option<TextureRef>> {
    /// Returns the kind. The default must be `None`.
    pub const fn kind(default: Option<TextureRef>) -> Kind {
        assert!(default.is_none(), "a default texture is not possible, since textures belong to a scene");
        Kind::Texture
    }
}

impl Kind {
    /// Returns the default as a value.
    pub fn default_value(&self) -> Value {
        match *self {
            Self::Boolean { default } => Value::Boolean(default),
            Self::Integer { default, .. } => Value::Integer(default),
            Self::Number { default, .. } => Value::Number(default),
            Self::Color { default, .. } => Value::Color(default),
            Self::Colors { default, .. } => Value::Colors(default),
            Self::TexturedColor { default, .. } => Value::TexturedColor(default),
            Self::Choice { default, .. } => Value::choice(default),
            Self::Texture => Value::Texture(None),
        }
    }

    /// Returns the smallest and the largest number, those of a channel for colours; `None` for kinds without a range.
    pub fn range(&self) -> Option<[f64; 2]> {
        match *self {
            Self::Integer { least, most, .. } => Some([least.into(), most.into()]),
            Self::Number { least, most, .. }
            | Self::Color { least, most, .. }
            | Self::Colors { least, most, .. }
            | Self::TexturedColor { least, most, .. } => Some([least.into(), most.into()]),
            Self::Boolean { .. } | Self::Choice { .. } | Self::Texture => None,
        }
    }

    /// Returns the smallest and the largest value, `false` and `true` for booleans, the first and the last name of a
    /// choice; `None` for textures.
    pub fn ends(&self) -> Option<[Value; 2]> {
        match *self {
            Self::Boolean { .. } => Some([false, true].map(Value::Boolean)),
            Self::Integer { least, most, .. } => Some([least, most].map(Value::Integer)),
            Self::Number { least, most, .. } => Some([least, most].map(Value::Number)),
            Self::Color { least, most, .. } => Some([least, most].map(|x| Value::Color(Vec3::splat(x)))),
            Self::Colors { least, most, .. } => {
                Some([least, most].map(|x| Value::Colors([Vec3::splat(x); 2])))
            }
            Self::TexturedColor { least, most, .. } => {
                Some([least, most].map(|x| Value::TexturedColor(Vec3::splat(x).into())))
            }
            Self::Choice { names, .. } => Some([Value::choice(names.first()?), Value::choice(names.last()?)]),
            Self::Texture => None,
        }
    }

    /// Returns whether a value is of this kind and in range.
    pub(super) fn allows(&self, value: &Value) -> bool {
        let channels = |least: f32, most: f32, color: Vec3| {
            color.to_array().iter().all(|channel| (least..=most).contains(channel))
        };
        match (*self, *value) {
            (Self::Boolean { .. }, Value::Boolean(_)) | (Self::Texture, Value::Texture(_)) => true,
            (Self::Choice { names, .. }, Value::Choice(name)) => names.contains(&name.as_str()),
            (Self::Integer { least, most, .. }, Value::Integer(value)) => (least..=most).contains(&value),
            (Self::Number { least, most, .. }, Value::Number(value)) => (least..=most).contains(&value),
            (Self::Color { least, most, .. }, Value::Color(color)) => channels(least, most, color),
            (Self::Colors { least, most, .. }, Value::Colors(colors)) => {
                colors.iter().all(|&color| channels(least, most, color))
            }
            (Self::TexturedColor { least, most, .. }, Value::TexturedColor(color)) => {
                channels(least, most, color.factor.truncate())
            }
            _ => false,
        }
    }

    /// Converts between integers and whole real numbers, which JSON and scripts do not distinguish.
    pub(super) fn convert(&self, value: Value) -> Value {
        match (self, value) {
            #[expect(clippy::cast_precision_loss, reason = "rounding to the nearest number is intended")]
            (Self::Number { .. }, Value::Integer(integer)) => Value::Number(integer as f32),
            (Self::Integer { .. }, Value::Number(number)) => {
                exact_integer(number).map_or(value, Value::Integer)
            }
            _ => value,
        }
    }

    /// Parses a value without checking its range; returns `None` if it is not of this kind. Textures cannot be parsed.
    pub(super) fn parse(&self, text: &str) -> Option<Value> {
        match self {
            Self::Boolean { .. } => match text {
                "true" | "1" => Some(Value::Boolean(true)),
                "false" | "0" => Some(Value::Boolean(false)),
                _ => None,
            },
            Self::Integer { .. } => text.parse().ok().map(Value::Integer),
            Self::Number { .. } => text.parse().ok().map(Value::Number),
            Self::Color { .. } => parse_numbers(text).map(|rgb| Value::Color(Vec3::from_array(rgb))),
            Self::Colors { .. } => parse_numbers(text).map(|[a, b, c, d, e, f]| {
                Value::Colors([Vec3::from_array([a, b, c]), Vec3::from_array([d, e, f])])
            }),
            Self::TexturedColor { .. } => {
                parse_numbers(text).map(|rgb| Value::TexturedColor(Vec3::from_array(rgb).into()))
            }
            Self::Choice { .. } => Some(Value::choice(text)),
            Self::Texture => None,
        }
    }
}

/// Parses exactly `N` numbers separated by commas.
fn parse_numbers<const N: usize>(text: &str) -> Option<[f32; N]> {
    let numbers: Result<Vec<f32>, _> = text.split(',').map(|part| f32::from_str(part.trim())).collect();
    numbers.ok()?.try_into().ok()
}

/// Returns the integer that equals a number exactly, or `None`.
fn exact_integer(number: f32) -> Option<u32> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared below")]
    let integer = number as u32;
    #[expect(clippy::cast_precision_loss, reason = "the rounded integer is compared with the number")]
    let is_exact = integer as f32 == number;
    is_exact.then_some(integer)
}

/// Formats the allowed values, as in "it must be …".
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Boolean { .. } => f.write_str("true or false"),
            Self::Integer { least, most, .. } => write!(f, "a whole number from {least} to {most}"),
            Self::Number { least, most, .. } => write!(f, "a number {}", RangeText(least, most)),
            Self::Color { least, most, .. } => write!(f, "a colour, each channel {}", RangeText(least, most)),
            Self::Colors { least, most, .. } => {
                write!(f, "two colours, each channel {}", RangeText(least, most))
            }
            Self::TexturedColor { least, most, .. } => {
                write!(f, "a colour, each channel {}, which a texture may multiply", RangeText(least, most))
            }
            Self::Choice { names, .. } => match names.split_last() {
                Some((last, [])) => f.write_str(last),
                Some((last, others)) => write!(f, "{} or {last}", others.join(", ")),
                None => Ok(()),
            },
            Self::Texture => f.write_str("a texture or none"),
        }
    }
}

/// Formats a range in words, as in "a number from 0 to 1".
struct RangeText(f32, f32);

impl fmt::Display for RangeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self(f32::MIN_POSITIVE, f32::MAX) => f.write_str("above 0"),
            Self(least, f32::MAX) => write!(f, "of at least {least}"),
            Self(least, most) => write!(f, "from {least} to {most}"),
        }
    }
}
