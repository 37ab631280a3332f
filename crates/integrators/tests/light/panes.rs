//! Panes of thin glass: they keep the direction of light, and the light behind them is found by every integrator.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use fearless_simd::{Level, dispatch};
use sunfleck_integrators::World;
use sunfleck_math::transform::rotation_x;
use sunfleck_math::{Affine3, Ray, Shape, UnitShape, Vec2, Vec3, vec3};
use sunfleck_sampling::rng;
use sunfleck_scene::{
    Alpha, Environment, Light, LightKind, Material, MeshData, Node, Projection, Scene, Surface,
};
use sunfleck_shading::BsdfContext;
use sunfleck_transport::{AlphaSeed, LastScattering, scatter};

use crate::common::{TestSetup, add, algorithm, light_transport_algorithms, mean, rectangle, render_scene};

const RED: Vec3 = Vec3::new(1.0, 0.5, 0.25);

fn pane(tint: Vec3) -> Material {
    Material::new("pane", Surface::ThinDielectric { ior: 1.5, tint })
}

/// Returns the transmittance of a clear pane: T = 1 - 2 R / (1 + R), where R is the mean of
/// ((cos i - n cos t) / (cos i + n cos t))² and ((n cos i - cos t) / (n cos i + cos t))².
fn transmittance(cos_i: f32) -> f32 {
    let n = 1.5f32;
    let cos_t = (1.0 - (1.0 - cos_i * cos_i) / (n * n)).sqrt();
    let s = (cos_i - n * cos_t) / (cos_i + n * cos_t);
    let p = (n * cos_i - cos_t) / (n * cos_i + cos_t);
    let r = 0.5 * (s * s + p * p);
    1.0 - 2.0 * r / (1.0 + r)
}

/// View from 0.5 m above the floor, below the pane.
fn below(algorithm: sunfleck_integrators::Algorithm, samples: u32) -> TestSetup {
    TestSetup {
        algorithm,
        samples,
        world_from_view: Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, vec3(0.0, 0.5, 0.0)),
        projection: Projection::Orthographic { height: 0.2 },
        ..TestSetup::default()
    }
}

/// Albedo of the floor, so low that what the panes reflect back to it does not matter.
const DARK: f32 = 0.02;

/// Scene of a floor at y = 0 under panes at y = 1 and a little higher.
fn floor_under(panes: &[MeshData], tint: Vec3, albedo: f32) -> Scene {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Black).unwrap();
    let floor = Material::lambert("floor", Vec3::splat(albedo));
    // As wide as the panes, which would mirror an environment beyond it
    add(&mut scene, wide(), floor, Affine3::IDENTITY);
    for (i, data) in panes.iter().enumerate() {
        let place = Affine3::from_translation(Vec3::Y * (1.0 + 0.01 * i as f32));
        add(&mut scene, data.clone(), pane(tint), place);
    }
    scene
}

/// A pane so wide that hardly any light passes beside it.
fn wide() -> MeshData {
    rectangle(400.0, 400.0)
}

/// The same pane with vertex normals that lean to one side: shadow rays do not know them.
fn smooth() -> MeshData {
    let data = wide();
    MeshData { normals: vec![vec3(0.6, 0.8, 0.0); data.positions.len()], ..data }
}

fn add_sun(scene: &mut Scene, down: Affine3) {
    let light = Light { name: String::new(), emission: Vec3::splat(4.0), kind: LightKind::Directional };
    let light = scene.add_light(light).unwrap();
    scene.add_node(Node::new("sun").at(down).with_light(light)).unwrap();
}

/// Asserts that every algorithm finds the expected radiance of the floor, as far as it finds colours.
fn finds_expected(scene: &Scene, expected: Vec3, samples: u32, tolerance: f32) {
    let once = [("path", "max_bounces"), ("whitted", "max_depth")];
    let short = once.map(|(name, limit)| algorithm(name, &[(limit, "1")]));
    for algorithm in light_transport_algorithms().chain(short) {
        let mut ratio = mean(&render_scene(scene, &below(algorithm, samples))) / expected;
        // The visibility of virtual point lights is one bit, which has no colour
        if algorithm.name() == "igi" {
            let luminance = |c: Vec3| c.dot(vec3(0.2126, 0.7152, 0.0722));
            ratio = Vec3::splat(luminance(ratio * expected) / luminance(expected));
        }
        let error = (ratio - 1.0).abs().max_element();
        assert!(error < tolerance, "{algorithm}: {ratio} times {expected}");
    }
}

#[test]
fn a_pane_in_a_white_furnace_is_1_from_both_sides() {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    add(&mut scene, rectangle(50.0, 50.0), pane(Vec3::ONE), Affine3::IDENTITY);
    for (height, z) in [(1.0, Vec3::Y), (-1.0, Vec3::NEG_Y)] {
        let view = Affine3::from_cols(Vec3::X, z.cross(Vec3::X), z, Vec3::Y * height);
        for algorithm in light_transport_algorithms() {
            let setup = TestSetup { algorithm, world_from_view: view, ..TestSetup::default() };
            let found = mean(&render_scene(&scene, &setup));
            assert!((found - Vec3::ONE).abs().max_element() < 1e-4, "{algorithm} from {height}: {found}");
        }
    }
}

/// Behind a pane everything is where it is without: also a light that is seen at a slant.
#[test]
fn a_pane_does_not_bend_rays() {
    let view = Affine3::from_translation(vec3(0.0, 0.0, 2.0));
    let image = |tint: Option<Vec3>| {
        let mut scene = Scene::default();
        scene.set_environment(Environment::Black).unwrap();
        let upright = rotation_x(FRAC_PI_2);
        let far = Affine3::from_translation(vec3(0.3, 0.2, -3.0)) * upright;
        add(&mut scene, rectangle(2.0, 2.0), Material::emitter("lamp", Vec3::ONE), far);
        if let Some(tint) = tint {
            add(&mut scene, rectangle(9.0, 9.0), pane(tint), upright);
        }
        let algorithm = algorithm("path", &[]);
        let setup = TestSetup { algorithm, world_from_view: view, samples: 256, ..TestSetup::default() };
        render_scene(&scene, &setup).radiance()
    };
    let without = image(None);
    for tint in [Vec3::ONE, RED] {
        let with = image(Some(tint));
        for (with, without) in with.pixels().iter().zip(without.pixels()) {
            // 0.923 along the normal, and 0.84 at 55°
            let expected = tint * *without;
            assert!(with.cmple(expected * 0.95 + 0.05).all(), "{with} for {without}");
            assert!(with.cmpge(expected * 0.75 - 0.05).all(), "{with} for {without}");
        }
    }
}

#[test]
fn sunlight_passes_thin_glass_in_every_integrator() {
    for (tint, data) in [(Vec3::ONE, wide()), (RED, wide()), (RED, smooth())] {
        let mut scene = floor_under(&[data], tint, DARK);
        add_sun(&mut scene, rotation_x(-FRAC_PI_4));
        let cos = 0.5f32.sqrt();
        let arriving = tint * (4.0 * cos * transmittance(cos));
        finds_expected(&scene, arriving * DARK / PI, 512, 0.02);
    }
}

/// Light of an environment is found by next-event estimation and by rays that meet panes.
#[test]
fn light_of_the_environment_passes_thin_glass_in_every_integrator() {
    for (tint, data) in [(Vec3::ONE, wide()), (RED, wide()), (RED, smooth())] {
        let mut scene = floor_under(&[data], tint, DARK);
        scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
        // E / π = ∫ T(cos) 2 cos d(cos)
        let steps = (0..1000).map(|i| (i as f32 + 0.5) / 1000.0);
        let arriving: f32 = steps.map(|cos| transmittance(cos) * 2.0 * cos / 1000.0).sum();
        finds_expected(&scene, tint * (arriving * DARK), 512, 0.02);
    }
}

#[test]
fn light_of_an_area_passes_thin_glass_in_every_integrator() {
    for (tint, data) in [(Vec3::ONE, wide()), (RED, wide()), (RED, smooth())] {
        let mut scene = floor_under(&[data], tint, DARK);
        let lamp = Affine3::from_translation(Vec3::Y * 3.0) * rotation_x(PI);
        add(&mut scene, rectangle(4.0, 4.0), Material::emitter("lamp", Vec3::ONE), lamp);
        // E = ∫ T(cos) cos² / r² dA
        let places = (0..100).map(|i| (i as f32 + 0.5) * 0.04 - 2.0);
        let squares = places.clone().flat_map(|x| places.clone().map(move |z| x * x + z * z + 9.0));
        let cos = |square: f32| 3.0 / square.sqrt();
        let arriving: f32 =
            squares.map(|square| transmittance(cos(square)) * 9.0 / (square * square) * 0.0016).sum();
        finds_expected(&scene, tint * (arriving * DARK / PI), 512, 0.02);
    }
}

/// Colours of eight panes are multiplied; others are passed with the luminance of their transmittance.
#[test]
fn many_panes_keep_the_mean_of_the_light() {
    let tint = vec3(0.9, 1.0, 0.8);
    for count in [8, 9, 11] {
        let mut scene = floor_under(&vec![wide(); count], tint, DARK);
        add_sun(&mut scene, rotation_x(-FRAC_PI_2));
        let grey = tint.dot(vec3(0.2126, 0.7152, 0.0722)).powi(i32::try_from(count).unwrap() - 8);
        let fourth = tint * tint * tint * tint;
        let colour = fourth * fourth * grey * transmittance(1.0).powi(i32::try_from(count).unwrap());
        let expected = colour * (4.0 * DARK / PI);
        for algorithm in light_transport_algorithms().filter(|a| a.name() != "igi") {
            let ratio = mean(&render_scene(&scene, &below(algorithm, 512))) / expected;
            assert!((ratio - 1.0).abs().max_element() < 0.02, "{algorithm}, {count} panes: {ratio}");
        }
    }
}

/// Panes are as transparent as their largest component: the others are lost, since an image has one alpha. What they
/// reflect is part of the colour, which is premultiplied.
#[test]
fn panes_do_not_cover_a_background() {
    for tint in [Vec3::ONE, RED, RED * 0.5, Vec3::splat(0.5), Vec3::ZERO] {
        let mut scene = Scene::default();
        scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
        add(&mut scene, rectangle(50.0, 50.0), pane(tint), Affine3::IDENTITY);
        for name in ["path", "whitted", "igi"] {
            let setup = TestSetup {
                world_from_view: Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, Vec3::Y),
                shows_environment: false,
                ..below(algorithm(name, &[]), 512)
            };
            let film = render_scene(&scene, &setup);
            if name != "igi" {
                let alpha = film.alpha().unwrap().iter().sum::<f32>() / 100.0;
                let covered = 1.0 - tint.max_element() * transmittance(1.0);
                assert!((alpha - covered).abs() < 0.01, "{name}, {tint}: {alpha} for {covered}");
            }
            let reflected = 1.0 - transmittance(1.0);
            let found = mean(&film);
            assert!((found - reflected).abs().max_element() < 0.01, "{name}, {tint}: {found}");
        }
    }
}

/// Two panes, one behind the other: what passes both is transparent, and light that goes back and forth between them
/// is part of the colour.
#[test]
fn two_panes_cover_what_they_do_not_transmit_together() {
    let mut scene = Scene::default();
    scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    for y in [0.0, -1.0] {
        add(&mut scene, rectangle(50.0, 50.0), pane(RED), Affine3::from_translation(Vec3::Y * y));
    }
    // r + t r t (1 + r² + …), and what leaves between the panes at last on the other side: t r (1 + r² + …) r t …
    let (r, t) = (1.0 - transmittance(1.0), RED * transmittance(1.0));
    let back = Vec3::splat(r) + t * t * r / (1.0 - r * r);
    let beyond = t * t * (r * r / (1.0 - r * r));
    for name in ["path", "whitted"] {
        let setup = TestSetup {
            world_from_view: Affine3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y, Vec3::Y),
            shows_environment: false,
            ..below(algorithm(name, &[("cutoff", "0")][usize::from(name == "path")..]), 1024)
        };
        let film = render_scene(&scene, &setup);
        let alpha = film.alpha().unwrap().iter().sum::<f32>() / 100.0;
        let covered = 1.0 - t.x * t.x;
        assert!((alpha - covered).abs() < 0.01, "{name}: {alpha} for {covered}");
        let found = mean(&film);
        assert!((found - back - beyond).abs().max_element() < 0.01, "{name}: {found}");
    }
}

/// Returns a mesh of one shape.
fn mesh_of(shape: Shape) -> MeshData {
    MeshData { shapes: vec![shape], ..MeshData::default() }
}

/// Shapes that a ray along −y through the origin crosses twice along the normal.
fn crossed_twice() -> [Shape; 4] {
    [
        Shape::sphere(Vec3::ZERO, 0.5),
        Shape { flipped: true, ..Shape::sphere(Vec3::ZERO, 0.5) },
        Shape::about_axis(UnitShape::Cylinder, Vec3::NEG_Z, Vec3::Z * 2.0, 0.5),
        Shape::new(UnitShape::Cube).transformed(&Affine3::from_scale(Vec3::splat(0.5))),
    ]
}

/// Shadow rays of every integrator cross the surface of a shape twice. The glass is grey, since `igi` multiplies
/// luminances.
#[test]
fn sunlight_passes_both_sides_of_a_shape() {
    for shape in crossed_twice() {
        let mut scene = floor_under(&[], Vec3::ONE, DARK);
        let grey = pane(Vec3::splat(0.5));
        add(&mut scene, mesh_of(shape), grey, Affine3::from_translation(Vec3::Y * 3.0));
        add_sun(&mut scene, rotation_x(-FRAC_PI_2));
        let through = 0.5 * transmittance(1.0);
        finds_expected(&scene, Vec3::splat(through * through * (4.0 * DARK / PI)), 512, 0.03);
    }
}

/// Camera rays do so, too, and are reflected inside of a sphere at the same angle again and again:
/// `L = r + t² (1 + r + r² + …)` in a white furnace.
#[test]
fn camera_rays_cross_a_sphere_twice() {
    for tint in [Vec3::splat(0.5), RED] {
        let mut scene = Scene::default();
        scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
        add(&mut scene, mesh_of(Shape::sphere(Vec3::NEG_Z * 2.0, 1.0)), pane(tint), Affine3::IDENTITY);
        let (r, t) = (1.0 - transmittance(1.0), tint * transmittance(1.0));
        let expected = t * t / (1.0 - r) + r;
        for algorithm in light_transport_algorithms() {
            let projection = Projection::Orthographic { height: 0.02 };
            let setup = TestSetup { algorithm, samples: 512, projection, ..TestSetup::default() };
            let found = mean(&render_scene(&scene, &setup));
            assert!((found - expected).abs().max_element() < 0.01, "{algorithm}: {found} for {expected}");
        }
    }
}

/// Surfaces of partial alpha stop a ray with the same probability at each crossing.
#[test]
fn blended_shapes_are_seen_from_both_sides() {
    for shape in crossed_twice() {
        let mut scene = Scene::default();
        scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
        let mut black = Material::lambert("black", Vec3::ZERO);
        let Surface::Lambert { albedo } = &mut black.surface else { unreachable!("made as such") };
        albedo.factor.w = 0.4;
        black.alpha = Alpha::Blend;
        add(
            &mut scene,
            mesh_of(shape.clone()),
            black,
            Affine3::from_translation(Vec3::NEG_Z * 2.0) * rotation_x(FRAC_PI_2),
        );
        for algorithm in light_transport_algorithms() {
            let projection = Projection::Orthographic { height: 0.02 };
            let setup = TestSetup { algorithm, samples: 512, projection, ..TestSetup::default() };
            let found = mean(&render_scene(&scene, &setup)).x;
            assert!((found - 0.36).abs() < 0.01, "{algorithm}, {shape:?}: {found}");
        }
    }
}

/// Next-event estimation through panes, weighted against rays that pass them, against paths that find the light by
/// chance alone.
#[test]
fn light_through_panes_is_counted_once() {
    let mut scene = floor_under(&[rectangle(8.0, 8.0)], RED, 0.5);
    let slanted = Affine3::from_translation(vec3(0.2, 1.5, 0.0)) * rotation_x(0.4);
    add(&mut scene, rectangle(9.0, 9.0), pane(vec3(0.5, 1.0, 0.9)), slanted);
    let lamp = Affine3::from_translation(vec3(0.5, 2.6, 0.0)) * rotation_x(PI);
    add(&mut scene, rectangle(2.5, 2.5), Material::emitter("lamp", Vec3::ONE), lamp);
    let setup = below(algorithm("path", &[("max_bounces", "16"), ("roulette_after", "16")]), 1024);
    let found = mean(&render_scene(&scene, &setup));
    let world = World::commit(&scene).unwrap();
    let expected = dispatch!(Level::new(), simd => {
        let count = 100_000u32;
        let sum: Vec3 = (0..count).map(|sample| by_chance(simd, &world, sample)).sum();
        sum / count as f32
    });
    assert!((found / expected - 1.0).abs().max_element() < 0.02, "{found} for {expected}");
}

/// Returns the radiance of a path from the floor that scatters by its bsdfs only.
fn by_chance<S: fearless_simd::Simd>(simd: S, world: &World, sample: u32) -> Vec3 {
    let random = |bounce, what| rng::uniform([sample, bounce, what, 99]);
    let (x, z) = (random(0, 8) * 0.2 - 0.1, random(0, 9) * 0.2 - 0.1);
    let mut ray = Ray::new(vec3(x, 0.5, z), Vec3::NEG_Y);
    let (mut throughput, mut sum) = (Vec3::ONE, Vec3::ZERO);
    for bounce in 0..16 {
        let seed = AlphaSeed { pixel: [3, 5], sample, stream: bounce };
        let Some(hit) = world.intersect(simd, &ray, seed) else { break };
        let wo_world = -ray.direction;
        let surface = world.surface_interaction(&hit, wo_world, 0.0);
        sum += throughput * world.emitted(&surface, wo_world, &LastScattering::delta(surface.position));
        let bsdf = world.bsdf(&surface);
        let wo = surface.frame.local_from_world(wo_world);
        let u = Vec2::new(random(bounce, 1), random(bounce, 2));
        let Some(next) = scatter(&surface, &bsdf, BsdfContext::RADIANCE, wo, random(bounce, 0), u) else {
            break;
        };
        throughput *= next.sample.throughput;
        ray = next.ray;
    }
    sum
}
