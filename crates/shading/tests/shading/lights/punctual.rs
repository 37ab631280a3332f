//! Point, directional and spot lights.

use std::f64::consts::PI;

use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{LightKind, SpotFalloff};

use super::{assert_close, fixed_sample, with_light};

#[test]
fn point_light_falls_with_the_square_of_the_distance() {
    let lit = with_light(LightKind::Point, Affine3::from_translation(vec3(1.0, 2.0, 2.0)));
    let sample = fixed_sample(&lit, Vec3::ZERO).expect("light");
    assert!(sample.delta);
    assert_eq!(sample.pdf_solid_angle, 1.0, "the only light");
    assert_eq!(sample.distance, 3.0);
    assert!((sample.wi - vec3(1.0, 2.0, 2.0) / 3.0).length() < 1e-6);
    assert!((sample.radiance - vec3(6.0, 4.0, 2.0) / 9.0).length() < 1e-6);
    assert!(fixed_sample(&lit, vec3(1.0, 2.0, 2.0)).is_none(), "at the light itself");
}

#[test]
fn directional_light_has_no_distance() {
    // Rotated to point along −y, and scaled, which has no effect
    let rotated = Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y * 5.0, vec3(7.0, 7.0, 7.0));
    let lit = with_light(LightKind::Directional, rotated);
    for from in [Vec3::ZERO, vec3(50.0, -3.0, 0.0)] {
        let sample = fixed_sample(&lit, from).expect("light");
        assert_eq!(sample.wi, Vec3::Y);
        assert_eq!(sample.distance, f32::INFINITY);
        assert_eq!(sample.radiance, vec3(6.0, 4.0, 2.0));
        assert!(sample.delta);
    }
}

#[test]
fn spot_light_fades_between_its_angles() {
    let (inner, outer) = (0.3f32, 0.6f32);
    let lit = with_light(
        LightKind::Spot { inner_radians: inner, outer_radians: outer, falloff: SpotFalloff::default() },
        Affine3::IDENTITY,
    );
    let red = |angle: f64| {
        let from = vec3(angle.sin() as f32, 0.0, -angle.cos() as f32) * 2.0;
        f64::from(fixed_sample(&lit, from).map_or(0.0, |s| s.radiance.x))
    };
    assert_close(red(0.0), 6.0 / 4.0, 1e-6);
    assert_close(red(0.29), 6.0 / 4.0, 1e-6);
    assert_eq!(red(0.61), 0.0);
    assert_eq!(red(PI), 0.0, "no light behind");
    // Halfway in cosine, a quarter of the intensity (KHR_lights_punctual)
    let half = (0.5 * (f64::from(inner).cos() + f64::from(outer).cos())).acos();
    assert_close(red(half), 6.0 / 4.0 / 4.0, 1e-4);
    // A narrow spot light is equally bright on its axis
    let narrow = LightKind::Spot { inner_radians: 0.0, outer_radians: 0.02, falloff: SpotFalloff::default() };
    let sample = fixed_sample(&with_light(narrow, Affine3::IDENTITY), Vec3::NEG_Z).expect("light");
    assert!((sample.radiance.x - 6.0).abs() < 1e-3, "{sample:?}");
}

/// Intensities of the spot of `mitsuba` 3.9.1 with a cutoff angle of 40° and a beam of 15°, at angles in radians.
#[test]
fn the_linear_falloff_is_that_of_mitsuba() {
    let [inner_radians, outer_radians] = [15f32, 40.0].map(f32::to_radians);
    let kind = LightKind::Spot { inner_radians, outer_radians, falloff: SpotFalloff::Linear };
    let lit = with_light(kind, Affine3::IDENTITY);
    for (angle, expected) in
        [(0.2, 1.0), (0.3, 0.912_451), (0.5, 0.454_084), (0.6, 0.224_901), (0.69, 0.018_636), (0.7, 0.0)]
    {
        let angle: f64 = angle;
        let from = vec3(angle.sin() as f32, 0.0, -angle.cos() as f32);
        let found = fixed_sample(&lit, from).map_or(0.0, |sample| f64::from(sample.radiance.x) / 6.0);
        assert!((found - expected).abs() < 1e-5, "{angle}: {found} {expected}");
    }
}
