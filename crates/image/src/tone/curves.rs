//! The tone curves, for nonnegative linear Rec.709 up to 10⁶. The caller clamps the result to [0, 1].

use sunfleck_math::{Mat3, Vec3, log2, pow, vec3};

use crate::color::luminance;

/// Luminance that [`reinhard`] maps to white.
const REINHARD_WHITE: f32 = 4.0;

/// Applies the extended operator to luminance, which keeps hue and saturation [Reinhard02, Eq. 4].
pub(super) fn reinhard(c: Vec3) -> Vec3 {
    let l = luminance(c);
    c * ((1.0 + l / (REINHARD_WHITE * REINHARD_WHITE)) / (1.0 + l))
}

/// Applies `f(2x) / f(11.2)` to each component, with the constants and the exposure bias 2 of the talk [Hable10, filmic
/// tone mapping].
pub(super) fn filmic(c: Vec3) -> Vec3 {
    // Shoulder strength, linear strength and angle, toe strength, numerator and denominator
    const A: f32 = 0.15;
    const B: f32 = 0.50;
    const C: f32 = 0.10;
    const D: f32 = 0.20;
    const E: f32 = 0.02;
    const F: f32 = 0.30;
    let curve = |x: f32| ((x * (A * x + C * B) + D * E) / (x * (A * x + B) + D * F)) - E / F;
    let white = curve(11.2);
    vec3(curve(2.0 * c.x), curve(2.0 * c.y), curve(2.0 * c.z)) / white
}

/// Applies Hill's fit: transforms to AP1 with the RRT's desaturation, applies one rational curve for RRT and ODT, and
/// transforms back.
///
/// Source: S. Hill in `ACES.hlsl` of MJP's *Baking Lab* (MIT). By design, middle grey becomes darker.
pub(super) fn aces(c: Vec3) -> Vec3 {
    let curve_from_rec709 = Mat3::from_cols(
        vec3(0.59719, 0.07600, 0.02840),
        vec3(0.35458, 0.90834, 0.13383),
        vec3(0.04823, 0.01566, 0.83777),
    );
    let rec709_from_curve = Mat3::from_cols(
        vec3(1.60475, -0.10208, -0.00327),
        vec3(-0.53108, 1.10813, -0.07276),
        vec3(-0.07367, -0.00605, 1.07602),
    );
    let v = curve_from_rec709 * c;
    let fitted = (v * (v + 0.024_578_6) - 0.000_090_537) / (v * (0.983_729 * v + 0.432_951) + 0.238_081);
    rec709_from_curve * fitted
}

/// Applies `AgX`: inset in Rec.2020, log₂ over 16.5 stops around middle grey, a sigmoid, outset, and back to linear.
///
/// Matrices and range are those of Blender 4, as published by T. Sobotka and in Filament; the sigmoid is Wrensch's
/// polynomial of degree 6 (error below 0.4 %).
pub(super) fn agx(c: Vec3) -> Vec3 {
    const MIN_EV: f32 = -12.473_93;
    const MAX_EV: f32 = 4.026_069;
    let rec2020_from_rec709 = Mat3::from_cols(
        vec3(0.6274, 0.0691, 0.0164),
        vec3(0.3293, 0.9195, 0.0880),
        vec3(0.0433, 0.0113, 0.8956),
    );
    let rec709_from_rec2020 = Mat3::from_cols(
        vec3(1.6605, -0.1246, -0.0182),
        vec3(-0.5876, 1.1329, -0.1006),
        vec3(-0.0728, -0.0083, 1.1187),
    );
    let inset = Mat3::from_cols(
        vec3(0.856_627_15, 0.137_318_97, 0.111_898_21),
        vec3(0.095_121_24, 0.761_242, 0.076_799_42),
        vec3(0.048_251_606, 0.101_439_04, 0.811_302_37),
    );
    let outset = Mat3::from_cols(
        vec3(1.127_100_6, -0.141_329_76, -0.141_329_76),
        vec3(-0.110_606_64, 1.157_823_7, -0.110_606_64),
        vec3(-0.016_493_939, -0.016_493_939, 1.251_936_4),
    );
    let sigmoid = |x: f32| {
        // Clamped, since the polynomial is slightly negative at 0
        let x2 = x * x;
        let x4 = x2 * x2;
        let y = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x
            - 0.00232;
        y.max(0.0)
    };
    let encode = |x: f32| sigmoid(((log2(x.max(1e-10)) - MIN_EV) / (MAX_EV - MIN_EV)).clamp(0.0, 1.0));
    let scene = inset * (rec2020_from_rec709 * c);
    let display = outset * vec3(encode(scene.x), encode(scene.y), encode(scene.z));
    let linear = |x: f32| pow(x.max(0.0), 2.2);
    rec709_from_rec2020 * vec3(linear(display.x), linear(display.y), linear(display.z))
}

/// Subtracts the Fresnel reflection of 4 %, and compresses and desaturates only peaks above 0.76 [Khronos24,
/// specification].
#[inline]
pub(super) fn pbr_neutral(c: Vec3) -> Vec3 {
    const START: f32 = 0.8 - 0.04;
    const DESATURATION: f32 = 0.15;
    let darkest = c.min_element();
    let fresnel = if darkest < 0.08 { darkest - 6.25 * darkest * darkest } else { 0.04 };
    let c = c - fresnel;
    let peak = c.max_element();
    if peak < START {
        return c;
    }
    let headroom = 1.0 - START;
    let new_peak = 1.0 - headroom * headroom / (peak + headroom - START);
    let compressed = c * (new_peak / peak);
    let white_share = 1.0 - 1.0 / (DESATURATION * (peak - new_peak) + 1.0);
    compressed.lerp(Vec3::splat(new_peak), white_share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reinhard_maps_its_white_to_one() {
        assert!((reinhard(Vec3::splat(REINHARD_WHITE)).y - 1.0).abs() < 1e-6);
        // 1/2 without the white term; (1 + 1/16) / 2 with it
        assert!((reinhard(Vec3::ONE).y - 0.53125).abs() < 1e-6);
    }

    #[test]
    fn filmic_maps_its_white_to_one() {
        assert!((filmic(Vec3::splat(5.6)).y - 1.0).abs() < 1e-6);
    }

    #[test]
    fn pbr_neutral_only_subtracts_the_fresnel_reflection_from_base_colours() {
        for c in [Vec3::new(0.1, 0.5, 0.79), Vec3::splat(0.18), Vec3::new(0.7, 0.08, 0.3)] {
            assert!((pbr_neutral(c) - (c - 0.04)).abs().max_element() < 1e-6, "{c}");
        }
        // A saturated colour has no white reflection
        assert_eq!(pbr_neutral(Vec3::new(0.7, 0.0, 0.0)), Vec3::new(0.7, 0.0, 0.0));
        // Very bright colours become white: at 10⁶ the peak is 1 and the share of white 1 - 1/(0.15 · 10⁶ + 1)
        assert!(pbr_neutral(Vec3::new(1e6, 0.0, 0.0)).min_element() > 0.99);
    }

    #[test]
    fn matrices_keep_white() {
        // ACES keeps greys, since the rows of both matrices sum to 1; AgX maps middle grey 0.18 to about 0.18
        let grey = aces(Vec3::splat(0.5));
        assert!(grey.max_element() - grey.min_element() < 1e-3, "{grey}");
        let mid = agx(Vec3::splat(0.18));
        assert!((mid.y - 0.18).abs() < 0.05, "{mid}");
    }
}
