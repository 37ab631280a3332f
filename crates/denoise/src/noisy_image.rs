//! The input of all denoisers.

use std::borrow::Cow;

use sunfleck_math::Vec3;

/// A noisy image and what is known about it; borrowed, row by row from the top.
///
/// Everything but the radiance is optional: an empty slice means that it is unknown. Values that are not finite count
/// as 0.
#[derive(Clone, Copy, Debug)]
pub struct NoisyImage<'a> {
    width: u32,
    height: u32,
    radiance: &'a [Vec3],
    albedo: &'a [Vec3],
    normal: &'a [Vec3],
    depth: &'a [f32],
    variance: &'a [f32],
}

/// Reason why a [`NoisyImage`] refused its data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoisyImageError {
    /// The image has no pixels.
    #[error("an image of {width}×{height} pixels has nothing to denoise")]
    Empty {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// A slice does not have one value per pixel.
    #[error("{what} of an image of {width}×{height} pixels needs one value per pixel, not {found} values")]
    Length {
        /// Name of the slice.
        what: &'static str,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Number of values.
        found: usize,
    },
}

impl<'a> NoisyImage<'a> {
    /// Borrows linear Rec.709 radiance. Errors: no pixels, or another number of values than `width * height`.
    pub fn new(width: u32, height: u32, radiance: &'a [Vec3]) -> Result<Self, NoisyImageError> {
        if width == 0 || height == 0 {
            return Err(NoisyImageError::Empty { width, height });
        }
        let image = Self { width, height, radiance, albedo: &[], normal: &[], depth: &[], variance: &[] };
        if radiance.is_empty() {
            return Err(NoisyImageError::Length { what: "the radiance", width, height, found: 0 });
        }
        image.check("the radiance", radiance.len())?;
        Ok(image)
    }

    /// Adds the albedo of the first surface, with components in [0, 1]. The background may have any, such as white.
    /// Errors: not one value per pixel, unless empty.
    pub fn with_albedo(mut self, albedo: &'a [Vec3]) -> Result<Self, NoisyImageError> {
        self.check("the albedo", albedo.len())?;
        self.albedo = albedo;
        Ok(self)
    }

    /// Adds the shading normal of the first surface in world space, at most of unit length; 0 for the background.
    /// Errors: not one value per pixel, unless empty.
    pub fn with_normal(mut self, normal: &'a [Vec3]) -> Result<Self, NoisyImageError> {
        self.check("the normal", normal.len())?;
        self.normal = normal;
        Ok(self)
    }

    /// Adds the distance of the first surface, in any unit; 0 or infinite for the background.
    /// Errors: not one value per pixel, unless empty.
    pub fn with_depth(mut self, depth: &'a [f32]) -> Result<Self, NoisyImageError> {
        self.check("the depth", depth.len())?;
        self.depth = depth;
        Ok(self)
    }

    /// Adds the variance of the luminance of the mean of each pixel's samples; 0 where it is unknown.
    /// Errors: not one value per pixel, unless empty.
    pub fn with_variance(mut self, variance: &'a [f32]) -> Result<Self, NoisyImageError> {
        self.check("the variance", variance.len())?;
        self.variance = variance;
        Ok(self)
    }

    /// Returns the same image with another radiance, such as that of half of the samples.
    /// Errors: not one value per pixel.
    pub fn with_radiance(self, radiance: &'a [Vec3]) -> Result<Self, NoisyImageError> {
        let Self { width, height, .. } = self;
        let Self { radiance, .. } = Self::new(width, height, radiance)?;
        Ok(Self { radiance, ..self })
    }

    /// Returns the width in pixels; at least 1.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height in pixels; at least 1.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the radiance; one value per pixel.
    pub fn radiance(&self) -> &'a [Vec3] {
        self.radiance
    }

    /// Returns the albedo; one value per pixel, or none.
    pub fn albedo(&self) -> &'a [Vec3] {
        self.albedo
    }

    /// Returns the shading normal; one value per pixel, or none.
    pub fn normal(&self) -> &'a [Vec3] {
        self.normal
    }

    /// Returns the depth; one value per pixel, or none.
    pub fn depth(&self) -> &'a [f32] {
        self.depth
    }

    /// Returns the variance of the luminance; one value per pixel, or none.
    pub fn variance(&self) -> &'a [f32] {
        self.variance
    }

    fn check(&self, what: &'static str, found: usize) -> Result<(), NoisyImageError> {
        let Self { width, height, .. } = *self;
        if found == 0 || found as u64 == u64::from(width) * u64::from(height) {
            return Ok(());
        }
        Err(NoisyImageError::Length { what, width, height, found })
    }
}

/// Returns `v` with its components that are not finite replaced by 0.
#[inline(always)]
pub(crate) fn finite(v: Vec3) -> Vec3 {
    v.map(|x| if x.is_finite() { x } else { 0.0 })
}

/// Returns the values with [`finite`] components; a copy only if some are not.
pub(crate) fn all_finite(values: &[Vec3]) -> Cow<'_, [Vec3]> {
    if values.iter().all(|v| v.is_finite()) {
        Cow::Borrowed(values)
    } else {
        Cow::Owned(values.iter().map(|&v| finite(v)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_checked() {
        let pixels = [Vec3::ONE; 6];
        assert_eq!(
            NoisyImage::new(0, 3, &pixels).unwrap_err(),
            NoisyImageError::Empty { width: 0, height: 3 }
        );
        assert!(NoisyImage::new(3, 2, &[]).is_err());
        assert!(NoisyImage::new(2, 2, &pixels).is_err());
        let image = NoisyImage::new(3, 2, &pixels).unwrap();
        assert!(image.with_albedo(&pixels[1..]).is_err());
        assert!(image.with_normal(&pixels).unwrap().with_depth(&[1.0; 5]).is_err());
        assert!(image.with_variance(&[]).unwrap().variance().is_empty());
        assert!(image.with_radiance(&[]).is_err());
        let message = image.with_depth(&[1.0]).unwrap_err().to_string();
        assert_eq!(message, "the depth of an image of 3×2 pixels needs one value per pixel, not 1 values");
    }

    #[test]
    fn values_that_are_not_finite_count_as_zero() {
        let values = [Vec3::new(f32::NAN, 1.0, f32::INFINITY), Vec3::ONE];
        assert_eq!(*all_finite(&values), [Vec3::Y, Vec3::ONE]);
        assert!(matches!(all_finite(&values[1..]), Cow::Borrowed(_)));
    }
}
