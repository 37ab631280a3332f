//! Light sampling: irradiances against closed forms, and densities against samples.

#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    reason = "closed forms in f64 are the reference"
)]
#![allow(clippy::unwrap_used, reason = "also in functions that tests call")]

mod environments;
mod mixed;
mod punctual;
mod triangles;

use sunfleck_math::{Aabb, Affine3, Vec2, Vec3, Vec4, vec2, vec3};
use sunfleck_scene::{Environment, Light, LightKind, Material, Node, Scene};
use sunfleck_shading::{EmissiveTriangle, LightSample, LightTable, MaterialTable};
use sunfleck_testkit::{Random, Uniforms};

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
