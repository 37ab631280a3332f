use sunfleck_math::Vec3;

use super::{SizeMismatch, check_sizes};
use crate::Picture;
use crate::color::luminance;
use crate::false_color::{diverging, magma};

/// Luminance that is added to divisors, which keeps relative errors small where the reference is almost black.
const DARK: f32 = 0.01;

/// Returns the relative error of each pixel, `Σ|a - b| / (Σ b + 0.03)` over the channels, in the colours of [`magma`].
///
/// * `full_scale` — error that has the brightest colour.
pub fn difference_picture(
    test: &Picture,
    reference: &Picture,
    full_scale: f32,
) -> Result<Picture, SizeMismatch> {
    check_sizes(test, reference)?;
    Ok(pairwise(test, reference, |a, b| {
        let error = (a - b).abs().element_sum() / (b.element_sum() + 3.0 * DARK);
        magma(error / full_scale)
    }))
}

/// Returns the relative difference of luminance, `(Yₐ - Y_b) / (Y_b + 0.01)`, in the colours of [`diverging`]: blue
/// where the image is too dark, red where it is too bright.
///
/// * `full_scale` — difference that has a saturated colour.
pub fn signed_difference_picture(
    test: &Picture,
    reference: &Picture,
    full_scale: f32,
) -> Result<Picture, SizeMismatch> {
    check_sizes(test, reference)?;
    Ok(pairwise(test, reference, |a, b| {
        let (a, b) = (luminance(a), luminance(b));
        diverging((a - b) / (b + DARK) / full_scale)
    }))
}

/// Returns the image whose pixels are `color` of the pixels of both images.
fn pairwise(test: &Picture, reference: &Picture, color: impl Fn(Vec3, Vec3) -> Vec3) -> Picture {
    let mut reference = reference.pixels().iter();
    test.map(|a| reference.next().map_or(a, |&b| color(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_colours_of_magma() {
        let grey = |v| Picture::new(1, 1, vec![Vec3::splat(v)]).unwrap();
        let shown = |a, b| difference_picture(&grey(a), &grey(b), 0.5).unwrap().pixel(0, 0);
        assert_eq!(shown(1.0, 1.0), magma(0.0));
        assert_eq!(shown(2.0, 1.0), magma(1.0));
        assert!((shown(1.2525, 1.0) - magma(0.5 * 0.99 + 0.005)).length() < 0.02);
    }

    #[test]
    fn signed_differences_have_diverging_colours() {
        let grey = |v| Picture::new(1, 1, vec![Vec3::splat(v)]).unwrap();
        let shown = |a, b| signed_difference_picture(&grey(a), &grey(b), 0.5).unwrap().pixel(0, 0);
        assert_eq!(shown(1.0, 1.0), Vec3::ONE);
        assert_eq!(shown(9.0, 1.0), Vec3::X);
        assert_eq!(shown(0.1, 1.0), Vec3::Z);
    }
}
