//! Single-precision numbers in JSON: shortest representation without loss.

use serde_json::{Number, Value};

/// Returns a number with the fewest digits that are parsed to the same value, such as `0.1` instead of
/// `0.10000000149011612`.
pub(in crate::gltf) fn number(value: f32) -> Value {
    let digits = value.to_string().parse().ok().and_then(Number::from_f64);
    // Scenes contain finite numbers only; readers would refuse null
    Value::Number(digits.unwrap_or_else(|| Number::from(0)))
}

pub(in crate::gltf) fn numbers<const N: usize>(values: [f32; N]) -> Value {
    values.into_iter().map(number).collect()
}

/// Splits a colour into a factor in [0, 1] and a strength, whose product is exactly the colour.
pub(super) fn factor_and_strength(color: [f32; 3]) -> ([f32; 3], f32) {
    let largest = color.into_iter().fold(0.0, f32::max);
    if largest <= 1.0 {
        return (color, 1.0);
    }
    // The largest component as strength is the most natural choice, and the division is often exact
    let by_largest = color.map(|c| c / largest);
    if by_largest.map(|c| c * largest) == color {
        return (by_largest, largest);
    }
    // Division by a power of two is always exact, except for denormal numbers
    let mut power = 2.0f32;
    while power < largest && power < f32::MAX / 2.0 {
        power *= 2.0;
    }
    (color.map(|c| c / power), power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_as_they_were() {
        let mut bits = 0x9E37_79B9u32;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(0x2C1B_3C6D).wrapping_add(0x297A_2D39);
            let value = f32::from_bits(bits);
            if value.is_finite() {
                let back: f32 = serde_json::from_str(&number(value).to_string()).unwrap();
                assert_eq!(back.to_bits(), value.to_bits(), "{value:e} as {}", number(value));
            }
        }
        assert_eq!(number(0.1).to_string(), "0.1");
        assert_eq!(number(-0.0).to_string(), "-0.0");
    }

    #[test]
    fn factors_times_strengths_are_exact() {
        for color in [
            [100.0, 100.0, 100.0],
            [0.3, 0.2, 1.0],
            [17.3, 11.1, 3.7],
            [1e30, 1.3, 0.1],
            [0.0; 3],
            [f32::MAX; 3],
        ] {
            let (factor, strength) = factor_and_strength(color);
            assert_eq!(factor.map(|f| f * strength), color, "{factor:?} × {strength}");
            assert!(factor.iter().all(|f| (0.0..=1.0).contains(f)), "{factor:?} is not in 0 … 1");
        }
    }
}
