//! Parsers of attribute values.

use sunfleck_math::{DVec3, Vec3};

use crate::renderer::numbers::{is_separator, number, numbers};

/// Parses a truth value.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text.trim() {
        text if text.eq_ignore_ascii_case("true") => Some(true),
        text if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Parses one number for all components, or three.
pub(super) fn triple(text: &str) -> Option<DVec3> {
    match numbers(text)?[..] {
        [one] => Some(DVec3::splat(one)),
        [x, y, z] => Some(DVec3::new(x, y, z)),
        _ => None,
    }
}

/// Parses pairs `wavelength:value`.
pub(super) fn pairs(text: &str) -> Option<Vec<(f64, f64)>> {
    let words = text.split(is_separator).filter(|word| !word.is_empty());
    words
        .map(|word| word.split_once(':').and_then(|(nm, value)| Some((number(nm)?, number(value)?))))
        .collect()
}

/// Parses `#rrggbb`. Returns components in [0, 1].
#[allow(clippy::cast_precision_loss, reason = "bytes")]
pub(super) fn hexadecimal(text: &str) -> Option<Vec3> {
    let digits = text.trim().strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let code = u32::from_str_radix(digits, 16).ok()?;
    Some(Vec3::from([16, 8, 0].map(|shift| (code >> shift & 255) as f32 / 255.0)))
}

/// Converts a name of a version before 2 to the present spelling: `toWorld` to `to_world`, `intIOR` to `int_ior`.
pub(super) fn snake_case(name: &str) -> String {
    let mut result = String::with_capacity(name.len() + 4);
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && was_lower {
            result.push('_');
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        result.push(c.to_ascii_lowercase());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_or_three_numbers_pairs_and_codes() {
        assert_eq!(triple("0.5"), Some(DVec3::splat(0.5)));
        assert_eq!(triple("1, 2"), None);
        assert_eq!(pairs("400:0.5, 500:1"), Some(vec![(400.0, 0.5), (500.0, 1.0)]));
        assert_eq!(pairs("400"), None);
        assert_eq!(hexadecimal("#ff0033"), Some(Vec3::new(1.0, 0.0, 0.2)));
        assert_eq!(hexadecimal("#ff00"), None);
    }

    #[test]
    fn old_names_get_underscores() {
        let names = ["toWorld", "intIOR", "fovAxis", "specularReflectance", "uoffset", "alphaU"];
        let expected = ["to_world", "int_ior", "fov_axis", "specular_reflectance", "uoffset", "alpha_u"];
        assert_eq!(names.map(snake_case), expected);
    }
}
