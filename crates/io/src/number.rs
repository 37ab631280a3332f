//! Numbers in text, parsed in place: meshes of scenes are long lists of them.

/// Powers of ten that are exact in double precision.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Integers up to this one are exact in double precision.
const MAX_EXACT: u64 = 1 << 53;

/// Parses the number at the beginning of a text. Returns it with its length; `None` if there is no number.
///
/// A decimal number m · 10ᵉ with m ≤ 2⁵³ and |e| ≤ 22 is one exact product or quotient of doubles, rounded once
/// [Clinger90, exact powers of ten]; the standard library parses all others. Both round to the nearest double.
#[inline]
pub(crate) fn leading_number(text: &[u8]) -> Option<(f64, usize)> {
    let is_negative = text.first() == Some(&b'-');
    let mut at = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let mut mantissa = 0u64;
    let digits_from = |mut at: usize, mantissa: &mut u64| {
        while let Some(digit @ 0..=9) = text.get(at).map(|byte| byte.wrapping_sub(b'0')) {
            *mantissa = mantissa.saturating_mul(10).saturating_add(digit.into());
            at += 1;
        }
        at
    };
    let whole = at;
    at = digits_from(at, &mut mantissa);
    let mut digits = at - whole;
    let mut exponent = 0i32;
    if text.get(at) == Some(&b'.') {
        let fraction = at + 1;
        at = digits_from(fraction, &mut mantissa);
        digits += at - fraction;
        exponent = i32::try_from(at - fraction).map_or(i32::MIN / 2, |places| -places);
    }
    if digits == 0 {
        return None;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        let sign = text.get(at + 1);
        let first = at + 1 + usize::from(matches!(sign, Some(b'-' | b'+')));
        let mut power = 0;
        let end = digits_from(first, &mut power);
        if end == first {
            return None;
        }
        let power = i32::try_from(power.min(100_000)).unwrap_or(100_000);
        exponent += if sign == Some(&b'-') { -power } else { power };
        at = end;
    }
    let scale = POWERS.get(exponent.unsigned_abs() as usize);
    let value = match scale {
        #[allow(clippy::cast_precision_loss, reason = "at most 53 bits")]
        Some(scale) if mantissa <= MAX_EXACT => {
            let magnitude = if exponent < 0 { mantissa as f64 / scale } else { mantissa as f64 * scale };
            if is_negative { -magnitude } else { magnitude }
        }
        _ => std::str::from_utf8(&text[..at]).ok()?.parse().ok()?,
    };
    Some((value, at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_end_where_they_end() {
        let cases: [(&str, Option<(f64, usize)>); 14] = [
            ("1 2", Some((1.0, 1))),
            ("-.5]", Some((-0.5, 3))),
            ("+3.", Some((3.0, 3))),
            ("1e3x", Some((1000.0, 3))),
            ("1.74846e-007 -1", Some((1.748_46e-7, 12))),
            ("-0", Some((-0.0, 2))),
            ("1e400", Some((f64::INFINITY, 5))),
            ("0e99999999999999999999", Some((0.0, 22))),
            ("", None),
            ("-", None),
            (".", None),
            ("e5", None),
            ("1e", None),
            ("nan", None),
        ];
        for (text, expected) in cases {
            assert_eq!(leading_number(text.as_bytes()), expected, "{text:?}");
        }
        assert!(leading_number(b"-0").is_some_and(|(zero, _)| zero.is_sign_negative()));
    }

    proptest! {
        #[test]
        fn the_standard_library_reads_the_same(text in r"[-+]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][-+]?[0-9]{1,3})?") {
            let expected: f64 = text.parse().unwrap();
            prop_assert_eq!(leading_number(text.as_bytes()), Some((expected, text.len())));
        }

        #[test]
        fn printed_numbers_are_read_exactly(value in any::<f32>().prop_filter("finite", |v| v.is_finite())) {
            let text = format!("{value:?}");
            #[allow(clippy::cast_possible_truncation, reason = "the number was one of single precision")]
            let found = leading_number(text.as_bytes()).map(|(read, length)| (read as f32, length));
            prop_assert_eq!(found, Some((value, text.len())));
        }
    }
}
