use super::{SizeMismatch, check_sizes, component_pairs};
use crate::Picture;

/// Returns the mean squared error over all components, in radiance².
pub fn mse(test: &Picture, reference: &Picture) -> Result<f64, SizeMismatch> {
    check_sizes(test, reference)?;
    let sum: f64 = component_pairs(test, reference).map(|(a, b)| (a - b) * (a - b)).sum();
    Ok(sum / (3.0 * test.pixels().len() as f64))
}

/// Returns the root mean square error: the root of [`mse`], in radiance.
pub fn rmse(test: &Picture, reference: &Picture) -> Result<f64, SizeMismatch> {
    mse(test, reference).map(f64::sqrt)
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;

    #[test]
    fn by_hand() {
        let a = Picture::new(2, 1, vec![Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO]).unwrap();
        let b = Picture::new(2, 1, vec![Vec3::new(2.0, 2.0, 1.0), Vec3::new(0.0, 0.0, 1.0)]).unwrap();
        // (1 + 0 + 4 + 0 + 0 + 1) / 6
        assert_eq!(mse(&a, &b), Ok(1.0));
        assert_eq!(rmse(&a, &b), Ok(1.0));
        assert_eq!(mse(&a, &a), Ok(0.0));
        let c = Picture::new(1, 2, vec![Vec3::ZERO; 2]).unwrap();
        assert_eq!(mse(&a, &c), Err(SizeMismatch { test: (2, 1), reference: (1, 2) }));
    }

    #[test]
    fn nan_gives_nan() {
        let a = Picture::new(1, 1, vec![Vec3::ZERO]).unwrap();
        let nan = Picture::new(1, 1, vec![Vec3::NAN]).unwrap();
        assert!(mse(&nan, &a).unwrap().is_nan());
    }
}
