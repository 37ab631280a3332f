//! Numbers in attributes and in files of spectra.

/// Returns whether a character separates numbers.
pub(crate) fn is_separator(c: char) -> bool {
    c.is_ascii_whitespace() || c == ','
}

/// Parses a number that is finite in single precision.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.abs() <= f64::from(f32::MAX))
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
        for bad in ["1 x", "nan", "1e60", "inf"] {
            assert_eq!(numbers(bad), None, "{bad}");
        }
    }
}
