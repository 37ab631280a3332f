use super::{SizeMismatch, check_sizes, component_pairs};
use crate::Picture;

/// Returns the peak signal-to-noise ratio, dB, of both images clamped to [0, 1], as a display shows them without tone
/// mapping. The peak is 1. Infinite for equal images.
pub fn psnr(test: &Picture, reference: &Picture) -> Result<f64, SizeMismatch> {
    check_sizes(test, reference)?;
    let squared = |(a, b): (f64, f64)| {
        (a.clamp(0.0, 1.0) - b.clamp(0.0, 1.0)) * (a.clamp(0.0, 1.0) - b.clamp(0.0, 1.0))
    };
    let mse = component_pairs(test, reference).map(squared).sum::<f64>() / (3.0 * test.pixels().len() as f64);
    #[expect(clippy::disallowed_methods, reason = "only reported; no image depends on it")]
    let decibels = -10.0 * mse.log10();
    Ok(decibels)
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;

    #[test]
    fn a_tenth_everywhere_is_20_db() {
        let grey = |v| Picture::new(1, 1, vec![Vec3::splat(v)]).unwrap();
        assert!((psnr(&grey(0.5), &grey(0.6)).unwrap() - 20.0).abs() < 1e-4);
        assert_eq!(psnr(&grey(3.0), &grey(1.0)), Ok(f64::INFINITY));
    }
}
