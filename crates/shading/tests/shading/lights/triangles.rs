//! Emissive triangles.

use std::f64::consts::PI;
use std::sync::Arc;

use sunfleck_math::{Vec2, Vec3, vec3};
use sunfleck_sampling::warp::uniform_triangle;
use sunfleck_scene::{Material, Scene, Texels, Texture, TextureFilter, TextureRef};
use sunfleck_shading::EmissiveTriangle;
use sunfleck_testkit::{Random, Uniforms, chi2};

use super::{LitScene, assert_close, fixed_sample, polygon_irradiance, rectangle, triangle, with_triangles};

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
