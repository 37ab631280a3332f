//! Emission textures: which triangles of an emissive material become lights, their power, and unbiased irradiance.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use sunfleck_math::{Aabb, Affine3, Shape, Vec2, Vec3, Vec4, vec2, vec3};
use sunfleck_sampling::{mis, warp};
use sunfleck_scene::{
    Alpha, ColorTexture, Material, Scene, Surface, Texels, Texture, TextureFilter, TextureRef, Wrap,
};
use sunfleck_shading::{
    EmissiveShape, EmissiveSurfaces, EmissiveTriangle, LightTable, MaterialTable, SurfaceAttributes,
};
use sunfleck_testkit::{Random, Uniforms};

const BOUNDS: Aabb = Aabb { min: vec3(-2.0, -2.0, -2.0), max: vec3(2.0, 2.0, 2.0) };
const SIDE: u32 = 64;
const RADIANCE: f32 = 4.0;

/// Triangles of one material in the square y = 1, |x| ≤ 1, |z| ≤ 1, to which a texture is mapped.
struct Lamp {
    materials: MaterialTable,
    lights: LightTable,
    triangles: Vec<EmissiveTriangle>,
}

/// Property of the lamp that the texture determines.
#[derive(Clone, Copy, PartialEq)]
enum TextureUse {
    Emission,
    Alpha,
}

impl Lamp {
    /// * `bright` — returns whether a texel is white; the others are black and transparent.
    /// * `known` — number of triangles that are given to the light table.
    fn new(
        bright: impl Fn(u32, u32) -> bool,
        sampling: Sampling,
        texture_use: TextureUse,
        triangles: &[[Vec3; 3]],
        known: usize,
    ) -> Self {
        let mut scene = Scene::default();
        let texel = |i: u32| if bright(i % SIDE, i / SIDE) { [1.0; 4] } else { [0.0; 4] };
        let texels = Texels::Float(Arc::new((0..SIDE * SIDE).map(texel).collect()));
        let texture = Texture::new("lamp", SIDE, SIDE, texels).unwrap();
        let texture = texture.with_sampling([sampling.0; 2], sampling.1);
        let texture = Some(TextureRef::new(scene.add_texture(texture).unwrap()));
        let mut lamp = Material::emitter("lamp", Vec3::splat(RADIANCE)).with_double_sided();
        match texture_use {
            TextureUse::Emission => lamp.emission.texture = texture,
            TextureUse::Alpha => {
                lamp.surface = Surface::Lambert { albedo: ColorTexture { factor: Vec4::ONE, texture } };
                lamp.alpha = Alpha::Blend;
            }
        }
        let material = scene.add_material(lamp).unwrap();
        let materials = MaterialTable::new(&scene);
        let material = materials.index_of(material);
        let triangles: Vec<_> = (0..).zip(triangles).map(|(i, &c)| triangle(c, i, material)).collect();
        let lights = LightTable::build(&scene, &materials, triangles[..known].to_vec(), BOUNDS);
        Self { materials, lights, triangles }
    }

    /// Returns the radiance of a point of a triangle, times its alpha.
    fn radiance(&self, triangle: &EmissiveTriangle, u: f32, v: f32) -> f32 {
        let [a, b, c] = triangle.uv0;
        let uv0 = a + (b - a) * u + (c - a) * v;
        let at = SurfaceAttributes { uv0, ..SurfaceAttributes::default() };
        self.materials.emission(triangle.material, &at).x * self.materials.alpha(triangle.material, &at)
    }

    /// Estimates the irradiance at the origin of a plane that faces the lamp, by multiple importance sampling of lights
    /// and of the cosine.
    fn irradiance(&self, samples: u32) -> f64 {
        let mut random = Random::new(17);
        let cosine_pdf = |wi: Vec3| wi.y * std::f32::consts::FRAC_1_PI;
        let mut sum = 0.0;
        for _ in 0..samples {
            let (light_u, u) = Uniforms::draw(&mut random);
            if let Some(light) = self.lights.sample(&self.materials, Vec3::ZERO, Vec3::Y, light_u, u) {
                let weight = mis::power(light.pdf_solid_angle, cosine_pdf(light.wi));
                sum += f64::from(weight * light.radiance.x * light.wi.y / light.pdf_solid_angle);
            }
            let z_up = warp::cosine_hemisphere(Uniforms::draw(&mut random));
            let wi = vec3(z_up.x, z_up.z, z_up.y);
            if let Some((triangle, u, v)) = self.triangles.iter().find_map(|t| hit(t, wi)) {
                let EmissiveTriangle { inst_id, prim_id, .. } = *triangle;
                let pdf = self.lights.pdf_surface(inst_id, prim_id, Vec3::ZERO, wi / wi.y, Vec2::ZERO);
                let weight = mis::power(cosine_pdf(wi), pdf);
                sum += f64::from(weight * self.radiance(triangle, u, v)) * std::f64::consts::PI;
            }
        }
        sum / f64::from(samples)
    }

    /// Computes, by the midpoint rule over the triangles, the irradiance that [`Lamp::irradiance`] estimates.
    fn irradiance_by_quadrature(&self) -> f64 {
        const STEPS: u16 = 512;
        let step = 1.0 / f32::from(STEPS);
        let mut sum = 0.0;
        for triangle in &self.triangles {
            let [a, b, c] = triangle.corners;
            let area = f64::from(0.5 * (b - a).cross(c - a).length()) * f64::from(step * step);
            for (i, j) in (0..STEPS).flat_map(|i| (0..STEPS - i).map(move |j| (i, j))) {
                let parts = if i + j + 1 < STEPS { &[1.0f32, 2.0][..] } else { &[1.0] };
                for part in parts {
                    let (u, v) = ((f32::from(i) + part / 3.0) * step, (f32::from(j) + part / 3.0) * step);
                    let squared = (a + (b - a) * u + (c - a) * v).length_squared();
                    // cos · cos / distance², and both cosines are 1 / distance
                    sum += f64::from(self.radiance(triangle, u, v) / (squared * squared)) * area;
                }
            }
        }
        sum
    }

    /// Returns the points (x, z) of light samples in the square.
    fn sampled_points(&self, samples: u32) -> Vec<Vec2> {
        let mut random = Random::new(3);
        let mut draw = || Uniforms::draw(&mut random);
        let samples = (0..samples).filter_map(|_| {
            let (light_u, u) = draw();
            self.lights.sample(&self.materials, Vec3::ZERO, Vec3::Y, light_u, u)
        });
        samples.map(|light| vec2(light.wi.x, light.wi.z) / light.wi.y).collect()
    }
}

/// Returns the part of the square between two values of x.
fn strip(x0: f32, x1: f32) -> [[Vec3; 3]; 2] {
    let [a, b, c, d] = [(x0, -1.0), (x0, 1.0), (x1, 1.0), (x1, -1.0)].map(|(x, z)| vec3(x, 1.0, z));
    [[a, b, c], [a, c, d]]
}

fn triangle(corners: [Vec3; 3], prim_id: u32, material: u32) -> EmissiveTriangle {
    let uv = corners.map(|c| vec2(c.x, c.z) * 0.5 + 0.5);
    let colors = [Vec4::ONE; 3];
    EmissiveTriangle { inst_id: 5, prim_id, material, corners, uv0: uv, uv1: uv, colors, flipped: false }
}

/// Intersects a ray from the origin with a triangle in the plane y = 1.
fn hit(triangle: &EmissiveTriangle, direction: Vec3) -> Option<(&EmissiveTriangle, f32, f32)> {
    let [a, b, c] = triangle.corners.map(|c| vec2(c.x, c.z));
    let p = vec2(direction.x, direction.z) / direction.y - a;
    let det = (b - a).perp_dot(c - a);
    let (u, v) = (p.perp_dot(c - a) / det, (b - a).perp_dot(p) / det);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0).then_some((triangle, u, v))
}

type Sampling = (Wrap, TextureFilter);
const NEAREST: Sampling = (Wrap::ClampToEdge, TextureFilter::Nearest);
const LINEAR: Sampling = (Wrap::ClampToEdge, TextureFilter::Linear);

/// Returns whether a texel is in the right half, x > 0.
fn half(column: u32, _row: u32) -> bool {
    column >= SIDE / 2
}

#[track_caller]
fn assert_close(found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= relative * expected.abs(), "{found}, not {expected}");
}

#[test]
fn black_triangles_are_not_lights() {
    let strips = [strip(-1.0, -0.4), strip(-0.4, 0.4), strip(0.4, 1.0)].concat();
    for sampling in [NEAREST, LINEAR] {
        let lamp = Lamp::new(half, sampling, TextureUse::Emission, &strips, strips.len());
        assert_eq!(lamp.lights.len(), 4, "two triangles of the first strip are black");
        let pdf = |triangle: &EmissiveTriangle| {
            let [a, b, c] = triangle.corners;
            lamp.lights.pdf_surface(5, triangle.prim_id, Vec3::ZERO, (a + b + c) / 3.0, Vec2::ZERO)
        };
        let is_light: Vec<bool> = lamp.triangles.iter().map(|triangle| pdf(triangle) > 0.0).collect();
        assert_eq!(is_light, [false, false, true, true, true, true]);

        let points = lamp.sampled_points(2000);
        // The filter extends over one and a half texels
        assert!(points.iter().all(|p| p.x > -0.05), "light from the black half");
        assert!(
            points.len() > 1400,
            "at most a quarter of the samples is in the black half of the middle strip: {}",
            points.len()
        );
    }
}

#[test]
fn power_follows_the_texture() {
    // One texel in eight is bright on the left, all are on the right
    let strips = [strip(-1.0, -0.2), strip(0.2, 1.0)].concat();
    let sparse = |column: u32, row: u32| column >= SIDE / 2 || row % 8 == 3;
    let mut lamp = Lamp::new(sparse, NEAREST, TextureUse::Emission, &strips, 4);
    // On the right, a single point of the texture has the same power as the whole half
    for triangle in &mut lamp.triangles[2..] {
        triangle.uv0 = [vec2(0.8, 0.8); 3];
    }
    lamp.lights = LightTable::build(&Scene::default(), &lamp.materials, lamp.triangles.clone(), BOUNDS);
    let mut random = Random::new(8);
    let mut draw = || Uniforms::draw(&mut random);
    let mut found = [0u32; 2];
    for _ in 0..40_000 {
        let (light_u, u) = draw();
        if let Some(light) = lamp.lights.sample(&lamp.materials, Vec3::ZERO, Vec3::Y, light_u, u) {
            found[usize::from(light.wi.x > 0.0)] += 1;
        }
    }
    // Both strips are equally far away at equal angles. Their powers are as 1 to 8, and seven of eight samples on the
    // left are black
    let chosen = [1.0 / 9.0, 8.0 / 9.0];
    let expected = chosen[0] / 8.0 / chosen[1];
    assert_close(f64::from(found[0]) / f64::from(found[1]), expected, 0.1);
}

#[test]
fn palette_texels_do_not_mix() {
    let palette = |column: u32, row: u32| [column, row] == [20, 20];
    for sampling in [NEAREST, LINEAR] {
        let at = |column: u16| [vec2(f32::from(column) + 0.5, 20.5) / f32::from(64u16); 3];
        let lamp = Lamp::new(palette, sampling, TextureUse::Emission, &strip(-1.0, 1.0), 2);
        let [mut bright, mut black] = [lamp.triangles[0].clone(), lamp.triangles[1].clone()];
        (bright.uv0, black.uv0) = (at(20), at(21));
        let lights = LightTable::build(&Scene::default(), &lamp.materials, vec![bright, black], BOUNDS);
        assert_eq!(lights.len(), 1, "the neighbour is black");
    }
}

#[test]
fn no_bright_texel_is_missed() {
    let mut random = Random::new(21);
    for round in 0..3000 {
        let [speck_u, speck_v] = <[f32; 2]>::draw(&mut random).map(|u| u * 64.0);
        let speck = |c: u32, r: u32| (c as f32, r as f32) == (speck_u.floor(), speck_v.floor());
        // Triangles of all shapes and sizes, also outside the image, where it repeats
        let size = sunfleck_math::exp2(-5.0 * f32::draw(&mut random));
        let corners = <[Vec2; 3]>::map([(); 3].map(|()| Vec2::draw(&mut random)), |c| (c - 0.5) * size * 3.0);
        let mut lamp = Lamp::new(
            speck,
            (Wrap::Repeat, [TextureFilter::Nearest, TextureFilter::Linear][round % 2]),
            TextureUse::Emission,
            &strip(-1.0, 1.0),
            0,
        );
        lamp.triangles.truncate(1);
        lamp.triangles[0].uv0 = corners;
        let [u, v] = <[f32; 2]>::draw(&mut random);
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let emits = lamp.radiance(&lamp.triangles[0], u, v) > 1e-3;
        let lights = LightTable::build(&Scene::default(), &lamp.materials, lamp.triangles.clone(), BOUNDS);
        assert!(!emits || lights.len() == 1, "{corners:?} emits at {u}, {v}");
    }
}

#[test]
fn irradiance_is_unbiased() {
    let strips = [strip(-1.0, -0.4), strip(-0.4, 0.4), strip(0.4, 1.0)].concat();
    // A bright texel in the black half; and triangles that the light table lacks, which only cosine sampling finds
    let speckled = |column: u32, row: u32| column >= SIDE / 2 || (column == 5 && row == 30);
    for sampling in [NEAREST, LINEAR] {
        for known in [6, 5, 3, 2, 0] {
            let lamp = Lamp::new(speckled, sampling, TextureUse::Emission, &strips, known);
            assert_close(lamp.irradiance(200_000), lamp.irradiance_by_quadrature(), 1e-2);
        }
    }
}

#[test]
fn transparent_texels_do_not_emit() {
    for sampling in [NEAREST, LINEAR] {
        let lamp = Lamp::new(half, sampling, TextureUse::Alpha, &strip(-1.0, 1.0), 2);
        let expected = lamp.irradiance_by_quadrature();
        assert_close(lamp.irradiance(200_000), expected, 1e-2);
        assert!(lamp.sampled_points(1000).iter().all(|p| p.x > -0.05), "light from the transparent half");
    }
}

/// Wherever on a shape a single texel is bright, the shape is a light.
#[test]
fn shapes_on_which_one_texel_is_bright_are_lights() {
    let mut random = Random::new(29);
    for unit in sunfleck_testkit::shapes::unit_shapes() {
        for _ in 0..8 {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
            let [column, row] = <[f32; 2]>::draw(&mut random).map(|u| (u * SIDE as f32) as u32);
            let lamp = Lamp::new(
                |c, r| [c, r] == [column, row],
                NEAREST,
                TextureUse::Emission,
                &strip(-1.0, 1.0),
                0,
            );
            let shape = EmissiveShape {
                inst_id: 0,
                prim_id: 0,
                material: lamp.triangles[0].material,
                shape: Shape::new(unit.clone()),
                object_from_world: Affine3::IDENTITY,
            };
            let surfaces = EmissiveSurfaces { shapes: vec![shape], ..EmissiveSurfaces::default() };
            let lights = LightTable::build(&Scene::default(), &lamp.materials, surfaces, BOUNDS);
            assert_eq!(lights.len(), 1, "{unit:?} with the texel {column}, {row}");
        }
    }
}
