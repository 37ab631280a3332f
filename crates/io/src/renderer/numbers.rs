//! Numbers in attributes and in files of spectra.

use crate::number::leading_number;

/// Returns whether a character separates numbers.
pub(crate) fn is_separator(c: char) -> bool {
    c.is_ascii_whitespace() || c == ','
}

/// Parses a number that is finite in single precision.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim().as_bytes();
    let (number, length) = leading_number(text)?;
    (length == text.len() && number.abs() <= f64::from(f32::MAX)).then_some(number)
}

/// Parses numbers that are separated by commas or white space. Returns `None` if one is not a number.
pub(crate) fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split(is_separator).filter(|word| !word.is_empty()).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_or_spaces_between_them() {
        assert_eq!(numbers(" 0,-5, 1e1  2"), Some(vec![0.0, -5.0, 10.0, 2.0]));
        for bad in ["1 x", "nan", "1e60", "inf", "1e"] {
            assert_eq!(numbers(bad), None, "{bad}");
        }
    }
}
