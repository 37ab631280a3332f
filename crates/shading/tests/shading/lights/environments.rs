//! Environments: constant, and maps.

use std::f64::consts::PI;
use std::sync::Arc;

use sunfleck_math::{Vec2, Vec3, vec3};
use sunfleck_scene::{Environment, Scene, Texels, Texture, TextureFilter};
use sunfleck_shading::LightSample;
use sunfleck_testkit::{Random, Uniforms, chi2};

use super::{assert_close, with_environment};

#[test]
fn constant_environment_lights_a_plane_with_pi_times_its_radiance() {
    let lit = with_environment(|_| Environment::Constant { radiance: vec3(0.5, 1.0, 2.0) });
    assert_close(lit.irradiance(Vec3::ZERO, Vec3::Y, 400_000), 0.5 * PI, 1e-2);
    assert_eq!(lit.lights.environment_radiance(Vec3::X), vec3(0.5, 1.0, 2.0));
    assert_close(f64::from(lit.lights.pdf_environment(Vec3::X, false)), 0.5 / PI, 1e-6);
}

/// Adds a map of 16 × 8 texels, black except for four, one of them at a pole and one at the seam.
fn spotted_map(scene: &mut Scene, filter: TextureFilter) -> Environment {
    let mut texels = vec![[0.0, 0.0, 0.0, 1.0]; 16 * 8];
    for (column, row, value) in [(3, 2, 5.0), (15, 4, 20.0), (8, 0, 3.0), (9, 6, 1.0)] {
        texels[row * 16 + column] = [value, 0.5 * value, 0.0, 1.0];
    }
    let texture = Texture::new("spots", 16, 8, Texels::Float(Arc::new(texels))).unwrap();
    let wrap = texture.wrap();
    let texture = scene.add_texture(texture.with_sampling(wrap, filter)).unwrap();
    Environment::Map { texture, rotation_y_radians: 0.7, scale: vec3(1.0, 2.0, 1.0), rows_at_poles: false }
}

#[test]
fn environment_maps_are_sampled_by_their_luminance() {
    for filter in [TextureFilter::Nearest, TextureFilter::Linear] {
        let lit = with_environment(|scene| spotted_map(scene, filter));
        let sample = |u: (f32, Vec2)| lit.sample(Vec3::ZERO, u).map(|s| s.wi);
        // A sample of a black point in the area of a bright texel is not valid
        let pdf = |wi| {
            let dark = lit.lights.environment_radiance(wi) == Vec3::ZERO;
            if dark { 0.0 } else { lit.lights.pdf_environment(wi, false) }
        };
        chi2::sphere(sample, pdf).cells(128, 64).samples(300_000).tests(2).check(&format!("{filter:?}"));

        let mut random = Random::new(3);
        for _ in 0..5000 {
            let Some(sample) = lit.sample(Vec3::ZERO, Uniforms::draw(&mut random)) else { continue };
            let radiance = lit.lights.environment_radiance(sample.wi);
            let pdf = lit.lights.pdf_environment(sample.wi, false);
            // Rounding may move the direction across the edge of a texel
            let same = (radiance - sample.radiance).length() < 2e-3 * (1.0 + radiance.length())
                && (pdf / sample.pdf_solid_angle - 1.0).abs() < 2e-3;
            let [column, row] = texel_of(sample.wi);
            let on_edge = [column, row].iter().any(|x| (x - x.round()).abs() < 1e-3);
            assert!(same || on_edge, "{filter:?}: {sample:?}, {radiance}, {pdf}");
            assert!(sample.distance == f32::INFINITY && !sample.delta);
        }
        // Sampling can find every direction from which light arrives
        for _ in 0..20_000 {
            let direction = (Vec3::draw(&mut random) * 2.0 - 1.0).normalize_or(Vec3::Y);
            let dark = lit.lights.environment_radiance(direction) == Vec3::ZERO;
            assert!(dark || lit.lights.pdf_environment(direction, false) > 0.0, "{filter:?}: {direction}");
        }
    }
}

/// Returns column and row of a direction in the spotted map, with fractions, by the definition of the mapping.
fn texel_of(direction: Vec3) -> [f64; 2] {
    let d = direction.as_dvec3();
    // The map is rotated by 0.7 counter-clockwise seen from above
    let azimuth = d.x.atan2(-d.z) + 0.7;
    [(0.5 + azimuth / (2.0 * PI)).rem_euclid(1.0) * 16.0, d.y.acos() / PI * 8.0]
}

#[test]
fn environment_maps_are_placed_as_documented() {
    let lit = with_environment(|scene| spotted_map(scene, TextureFilter::Nearest));
    let mut random = Random::new(9);
    let spots = [((3, 2), 5.0), ((15, 4), 20.0), ((8, 0), 3.0), ((9, 6), 1.0)];
    for _ in 0..20_000 {
        let direction = (Vec3::draw(&mut random) * 2.0 - 1.0).normalize_or(Vec3::Y);
        let [column, row] = texel_of(direction);
        if [column, row].iter().any(|x| (x - x.round()).abs() < 1e-3) {
            continue;
        }
        let texel = (column as u32, row as u32);
        let value = spots.iter().find(|(at, _)| *at == texel).map_or(0.0, |(_, value)| *value);
        // Scaled by 1, 2, 1
        assert_eq!(lit.lights.environment_radiance(direction), vec3(value, value, 0.0), "{direction}");
    }
}

/// Bilinear interpolation of rows at angles πr / (height − 1), and the density of its samples.
#[test]
fn environment_maps_may_have_rows_at_the_poles() {
    const SIZE: [usize; 2] = [16, 5];
    let value =
        |column: usize, row: usize| f64::from(u32::from(column == 3)) * 4.0 + [3.0, 0.0, 1.0, 0.5, 7.0][row];
    let lit = with_environment(|scene| {
        let texels = (0..SIZE[0] * SIZE[1]).map(|i| [value(i % SIZE[0], i / SIZE[0]) as f32, 0.0, 0.0, 1.0]);
        let texels = Texels::Float(Arc::new(texels.collect()));
        let texture = scene.add_texture(Texture::new("map", 16, 5, texels).unwrap()).unwrap();
        Environment::Map { texture, rotation_y_radians: 0.7, scale: Vec3::ONE, rows_at_poles: true }
    });
    let mut random = Random::new(9);
    for _ in 0..5000 {
        let direction = (Vec3::draw(&mut random) * 2.0 - 1.0).normalize_or(Vec3::Y);
        let column = texel_of(direction)[0] - 0.5;
        let row = f64::from(direction.y).acos() / PI * 4.0;
        let (left, top) = (column.floor(), row.floor().min(3.0));
        let mut expected = 0.0;
        for (dx, wx) in [(0, 1.0 - (column - left)), (1, column - left)] {
            for (dy, wy) in [(0, 1.0 - (row - top)), (1, row - top)] {
                expected += wx * wy * value(((left + 16.0) as usize + dx) % 16, top as usize + dy);
            }
        }
        let found = f64::from(lit.lights.environment_radiance(direction).x);
        assert!((found - expected).abs() < 1e-4, "{direction}: {found} {expected}");
    }
    for pole in [Vec3::Y, Vec3::NEG_Y] {
        let row = if pole.y > 0.0 { 0 } else { 4 };
        let found = f64::from(lit.lights.environment_radiance(pole).x);
        assert!((value(0, row)..=value(3, row)).contains(&found), "{found}");
    }
    let sample = |u: (f32, Vec2)| lit.sample(Vec3::ZERO, u).map(|s| s.wi);
    let pdf = |wi| {
        if lit.lights.environment_radiance(wi) == Vec3::ZERO {
            0.0
        } else {
            lit.lights.pdf_environment(wi, false)
        }
    };
    chi2::sphere(sample, pdf).cells(128, 64).samples(300_000).tests(1).check("rows at the poles");
}

#[test]
fn environment_map_irradiance() {
    // The upper hemisphere emits 1: π from above, half of that from the side
    let lit = with_environment(|scene| {
        let texels = (0..32 * 16).map(|i| if i < 32 * 8 { [1.0; 4] } else { [0.0, 0.0, 0.0, 1.0] }).collect();
        let texture = Texture::new("dome", 32, 16, Texels::Float(Arc::new(texels))).unwrap();
        let wrap = texture.wrap();
        let texture = scene.add_texture(texture.with_sampling(wrap, TextureFilter::Nearest)).unwrap();
        Environment::Map { texture, rotation_y_radians: 0.0, scale: Vec3::ONE, rows_at_poles: false }
    });
    assert_close(lit.irradiance(Vec3::ZERO, Vec3::Y, 200_000), PI, 1e-2);
    assert_close(lit.irradiance(Vec3::ZERO, Vec3::X, 200_000), 0.5 * PI, 1e-2);
}

#[test]
fn large_maps_are_sampled_by_a_coarser_density() {
    // 2500 x 1300 texels, a size that is no multiple of that of the density, with a sun of a few texels
    let (width, height) = (2500u32, 1300u32);
    let sun = |x: u32, y: u32| (x.abs_diff(1801) < 4 && y.abs_diff(337) < 4) || (x == 17 && y == 900);
    let texel = |i: u32| [if sun(i % width, i / width) { 4000.0 } else { 0.25 }, 0.5, 0.5, 1.0];
    let texels: Vec<[f32; 4]> = (0..width * height).map(texel).collect();
    let lit = with_environment(|scene| {
        let texture = Texture::new("sun", width, height, Texels::Float(Arc::new(texels.clone()))).unwrap();
        let texture = scene.add_texture(texture).unwrap();
        Environment::Map { texture, rotation_y_radians: 0.3, scale: Vec3::ONE, rows_at_poles: false }
    });
    let irradiance = |texel: &dyn Fn(u32) -> f64| -> f64 {
        let row = |y: u32| {
            let theta = (f64::from(y) + 0.5) / f64::from(height) * PI;
            let sum: f64 = (0..width).map(|x| texel(y * width + x)).sum();
            sum * theta.sin() * theta.cos()
        };
        (0..height / 2).map(row).sum::<f64>() * 2.0 * PI.powi(2) / f64::from(width * height)
    };
    let expected = irradiance(&|i| f64::from(texels[i as usize][0]));
    assert_close(lit.irradiance(Vec3::ZERO, Vec3::Y, 200_000), expected, 1e-2);
    // Rounding may move the direction across the edge of a piece
    let mut random = Random::new(5);
    let differs = |sample: LightSample| {
        let pdf = lit.lights.pdf_environment(sample.wi, false);
        (pdf / sample.pdf_solid_angle - 1.0).abs() > 1e-2
    };
    let samples = (0..20_000).filter_map(|_| lit.sample(Vec3::ZERO, Uniforms::draw(&mut random)));
    assert!(samples.filter(|&sample| differs(sample)).count() < 200, "the density is that of samples");
}
