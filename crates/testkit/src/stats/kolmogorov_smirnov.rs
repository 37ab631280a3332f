/// Kolmogorov–Smirnov test of numbers against a continuous cumulative distribution function. Returns the p-value: the
/// probability that numbers with this distribution fit as badly or worse.
///
/// Sorts `numbers`. Uses the asymptotic distribution with the small-sample correction of [Stephens70, statistic D],
/// which is accurate for about 5 numbers or more. Returns 1 for no numbers, and 0 if a number or its `cdf` is NaN.
pub fn kolmogorov_smirnov(numbers: &mut [f64], cdf: impl Fn(f64) -> f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let n = numbers.len() as f64;
    let mut farthest: f64 = 0.0;
    for (i, &x) in numbers.iter().enumerate() {
        let expected = cdf(x);
        if expected.is_nan() {
            return 0.0;
        }
        // The empirical distribution jumps here from i/n to (i + 1)/n
        farthest = farthest.max(expected - i as f64 / n).max((i + 1) as f64 / n - expected);
    }
    match numbers.is_empty() {
        true => 1.0,
        false => kolmogorov_survival((n.sqrt() + 0.12 + 0.11 / n.sqrt()) * farthest),
    }
}

/// Returns the tail probability of the Kolmogorov distribution, 2 Σ (-1)^(k-1) exp(-2 k² λ²).
fn kolmogorov_survival(lambda: f64) -> f64 {
    // Below 0.2 the series converges too slowly; its sum is 1 to all digits that matter
    if lambda < 0.2 {
        return 1.0;
    }
    let terms = (1..=100).map(|k| {
        let sign = if k % 2 == 1 { 2.0 } else { -2.0 };
        sign * (-2.0 * f64::from(k * k) * lambda * lambda).exp()
    });
    terms.sum::<f64>().clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn critical_values() {
        // Percentage points of the limiting distribution [Smirnov48]
        for (lambda, tail) in [(1.2238, 0.10), (1.3581, 0.05), (1.6276, 0.01)] {
            assert!((kolmogorov_survival(lambda) - tail).abs() < 1e-4, "{lambda}");
        }
        assert!((kolmogorov_survival(0.2) - 1.0).abs() < 1e-9, "continuous at the shortcut");
    }

    #[test]
    fn accepts_the_right_distribution_and_rejects_another() {
        let mut random = Random::new(5);
        let mut squares: Vec<f64> = (0..5_000).map(|_| random.next_f64().powi(2)).collect();
        assert!(kolmogorov_smirnov(&mut squares, f64::sqrt) > 0.01, "P(u² < x) = √x");
        assert!(kolmogorov_smirnov(&mut squares, |x| x.powf(0.46)) < 0.01, "another exponent");
    }

    #[test]
    fn degenerate_input() {
        assert_eq!(kolmogorov_smirnov(&mut [], |x| x), 1.0, "no numbers, no mismatch");
        assert_eq!(kolmogorov_smirnov(&mut [0.5, f64::NAN], |x| x), 0.0, "NaN");
    }
}
