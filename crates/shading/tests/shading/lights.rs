//! Light sampling: irradiances against closed forms, and densities against samples.

#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    reason = "closed forms in f64 are the reference"
)]
#![allow(clippy::unwrap_used, reason = "also in functions that tests call")]

use std::f64::consts::PI;
use std::sync::Arc;

use sunfleck_math::{Aabb, Affine3, Vec2, Vec3, Vec4, vec2, vec3};
use sunfleck_sampling::warp::uniform_triangle;
use sunfleck_scene::{
    Environment, Light, LightKind, Material, Node, Scene, SpotFalloff, Texels, Texture, TextureFilter,
    TextureRef,
};
use sunfleck_shading::{BATCH_SIZE, EmissiveTriangle, LightBatch, LightSample, LightTable, MaterialTable};
use sunfleck_testkit::{Random, Uniforms, chi2};

const BOUNDS: Aabb = Aabb { min: vec3(-2.0, -2.0, -2.0), max: vec3(2.0, 2.0, 2.0) };

/// The materials and lights of a scene.
struct LitScene {
    materials: MaterialTable,
    lights: LightTable,
}

impl LitScene {
    fn new(scene: &Scene, emissive: impl FnOnce(&MaterialTable) -> Vec<EmissiveTriangle>) -> Self {
        let materials = MaterialTable::new(scene);
        let lights = LightTable::build(scene, &materials, emissive(&materials), BOUNDS);
        Self { materials, lights }
    }

    fn sample(&self, from: Vec3, (light_u, u): (f32, Vec2)) -> Option<LightSample> {
        self.lights.sample(&self.materials, from, Vec3::Y, light_u, u)
    }

    /// Estimates the irradiance (red) of a plane through `from` by sampling.
    fn irradiance(&self, from: Vec3, normal: Vec3, samples: u32) -> f64 {
        let mut random = Random::new(7);
        let one = |sample: LightSample| {
            f64::from(sample.wi.dot(normal).max(0.0) * sample.radiance.x / sample.pdf_solid_angle)
        };
        (0..samples).map(|_| self.sample(from, Uniforms::draw(&mut random)).map_or(0.0, one)).sum::<f64>()
            / f64::from(samples)
    }
}

fn triangle(corners: [Vec3; 3], prim_id: u32, material: u32) -> EmissiveTriangle {
    let uv = [Vec2::ZERO, Vec2::X, Vec2::Y];
    let colors = [Vec4::ONE; 3];
    EmissiveTriangle { inst_id: 3, prim_id, material, corners, uv0: uv, uv1: uv, colors, flipped: false }
}

/// Returns a scene of triangles that emit the radiance (2, 3, 5).
fn with_triangles(corners: &[[Vec3; 3]], double_sided: bool) -> LitScene {
    let mut scene = Scene::default();
    let mut emitter = Material::emitter("lamp", vec3(2.0, 3.0, 5.0));
    emitter.double_sided = double_sided;
    let id = scene.add_material(emitter).unwrap();
    LitScene::new(&scene, |materials| {
        (0..).zip(corners).map(|(i, &corners)| triangle(corners, i, materials.index_of(id))).collect()
    })
}

fn rectangle(corner: Vec3, a: Vec3, b: Vec3) -> [[Vec3; 3]; 2] {
    [[corner, corner + a, corner + a + b], [corner, corner + a + b, corner + b]]
}

fn with_environment(environment: impl FnOnce(&mut Scene) -> Environment) -> LitScene {
    let mut scene = Scene::default();
    let environment = environment(&mut scene);
    scene.set_environment(environment).unwrap();
    LitScene::new(&scene, |_| Vec::new())
}

fn with_light(kind: LightKind, world_from_light: Affine3) -> LitScene {
    let mut scene = Scene::default();
    let emission = vec3(6.0, 4.0, 2.0);
    let light = scene.add_light(Light { name: "lamp".into(), emission, kind }).unwrap();
    scene.add_node(Node::new("lamp").at(world_from_light).with_light(light)).unwrap();
    LitScene::new(&scene, |_| Vec::new())
}

fn fixed_sample(lit: &LitScene, from: Vec3) -> Option<LightSample> {
    lit.lights.sample(&lit.materials, from, Vec3::ZERO, 0.3, vec2(0.2, 0.9))
}

#[track_caller]
fn assert_close(found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= relative * expected.abs(), "{found}, not {expected}");
}

/// Returns the irradiance at a point from a polygon of radiance 1 above its horizon [Lambert60; Arvo95b, Eq. 2.10].
fn polygon_irradiance(from: Vec3, normal: Vec3, corners: &[Vec3]) -> f64 {
    let directions: Vec<_> = corners.iter().map(|&c| (c - from).as_dvec3()).map(|d| d / d.length()).collect();
    let edge = |i: usize| {
        let (a, b) = (directions[i], directions[(i + 1) % directions.len()]);
        let cross = a.cross(b);
        a.dot(b).acos() * (cross / cross.length()).dot(normal.as_dvec3())
    };
    0.5 * (0..directions.len()).map(edge).sum::<f64>().abs()
}

#[test]
fn rectangle_parallel_to_the_receiver() {
    // Rectangle a × b at distance c, a corner above the receiver [Howell, C-11]
    for (a, b, c) in [(1.0f64, 2.0f64, 1.0f64), (0.3, 0.1, 2.0), (5.0, 4.0, 0.2)] {
        let (x, y) = (a / c, b / c);
        let (sx, sy) = ((1.0 + x * x).sqrt(), (1.0 + y * y).sqrt());
        let form_factor = (x / sx * (y / sx).atan() + y / sy * (x / sy).atan()) / (2.0 * PI);
        let (a, b, c) = (a as f32, b as f32, c as f32);
        let lamp = rectangle(vec3(0.0, c, 0.0), Vec3::X * a, Vec3::Z * b);
        let lit = with_triangles(&lamp, true);
        assert_close(lit.irradiance(Vec3::ZERO, Vec3::Y, 100_000), 2.0 * PI * form_factor, 8e-3);
    }
}

#[test]
fn rectangle_perpendicular_to_the_receiver() {
    // A wall of width b and height a at distance c, its lower corner level with the receiver [Howell, C-12]
    for (a, b, c) in [(1.0f64, 2.0f64, 1.0f64), (3.0, 0.5, 0.4)] {
        let (x, y) = (a / b, c / b);
        let root = (x * x + y * y).sqrt();
        let form_factor = ((1.0 / y).atan() - y / root * (1.0 / root).atan()) / (2.0 * PI);
        let (a, b, c) = (a as f32, b as f32, c as f32);
        let wall = rectangle(vec3(c, 0.0, 0.0), Vec3::Y * a, Vec3::Z * b);
        let lit = with_triangles(&wall, true);
        assert_close(lit.irradiance(Vec3::ZERO, Vec3::Y, 200_000), 2.0 * PI * form_factor, 8e-3);
    }
}

#[test]
fn tilted_triangles() {
    let normal = vec3(0.2, 0.9, -0.1).normalize_or(Vec3::Y);
    for (scale, offset) in
        [(1.0, vec3(0.0, 1.5, 0.0)), (0.01, vec3(0.3, 1.0, 0.2)), (8.0, vec3(-3.0, 2.0, -3.0))]
    {
        let corners =
            [vec3(0.0, 0.3, 0.1), vec3(0.2, 0.0, 0.9), vec3(1.0, 0.4, 0.0)].map(|c| c * scale + offset);
        let lit = with_triangles(&[corners], true);
        let expected = 2.0 * polygon_irradiance(Vec3::ZERO, normal, &corners);
        assert_close(lit.irradiance(Vec3::ZERO, normal, 100_000), expected, 1e-2);
    }
}

#[test]
fn triangles_emit_from_their_front() {
    let up = [vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 1.0), vec3(1.0, 0.0, 0.0)];
    let (above, below) = (vec3(0.2, 1.0, 0.2), vec3(0.2, -1.0, 0.2));
    let one_sided = with_triangles(&[up], false);
    let sample = fixed_sample(&one_sided, above).expect("light above");
    assert_eq!(sample.radiance, vec3(2.0, 3.0, 5.0));
    assert!(fixed_sample(&one_sided, below).is_none(), "the back is dark");
    assert_eq!(one_sided.lights.pdf_surface(3, 0, below, vec3(0.2, 0.0, 0.2), Vec2::ZERO), 0.0);
    assert!(fixed_sample(&with_triangles(&[up], true), below).is_some(), "both sides");

    // A mirrored instance has its front on the other side
    let mut scene = Scene::default();
    let id = scene.add_material(Material::emitter("lamp", Vec3::ONE)).unwrap();
    let mirrored = LitScene::new(&scene, |materials| {
        vec![EmissiveTriangle { flipped: true, ..triangle(up, 0, materials.index_of(id)) }]
    });
    assert!(fixed_sample(&mirrored, above).is_none());
    assert!(fixed_sample(&mirrored, below).is_some());
}

#[test]
fn triangle_samples_lie_on_the_triangle_and_have_its_density() {
    let lamps = [
        [vec3(0.0, 2.0, 0.0), vec3(0.5, 2.0, 0.0), vec3(0.0, 2.1, 0.6)],
        [vec3(0.01, 0.01, 0.0), vec3(0.02, 0.01, 0.0), vec3(0.01, 0.02, 0.001)],
        [vec3(-9.0, 1.0, -7.0), vec3(9.0, 1.0, -7.0), vec3(0.0, 0.9, 9.0)],
    ];
    let lit = with_triangles(&lamps, true);
    let mut random = Random::new(5);
    let mut found = [0u32; 3];
    for _ in 0..3000 {
        let from = Vec3::draw(&mut random) * 0.8 - 0.4;
        let Some(sample) = lit.sample(from, Uniforms::draw(&mut random)) else { continue };
        let point = from + sample.wi * sample.distance;
        let on = |corners: &[Vec3; 3]| {
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or(Vec3::ZERO);
            let height = (point - corners[0]).dot(normal).abs();
            let center = (corners[0] + corners[1] + corners[2]) / 3.0;
            let inside = (0..3).all(|i| {
                let (a, b) = (corners[i], corners[(i + 1) % 3]);
                let inward = normal.cross(b - a).normalize_or(Vec3::ZERO);
                (point - a).dot(inward) > -1e-3 * (b - center).length()
            });
            height < 1e-4 * (1.0 + center.length()) && inside
        };
        let prim_id = lamps.iter().position(on).unwrap_or_else(|| panic!("{point} is on no lamp"));
        found[prim_id] += 1;
        let pdf = lit.lights.pdf_surface(3, prim_id as u32, from, point, Vec2::ZERO);
        assert!((pdf / sample.pdf_solid_angle - 1.0).abs() < 2e-3, "{from}: {pdf}, {sample:?}");
        assert!(!sample.delta && (sample.wi.length() - 1.0).abs() < 1e-5, "{sample:?}");
    }
    assert!(found[0] > 20 && found[2] > 20, "lights that contribute much are sampled often: {found:?}");
    for (lamp, prim_id) in lamps.iter().zip(0..) {
        let center = (lamp[0] + lamp[1] + lamp[2]) / 3.0;
        let pdf = lit.lights.pdf_surface(3, prim_id, Vec3::ZERO, center, Vec2::ZERO);
        assert!(pdf > 0.0, "lamp {prim_id} can be sampled");
    }
    assert_eq!(lit.lights.pdf_surface(3, 7, Vec3::ZERO, Vec3::Y, Vec2::ZERO), 0.0, "no such triangle");
}

#[test]
fn triangle_directions_have_their_density() {
    // One near and large, one at a grazing angle, one far away; densities over the sphere are found by intersection
    let lamps = [
        [vec3(-1.0, 0.7, -1.0), vec3(1.5, 0.7, -0.5), vec3(0.0, 0.9, 1.5)],
        [vec3(1.0, 0.1, 1.0), vec3(3.0, 0.0, 1.0), vec3(1.0, 0.1, 3.0)],
        [vec3(2.0, 3.0, -9.0), vec3(6.0, 3.0, -9.0), vec3(2.0, 7.0, -9.0)],
    ];
    for lamp in lamps {
        let lit = with_triangles(&[lamp], true);
        let sample = |u: (f32, Vec2)| lit.sample(Vec3::ZERO, u).map(|s| s.wi);
        let pdf = |wi: Vec3| {
            let [a, b, c] = lamp.map(Vec3::as_dvec3);
            let wi64 = wi.as_dvec3();
            let sides = [a.cross(b), b.cross(c), c.cross(a)].map(|n| n.dot(wi64));
            if !(sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)) {
                return 0.0;
            }
            let normal = (b - a).cross(c - a);
            let t = a.dot(normal) / wi64.dot(normal);
            if t > 0.0 {
                lit.lights.pdf_surface(3, 0, Vec3::ZERO, (wi64 * t).as_vec3(), Vec2::ZERO)
            } else {
                0.0
            }
        };
        // Small cells, for accurate quadrature of those that edges of the triangle intersect
        let test = chi2::sphere(sample, pdf).cells(256, 128).samples(200_000).tests(3);
        test.check(&format!("{lamp:?}"));
    }
}

#[test]
fn emission_textures_are_read_at_the_sampled_point() {
    let mut scene = Scene::default();
    // Left half black, right half 4
    let texels = Texels::Float(Arc::new(vec![[0.0, 0.0, 0.0, 1.0], [4.0, 4.0, 4.0, 1.0]]));
    let image = Texture::new("half", 2, 1, texels).unwrap();
    let [u, v] = image.wrap();
    let texture = scene.add_texture(image.with_sampling([u, v], TextureFilter::Nearest)).unwrap();
    let mut lamp = Material::emitter("lamp", vec3(1.0, 2.0, 3.0));
    lamp.emission.texture = Some(TextureRef::new(texture));
    let id = scene.add_material(lamp).unwrap();
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let lit = LitScene::new(&scene, |materials| vec![triangle(corners, 0, materials.index_of(id))]);
    let from = vec3(0.3, 0.3, 1.0);
    let mut random = Random::new(11);
    let mut dark = 0;
    for _ in 0..500 {
        let Some(sample) = lit.sample(from, Uniforms::draw(&mut random)) else {
            dark += 1;
            continue;
        };
        let point = from + sample.wi * sample.distance;
        assert!(point.x > 0.5 - 1e-4, "the left half is dark: {point}");
        assert_eq!(sample.radiance, vec3(4.0, 8.0, 12.0));
    }
    assert!(dark > 200, "three quarters of the triangle: {dark}");
}

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
fn all_kinds_together_add_up() {
    let mut scene = Scene::default();
    let id = scene.add_material(Material::emitter("lamp", vec3(2.0, 3.0, 5.0)).with_double_sided()).unwrap();
    let point = Light { name: String::new(), emission: Vec3::splat(8.0), kind: LightKind::Point };
    let point = scene.add_light(point).unwrap();
    let transform = Affine3::from_translation(vec3(0.0, 2.0, 0.0));
    scene.add_node(Node::new("point").at(transform).with_light(point)).unwrap();
    let dark = Light { name: String::new(), emission: Vec3::ZERO, kind: LightKind::Point };
    let dark = scene.add_light(dark).unwrap();
    scene.add_node(Node::new("dark").with_light(dark)).unwrap();
    scene.set_environment(Environment::Constant { radiance: Vec3::splat(0.25) }).unwrap();
    let lamp = rectangle(vec3(-0.5, 1.0, -0.5), Vec3::X, Vec3::Z);
    let lit = LitScene::new(&scene, |materials| {
        lamp.iter().zip(0..).map(|(&corners, i)| triangle(corners, i, materials.index_of(id))).collect()
    });
    assert_eq!(
        lit.lights.len(),
        4,
        "two triangles, a point light, the environment; the dark light is left out"
    );
    assert!(!lit.lights.is_empty());
    let corners = [lamp[0][0], lamp[0][1], lamp[0][2], lamp[1][2]];
    let lamp_irradiance = 2.0 * polygon_irradiance(Vec3::ZERO, Vec3::Y, &corners);
    assert_close(lit.irradiance(Vec3::ZERO, Vec3::Y, 400_000), lamp_irradiance + 8.0 / 4.0 + 0.25 * PI, 1e-2);
}

#[test]
fn scenes_without_lights() {
    let lit = LitScene::new(&Scene::default(), |_| Vec::new());
    assert!(lit.lights.is_empty());
    assert!(fixed_sample(&lit, Vec3::ZERO).is_none());
    assert_eq!(lit.lights.environment_radiance(Vec3::Y), Vec3::ZERO);
    assert_eq!(lit.lights.pdf_environment(Vec3::Y, false), 0.0);
    // Triangles without area are left out
    let flat = with_triangles(&[[Vec3::ZERO, Vec3::X, Vec3::X * 2.0], [Vec3::ONE; 3]], true);
    assert!(flat.lights.is_empty());
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

/// Samples lights for many receivers one by one and together: triangles, punctual lights and an environment.
#[test]
fn batches_have_the_samples_of_single_receivers() {
    let lamps = |triangles: u32| {
        let corners: Vec<[Vec3; 3]> = (0..triangles)
            .map(|i| {
                let at = vec3((i % 5) as f32, 3.0, (i / 5) as f32);
                [at, at + vec3(0.3, 0.0, 0.1), at + vec3(0.0, 0.1 * (i % 3) as f32, 0.4)]
            })
            .collect();
        with_triangles(&corners, triangles.is_multiple_of(2))
    };
    let sky = with_environment(|_| Environment::Constant { radiance: Vec3::ONE });
    let spot = with_light(LightKind::Point, Affine3::from_translation(vec3(1.0, 2.0, 1.0)));
    for lit in [sky, spot, lamps(0), lamps(1), lamps(2), lamps(23)] {
        let mut random = Random::new(3);
        let mut batch = Box::<LightBatch>::default();
        let mut expected = Vec::new();
        for i in 0..BATCH_SIZE {
            let (light_u, u): (f32, Vec2) = Uniforms::draw(&mut random);
            let (other, more): (f32, Vec2) = Uniforms::draw(&mut random);
            let from = vec3(6.0 * other - 1.0, 4.0 * more.x, 6.0 * more.y - 1.0);
            let receiver_normal =
                if i % 3 == 0 { Vec3::ZERO } else { vec3(u.x - 0.5, 0.5, light_u - 0.5).normalize() };
            (batch.light_u[i], [batch.u[0][i], batch.u[1][i]]) = (light_u, u.to_array());
            for axis in 0..3 {
                (batch.from[axis][i], batch.receiver_normal[axis][i]) = (from[axis], receiver_normal[axis]);
            }
            let wanted = i % 7 != 0;
            let sample = lit.lights.sample(&lit.materials, from, receiver_normal, light_u, u);
            expected.push(sample.filter(|sample| wanted && sample.pdf_solid_angle > 0.0));
        }
        lit.lights.sample_batch(&lit.materials, &mut batch, BATCH_SIZE - 3, |i| i % 7 != 0);
        for (i, expected) in expected.iter().enumerate().take(BATCH_SIZE - 3) {
            assert_eq!(batch.sample(i), *expected, "receiver {i}");
        }
    }
}

/// Rounding puts half of the points of a triangle in front of its plane; its own back is lit by none of them.
#[test]
fn points_of_a_light_do_not_see_it() {
    let mut scene = Scene::default();
    let lamp = scene.add_material(Material::emitter("lamp", Vec3::ONE)).unwrap();
    let corners = [vec3(0.3, 2.7, -1.1), vec3(1.9, 2.1, -0.4), vec3(0.6, 3.3, 0.8)];
    let lit = LitScene::new(&scene, |materials| vec![triangle(corners, 0, materials.index_of(lamp))]);
    let mut random = Random::new(41);
    let [a, b, c] = corners;
    let front = (b - a).cross(c - a).normalize_or(Vec3::Y);
    for _ in 0..10_000 {
        let (light_u, u) = Uniforms::draw(&mut random);
        let at = uniform_triangle(Uniforms::draw(&mut random));
        let point = a * (1.0 - at.x - at.y) + b * at.x + c * at.y;
        let sample = |from| lit.lights.sample(&lit.materials, from, -front, light_u, u);
        assert!(sample(point).is_none(), "{point} is on the light");
        assert!(sample(point + front * 1e-3).is_some(), "{point} is in front of it");
    }
}
