//! Luminance of linear Rec.709 colours, and conversion to CIE XYZ.

use sunfleck_math::Vec3;

/// Relative luminance of red, green and blue of Rec.709 [BT709, item 3.2].
pub const LUMINANCE: [f32; 3] = [0.2126, 0.7152, 0.0722];

/// Returns the relative luminance of linear Rec.709 RGB.
#[inline(always)]
pub fn luminance(rgb: Vec3) -> f32 {
    LUMINANCE[0] * rgb.x + LUMINANCE[1] * rgb.y + LUMINANCE[2] * rgb.z
}

/// Converts linear Rec.709 RGB to CIE XYZ (Y of the D65 white is 1) with the matrix of sRGB to seven digits
/// [IEC61966-2-1, matrix].
#[inline]
pub fn xyz_from_rec709(rgb: Vec3) -> Vec3 {
    Vec3::new(
        0.412_456_4 * rgb.x + 0.357_576_1 * rgb.y + 0.180_437_5 * rgb.z,
        0.212_672_9 * rgb.x + 0.715_152_2 * rgb.y + 0.072_175 * rgb.z,
        0.019_333_9 * rgb.x + 0.119_192 * rgb.y + 0.950_304_1 * rgb.z,
    )
}

/// Converts CIE XYZ to linear Rec.709 RGB: the inverse of [`xyz_from_rec709`]. Colours outside the gamut have negative
/// components.
#[inline]
pub fn rec709_from_xyz(xyz: Vec3) -> Vec3 {
    Vec3::new(
        3.240_454_2 * xyz.x - 1.537_138_5 * xyz.y - 0.498_531_4 * xyz.z,
        -0.969_266 * xyz.x + 1.876_010_8 * xyz.y + 0.041_556 * xyz.z,
        0.055_643_4 * xyz.x - 0.204_025_9 * xyz.y + 1.057_225_2 * xyz.z,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_is_d65() {
        // CIE 1931 2°: x = 0.3127, y = 0.3290.
        let white = xyz_from_rec709(Vec3::ONE);
        let sum = white.x + white.y + white.z;
        assert!((white.x / sum - 0.3127).abs() < 1e-4);
        assert!((white.y / sum - 0.3290).abs() < 1e-4);
        assert!((white.y - 1.0).abs() < 1e-5);
    }

    #[test]
    fn xyz_round_trips_and_contains_luminance() {
        for rgb in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.2, 3.0, 0.7)] {
            assert!((rec709_from_xyz(xyz_from_rec709(rgb)) - rgb).abs().max_element() < 1e-5);
            assert!((xyz_from_rec709(rgb).y - luminance(rgb)).abs() < 2e-4 * rgb.max_element());
        }
    }
}
