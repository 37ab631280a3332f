//! Colour maps that display scalar values.

use sunfleck_math::Vec3;

use crate::srgb::linear_from_srgb_rgb;

/// Every sixteenth entry of matplotlib's *magma* (S. van der Walt and N. Smith, CC0), sRGB-encoded; the last is entry
/// 255.
const MAGMA_KNOTS: [[f32; 3]; 17] = [
    [0.001462, 0.000466, 0.013866],
    [0.039608, 0.031090, 0.133515],
    [0.113094, 0.065492, 0.276784],
    [0.211718, 0.061992, 0.418647],
    [0.316654, 0.071690, 0.485380],
    [0.414709, 0.110431, 0.504662],
    [0.512831, 0.148179, 0.507648],
    [0.613617, 0.181811, 0.498536],
    [0.716387, 0.214982, 0.475290],
    [0.816914, 0.255895, 0.436461],
    [0.904281, 0.319610, 0.388137],
    [0.960949, 0.418323, 0.359630],
    [0.986700, 0.535582, 0.382210],
    [0.996096, 0.653659, 0.446213],
    [0.996898, 0.769591, 0.534892],
    [0.992440, 0.884330, 0.640099],
    [0.987053, 0.991438, 0.749504],
];

/// Returns the colour of `value`, clamped to [0, 1], in the colour map *magma*, which is perceptually uniform from
/// black through purple to pale yellow. Linear Rec.709. NaN is green, which the map does not contain.
pub fn magma(value: f32) -> Vec3 {
    if value.is_nan() {
        return Vec3::Y;
    }
    // The knots are entries 0, 16, …, 240, 255 of 256: the last interval is shorter
    let entry = value.clamp(0.0, 1.0) * 255.0;
    let knot = (0..15).rev().find(|&k| entry >= 16.0 * (k + 1) as f32).map_or(0, |k| k + 1);
    let width = if knot == 15 { 15.0 } else { 16.0 };
    let inside = (entry - 16.0 * knot as f32) / width;
    let (below, above) = (Vec3::from(MAGMA_KNOTS[knot]), Vec3::from(MAGMA_KNOTS[knot + 1]));
    linear_from_srgb_rgb(below + (above - below) * inside)
}

/// Returns the colour of a signed value: blue below zero, white at zero, red above, saturated at ±1; NaN is green.
/// Linear Rec.709.
pub fn diverging(value: f32) -> Vec3 {
    if value.is_nan() {
        return Vec3::Y;
    }
    let pale = 1.0 - value.abs().min(1.0);
    linear_from_srgb_rgb(if value < 0.0 { Vec3::new(pale, pale, 1.0) } else { Vec3::new(1.0, pale, pale) })
}

/// Knots of the colour map of [`reflection_levels`]: a level and its sRGB-encoded colour, interpolated linearly. Low
/// numbers of levels are distinguished best, since most pixels have few levels.
pub const REFLECTION_KNOTS: [(f32, [f32; 3]); 7] = [
    (0.0, [0.0, 0.0, 0.0]),
    (1.0, [0.16, 0.16, 0.62]),
    (2.0, [0.10, 0.45, 0.90]),
    (4.0, [0.10, 0.75, 0.70]),
    (8.0, [0.35, 0.80, 0.20]),
    (15.0, [0.98, 0.85, 0.15]),
    (25.0, [0.90, 0.05, 0.05]),
];

/// Returns the colour of a number of levels of reflection and refraction: black for none, red for 25 and more [Wald03,
/// Fig. 23]. Linear Rec.709; NaN is black.
pub fn reflection_levels(levels: f32) -> Vec3 {
    let ((_, mut color), mut from) = (REFLECTION_KNOTS[0], 0.0);
    for &(to, next) in &REFLECTION_KNOTS[1..] {
        let inside = ((levels - from) / (to - from)).clamp(0.0, 1.0);
        if inside > 0.0 {
            color = std::array::from_fn(|i| color[i] + (next[i] - color[i]) * inside);
        }
        from = to;
    }
    linear_from_srgb_rgb(Vec3::from(color))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::luminance;
    use crate::srgb::srgb_from_linear_rgb;

    #[test]
    fn agrees_with_matplotlib_between_the_knots() {
        // Entries of matplotlib's table, mostly halfway between two knots
        for (entry, want) in [
            (8.0, [0.013708, 0.011771, 0.068667]),
            (104.0, [0.562866, 0.165368, 0.504692]),
            (135.0, [0.761077, 0.231214, 0.460162]),
            (200.0, [0.992785, 0.594891, 0.410283]),
            (248.0, [0.989434, 0.941470, 0.697519]),
            (255.0, [0.987053, 0.991438, 0.749504]),
        ] {
            let found = srgb_from_linear_rgb(magma(entry / 255.0));
            assert!((found - Vec3::from(want)).abs().max_element() < 0.01, "entry {entry}: {found}");
        }
    }

    #[test]
    fn magma_increases_in_luminance() {
        let mut last = -1.0;
        for i in 0..=1000 {
            let y = luminance(magma(i as f32 / 1000.0));
            assert!(y > last);
            last = y;
        }
        assert_eq!(magma(7.0), magma(1.0));
        assert_eq!(magma(f32::NAN), Vec3::Y);
    }

    #[test]
    fn levels_have_the_colours_of_their_knots() {
        for (levels, color) in REFLECTION_KNOTS {
            let found = srgb_from_linear_rgb(reflection_levels(levels));
            assert!((found - Vec3::from(color)).abs().max_element() < 1e-3, "{levels}: {found}");
        }
        assert_eq!(reflection_levels(f32::NAN), Vec3::ZERO);
        assert_eq!(reflection_levels(1000.0), reflection_levels(25.0));
        let between = srgb_from_linear_rgb(reflection_levels(3.0));
        assert!((between - Vec3::new(0.10, 0.60, 0.80)).abs().max_element() < 1e-3, "{between}");
    }

    #[test]
    fn diverging_colours_have_the_sign() {
        assert_eq!(diverging(0.0), Vec3::ONE);
        assert_eq!(diverging(3.0), Vec3::X);
        assert_eq!(diverging(-1.0), Vec3::Z);
    }
}
