//! Weights of multiple importance sampling with two strategies [Veach95, balance and power heuristic].
//!
//! Both arguments are densities of the same sample in the same measure. They are not negative, and at most one of them
//! is infinite. The weights of the two strategies sum to 1 wherever a density is positive.

/// Returns the weight of a sample by the balance heuristic.
///
/// * `pdf` — density of the sample with the strategy that drew it.
/// * `other` — its density with the other strategy.
#[inline(always)]
pub fn balance(pdf: f32, other: f32) -> f32 {
    let weight = 1.0 / (1.0 + other / pdf);
    if pdf > 0.0 { weight } else { 0.0 }
}

/// Returns the weight of a sample by the power heuristic with β = 2, for the arguments of [`balance`].
///
/// It has less variance than the balance heuristic where one strategy is much better. It is computed from the ratio of
/// the densities, since their squares could overflow.
#[inline(always)]
pub fn power(pdf: f32, other: f32) -> f32 {
    let ratio = other / pdf;
    let weight = 1.0 / (1.0 + ratio * ratio);
    if pdf > 0.0 { weight } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn simple_ratios() {
        assert_eq!((balance(1.0, 3.0), balance(3.0, 1.0)), (0.25, 0.75), "balance heuristic of 1 : 3");
        assert_eq!((power(1.0, 3.0), power(3.0, 1.0)), (0.1, 0.9), "power heuristic of 1 : 3");
    }

    #[test]
    fn extreme_densities() {
        for heuristic in [balance, power] {
            assert_eq!(heuristic(0.0, 0.0), 0.0, "impossible for both strategies");
            assert_eq!(heuristic(0.0, 1.0), 0.0, "impossible for this strategy");
            assert_eq!(heuristic(1.0, 0.0), 1.0, "impossible for the other strategy");
            assert_eq!(heuristic(f32::MAX, f32::MAX), 0.5, "no overflow");
            assert_eq!(heuristic(1e-30, 1e-30), 0.5, "no underflow");
            assert_eq!(heuristic(1.0, f32::INFINITY), 0.0, "infinite density of the other strategy");
            assert_eq!(heuristic(f32::INFINITY, 1.0), 1.0, "infinite density");
        }
    }

    proptest! {
        #[test]
        fn weights_sum_to_one(a in 1e-20f32..1e20, b in 1e-20f32..1e20) {
            for heuristic in [balance, power] {
                prop_assert!((heuristic(a, b) + heuristic(b, a) - 1.0).abs() < 1e-6, "{a}, {b}");
            }
            prop_assert!((power(a, b) >= balance(a, b)) == (a >= b) || (a - b).abs() < 1e-5 * a, "power is steeper");
        }
    }
}
