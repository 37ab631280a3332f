/// Declares a struct whose fields are parameters, or an enum whose variants have parameters, together with its tables.
///
/// A field is written `name: type = default, in range, slider range, unit "…", label "…";`. The type must implement
/// [`Field`](crate::parameter::Field). `in` is the range of allowed values; booleans and textures have none, and an enum
/// that [`choices!`](crate::choices) declares has `of` its names instead. The other clauses are optional: `slider` is the range of a slider, if the allowed range is too wide for one; `unit` is the
/// unit of the value; `label` is the name for display. **The first line of a field's doc comment is the description
/// that users read**; further lines are for programmers.
///
/// ```
/// use sunfleck_scene::parameter::{Parameters, Value};
///
/// sunfleck_scene::parameters! {
///     /// The parameters of an ambient occlusion integrator.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub struct Occlusion {
///         /// Number of rays per point.
///         pub rays: u32 = 16, in 1..=1024;
///         /// Maximum distance of occluders.
///         pub reach: f32 = 1.0, in 0.0..=1e6, slider 0.0..=10.0, unit "metres";
///         /// Whether back faces occlude, too.
///         pub two_sided: bool = true;
///     }
/// }
///
/// let mut occlusion = Occlusion::DEFAULT;
/// occlusion.set("rays", Value::Integer(64))?;
/// assert_eq!((occlusion.rays, occlusion.get("two_sided")), (64, Some(Value::Boolean(true))));
/// assert!(occlusion.set("rays", Value::Integer(0)).is_err() && occlusion.set("ray", Value::Integer(1)).is_err());
/// assert_eq!(Occlusion::PARAMETERS[1].summary, "Maximum distance of occluders.");
/// # Ok::<(), sunfleck_scene::parameter::SetError>(())
/// ```
///
/// The struct gets the constants `DEFAULT` and `PARAMETERS`, and implements [`Default`] and
/// [`Parameters`](crate::parameter::Parameters). The variants of an enum are written with a name and a label,
/// `Variant = "name", "Label" { fields }`; the enum gets the constant `VARIANTS`, a table of
/// [`Variant`](crate::parameter::Variant)s, a function `name`, and implements
/// [`Parameters`](crate::parameter::Parameters) with those of the current variant. [`Surface`](crate::Surface) is an
/// example.
#[macro_export]
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(
                #[doc = $summary:literal]
                $(#[$more:meta])*
                $field_vis:vis $field:ident: $type:ty = $default:expr
                    $(, in $range:expr)? $(, of $names:expr)? $(, slider $slider:expr)? $(, unit $unit:literal)? $(, label $label:literal)?;
            )*
        }
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $(
                #[doc = $summary]
                $(#[$more])*
                $field_vis $field: $type,
            )*
        }

        impl $name {
            /// Value with every parameter at its default.
            $vis const DEFAULT: Self = Self { $($field: $default),* };

            /// Table of the parameters, in the order of the fields.
            $vis const PARAMETERS: &'static [$crate::parameter::Parameter] = &[$(
                $crate::parameters!(@row $summary, $field: $type = $default
                    $(, in $range)? $(, of $names)? $(, slider $slider)? $(, unit $unit)? $(, label $label)?)
            ),*];
        }

        impl Default for $name {
            fn default() -> Self {
                Self::DEFAULT
            }
        }

        impl $crate::parameter::Parameters for $name {
            fn parameters(&self) -> &'static [$crate::parameter::Parameter] {
                Self::PARAMETERS
            }

            fn get(&self, name: &str) -> Option<$crate::parameter::Value> {
                match name {
                    $(stringify!($field) => Some($crate::parameter::Field::to_value(self.$field)),)*
                    _ => None,
                }
            }

            fn set(
                &mut self,
                name: &str,
                value: $crate::parameter::Value,
            ) -> Result<(), $crate::parameter::SetError> {
                match name {
                    $(stringify!($field) => {
                        $crate::parameter::set_field(Self::PARAMETERS, name, &mut self.$field, value)
                    })*
                    _ => Err($crate::parameter::SetError::unknown(Self::PARAMETERS, name)),
                }
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $(
                #[doc = $variant_summary:literal]
                $(#[$variant_more:meta])*
                $variant:ident = $variant_name:literal, $variant_label:literal {
                    $(
                        #[doc = $summary:literal]
                        $(#[$more:meta])*
                        $field:ident: $type:ty = $default:expr
                            $(, in $range:expr)? $(, of $names:expr)? $(, slider $slider:expr)?
                            $(, unit $unit:literal)? $(, label $label:literal)?;
                    )*
                }
            )*
        }
    ) => {
        $(#[$meta])*
        $vis enum $name {
            $(
                #[doc = $variant_summary]
                $(#[$variant_more])*
                $variant {
                    $(
                        #[doc = $summary]
                        $(#[$more])*
                        $field: $type,
                    )*
                },
            )*
        }

        impl $name {
            /// Table of the variants, in their order.
            $vis const VARIANTS: &'static [$crate::parameter::Variant<Self>] = &[$(
                $crate::parameter::Variant {
                    name: $variant_name,
                    label: $variant_label,
                    summary: $variant_summary.trim_ascii(),
                    parameters: &[$(
                        $crate::parameters!(@row $summary, $field: $type = $default
                            $(, in $range)? $(, of $names)? $(, slider $slider)? $(, unit $unit)? $(, label $label)?)
                    ),*],
                    default: Self::$variant { $($field: $default),* },
                }
            ),*];

            /// Returns the name of the variant, as in [`Self::VARIANTS`].
            $vis const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $variant_name,)*
                }
            }
        }

        impl $crate::parameter::Parameters for $name {
            fn parameters(&self) -> &'static [$crate::parameter::Parameter] {
                Self::VARIANTS.iter().find(|row| row.name == self.name()).map_or(&[], |row| row.parameters)
            }

            fn get(&self, name: &str) -> Option<$crate::parameter::Value> {
                match self {
                    $(Self::$variant { $($field),* } => match name {
                        $(stringify!($field) => Some($crate::parameter::Field::to_value(*$field)),)*
                        _ => None,
                    },)*
                }
            }

            fn set(
                &mut self,
                name: &str,
                value: $crate::parameter::Value,
            ) -> Result<(), $crate::parameter::SetError> {
                let table = self.parameters();
                match self {
                    $(Self::$variant { $($field),* } => match name {
                        $(stringify!($field) => $crate::parameter::set_field(table, name, $field, value),)*
                        _ => Err($crate::parameter::SetError::unknown(table, name)),
                    },)*
                }
            }
        }
    };
    (
        @row $summary:literal, $field:ident: $type:ty = $default:expr
            $(, in $range:expr)? $(, of $names:expr)? $(, slider $slider:expr)? $(, unit $unit:literal)? $(, label $label:literal)?
    ) => {
        $crate::parameter::Parameter {
            name: stringify!($field),
            label: $crate::parameters!(@label $field $(, $label)?),
            kind: $crate::parameters!(@kind $type, $default $(, in $range)? $(, of $names)?),
            slider: $crate::parameters!(@slider $($slider)?),
            unit: concat!($($unit)?),
            summary: $summary.trim_ascii(),
        }
    };
    (@kind $type:ty, $default:expr, of $names:expr) => {
        $crate::parameter::Kind::Choice { names: $names, default: $default.name() }
    };
    (@kind $type:ty, $default:expr $(, in $range:expr)?) => {
        $crate::parameter::KindOf::<$type>::kind($default $(, $range)?)
    };
    (@label $field:ident) => {{
        const NAME: &str = stringify!($field);
        const BYTES: [u8; NAME.len()] = $crate::parameter::with_spaces(NAME);
        match str::from_utf8(&BYTES) {
            Ok(label) => label,
            Err(_) => NAME,
        }
    }};
    (@label $field:ident, $label:literal) => {
        $label
    };
    (@slider) => {
        None
    };
    (@slider $range:expr) => {
        Some([*$range.start(), *$range.end()])
    };
}

/// Declares an enum without fields whose variants have names: the type of a parameter that is one of several names.
/// The crate must depend on `serde`.
///
/// ```
/// sunfleck_scene::choices! {
///     /// Shape of a dot.
///     pub enum Dot {
///         /// A disk.
///         Round = "round",
///         /// A square.
///         Square = "square",
///     }
/// }
///
/// sunfleck_scene::parameters! {
///     /// The parameters of a pattern.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub struct Pattern {
///         /// Shape of the dots.
///         pub dot: Dot = Dot::Round, of Dot::NAMES;
///     }
/// }
///
/// use sunfleck_scene::parameter::Parameters;
/// let mut pattern = Pattern::DEFAULT;
/// pattern.set("dot", Pattern::PARAMETERS[0].parse("square")?)?;
/// assert_eq!(pattern.dot, Dot::Square);
/// assert!(Pattern::PARAMETERS[0].parse("triangle").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $(
                $(#[$doc:meta])*
                $variant:ident = $text:literal,
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        $vis enum $name {
            $(
                $(#[$doc])*
                #[serde(rename = $text)]
                $variant,
            )*
        }

        impl $name {
            /// Names of all variants, in their order.
            $vis const NAMES: &'static [&'static str] = &[$($text),*];

            /// Returns the name of the variant.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

        }

        impl $crate::parameter::Field for $name {
            fn to_value(self) -> $crate::parameter::Value {
                // Text that is cut within a character is up to three bytes shorter than the space
                const { $(assert!($text.len() + 4 <= $crate::parameter::CHOICE_BYTES, "the name is too long");)* }
                $crate::parameter::Value::choice(self.name())
            }

            fn from_value(value: $crate::parameter::Value) -> Option<Self> {
                let $crate::parameter::Value::Choice(name) = value else { return None };
                match name.as_str() {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}
