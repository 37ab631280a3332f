use super::{SizeMismatch, check_sizes};
use crate::Picture;

/// Constant that is added to the divisor to avoid division by zero: an error of 0.1 in a black pixel counts as 1
/// [Rousselle11, relative MSE].
const EPSILON: f64 = 0.01;

/// Returns the relative mean squared error: the mean over all components of `(a - b)² / (b² + 0.01)`, where `b` is the
/// reference.
pub fn relmse(test: &Picture, reference: &Picture) -> Result<f64, SizeMismatch> {
    relmse_trimmed(test, reference, 0.0)
}

/// Returns [`relmse`] without the pixels of the largest errors, so that a few fireflies do not dominate it.
///
/// * `trimmed` — fraction of the pixels that is left out, in [0, 1); 0.001 is usual.
pub fn relmse_trimmed(test: &Picture, reference: &Picture, trimmed: f64) -> Result<f64, SizeMismatch> {
    check_sizes(test, reference)?;
    let mut errors: Vec<f64> = test
        .pixels()
        .iter()
        .zip(reference.pixels())
        .map(|(a, b)| {
            let (a, b) = (a.as_dvec3(), b.as_dvec3());
            ((a - b) * (a - b) / (b * b + EPSILON)).element_sum() / 3.0
        })
        .collect();
    errors.sort_unstable_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a fraction of a length")]
    let left_out = (errors.len() as f64 * trimmed.clamp(0.0, 1.0)) as usize;
    let kept = &errors[..(errors.len() - left_out).max(1)];
    Ok(kept.iter().sum::<f64>() / kept.len() as f64)
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;

    #[test]
    fn by_hand() {
        let a = Picture::new(2, 1, vec![Vec3::splat(3.0), Vec3::splat(0.1)]).unwrap();
        let b = Picture::new(2, 1, vec![Vec3::splat(1.0), Vec3::ZERO]).unwrap();
        // 4 / 1.01 and 0.01 / 0.01
        let want = 0.5 * (4.0 / 1.01 + 1.0);
        assert!((relmse(&a, &b).unwrap() - want).abs() < 1e-6);
        assert!((relmse_trimmed(&a, &b, 0.5).unwrap() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_firefly_is_trimmed() {
        let clean = Picture::new(100, 10, vec![Vec3::ONE; 1000]).unwrap();
        let mut noisy = clean.clone();
        noisy.pixels_mut()[77] = Vec3::splat(1e4);
        assert!(relmse(&noisy, &clean).unwrap() > 1e4);
        assert_eq!(relmse_trimmed(&noisy, &clean, 0.001), Ok(0.0));
    }
}
