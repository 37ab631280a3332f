//! Images of radiosity on the GPU against the CPU. Where the CPU solves for the light, images agree pixel by pixel; where
//! the GPU does, they agree within the noise of the solution.

use std::sync::Arc;

use sunfleck_gpu::{AdapterChoice, Gpu, GpuError, PackedSurfaces, Renderer};
use sunfleck_image::metrics::rmse;
use sunfleck_image::{Aov, AovSet, Picture};
use sunfleck_integrators::radiosity::Radiosity;
use sunfleck_integrators::{Algorithm, PlacedCamera, ViewSpec, World};
use sunfleck_math::transform::look_at;
use sunfleck_math::{Affine3, Shape, Vec3, vec3};
use sunfleck_scene::{Camera, Environment, Light, LightKind, Material, Mesh, MeshData, Node, Scene};

use crate::path::{channels_are_equal, committed, different, on_cpu, render_by_renderer, spec};
use crate::transparent::{scene_with_panes, transparent_scene};

const SIZE: u32 = 48;
const SAMPLES: u32 = 4;
/// A map that is solved in a moment.
const COARSE: Radiosity = Radiosity { resolution: 64, iterations: 4, rays: 4096, ..Radiosity::DEFAULT };

fn renderer() -> Renderer {
    Renderer::new(Arc::new(Gpu::open(AdapterChoice::Best).unwrap()))
}

fn point_light(mut scene: Scene, at: Vec3, intensity: f32) -> Scene {
    let light = Light { name: "point".into(), emission: Vec3::splat(intensity), kind: LightKind::Point };
    let light = scene.add_light(light).unwrap();
    let at = Affine3::from_translation(at);
    scene.add_node(Node::new("point").at(at).with_light(light)).unwrap();
    scene
}

/// A built-in scene with a faint point light, so that the CPU solves for its light.
fn with_point_light(name: &str) -> Scene {
    point_light(sunfleck_models::build(name).unwrap(), vec3(0.1, 0.3, 0.2), 0.01)
}

fn under_the_sky(mut scene: Scene) -> Scene {
    scene.set_environment(Environment::Constant { radiance: vec3(0.5, 0.7, 1.0) }).unwrap();
    scene
}

/// Four sheets at z = 0 before a point light: the fronts of two face the light, the backs of the others do; the
/// transforms of the upper two are mirrored.
fn sheets() -> (World, ViewSpec) {
    let mut scene = point_light(Scene::default(), vec3(0.0, 0.0, 1.5), 5.0);
    let corners = [vec3(-0.4, -0.4, 0.0), vec3(0.4, -0.4, 0.0), vec3(0.4, 0.4, 0.0), vec3(-0.4, 0.4, 0.0)];
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    let data = MeshData { positions: corners.to_vec(), triangles, ..MeshData::default() };
    let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
    let white = scene.add_material(Material::lambert("white", Vec3::splat(0.8))).unwrap();
    for (x, turned) in [(-0.5, 1.0), (0.5, -1.0)] {
        for (y, mirrored) in [(-0.5, 1.0), (0.5, -1.0)] {
            // A half turn about the x axis, or none
            let turn = Affine3::from_scale(vec3(mirrored, turned, turned));
            let at = Affine3::from_translation(vec3(x, y, 0.0)) * turn;
            scene.add_node(Node::new("sheet").at(at).with_mesh(mesh, vec![white])).unwrap();
        }
    }
    let camera = PlacedCamera {
        name: "view".into(),
        camera: Camera::perspective("view", 0.8),
        world_from_view: look_at(vec3(0.0, 0.0, 2.5), Vec3::ZERO, Vec3::Y),
    };
    let world = World::commit(&scene).unwrap();
    (world, ViewSpec::new(&camera, SIZE, SIZE))
}

fn compare(name: &str, world: World, radiosity: Radiosity, spec: ViewSpec, others: usize) -> Picture {
    let algorithm = Algorithm::Radiosity(radiosity);
    let world = Arc::new(world);
    let (expected, alone) = on_cpu(&world, spec, &algorithm, SAMPLES);
    let (found, made) = render_by_renderer(&mut renderer(), &world, &spec, &algorithm, SAMPLES);
    let differing = different(&found.radiance(), &expected.radiance());
    assert!(differing <= others, "{name}: {differing} of {} pixels differ", SIZE * SIZE);
    let [rays, wanted] = [made, alone].map(|outcome| outcome.rays.total() as f64);
    assert!((rays - wanted).abs() < 2e-3 * wanted, "{name}: {rays} rays, not {wanted}");
    if spec.aovs != AovSet::EMPTY {
        channels_are_equal(&found, &expected);
    }
    expected.radiance()
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn maps_of_the_cpu_are_shown_as_by_the_cpu() {
    let cornell = World::commit(&with_point_light("cornell")).unwrap();
    let view = spec(&cornell, SIZE, SIZE);
    compare("cornell", cornell, COARSE, view, 12);
    let sky = World::commit(&under_the_sky(sunfleck_models::build("cornell").unwrap())).unwrap();
    compare("cornell under the sky", sky, COARSE, view, 12);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn mirrors_and_glass_are_followed() {
    let aovs = AovSet::ALL.without(Aov::Diffuse).without(Aov::Clamped);
    for (max_depth, aovs) in [(0, AovSet::EMPTY), (1, aovs), (12, aovs)] {
        let world = World::commit(&with_point_light("teapot-room")).unwrap();
        let view = ViewSpec { aovs, occlusion_radius: 0.4, ..spec(&world, SIZE, SIZE) };
        let radiosity = Radiosity { max_depth, ..COARSE };
        compare(&format!("teapot-room, {max_depth}"), world, radiosity, view, 40);
    }
    for (name, scene) in [("panes", scene_with_panes(2)), ("transparent", transparent_scene())] {
        let world = World::commit(&under_the_sky(scene)).unwrap();
        let view = spec(&world, SIZE, SIZE);
        compare(name, world, COARSE, view, 60);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn both_sides_of_mirrored_sheets_have_light() {
    let (world, view) = sheets();
    let image = compare("sheets", world, COARSE, view, 12);
    for [x, y] in [[12, 12], [36, 12], [12, 36], [36, 36]] {
        let pixel = image.pixels()[(y * SIZE + x) as usize];
        assert!(pixel.min_element() > 0.1, "the sheet at ({x}, {y}) is lit: {pixel}");
    }
}

/// The error of the light that the GPU solves for is as large as that of the CPU's, and so is its mean, which lacks light
/// that few iterations leave out.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn light_of_the_gpu_has_the_error_of_that_of_the_cpu() {
    let mut renderer = renderer();
    for name in ["cornell", "teapot-room"] {
        let world = Arc::new(committed(name));
        assert_eq!(PackedSurfaces::check(&world), Ok(()), "the GPU solves for the light of {name}");
        let spec = spec(&world, SIZE, SIZE);
        let few = Algorithm::Radiosity(Radiosity { iterations: 16, rays: 1 << 14, ..COARSE });
        let many = Algorithm::Radiosity(Radiosity { iterations: 64, rays: 1 << 16, ..COARSE });
        let [expected, alone] = [many, few].map(|a| on_cpu(&world, spec, &a, SAMPLES).0.radiance());
        let found = render_by_renderer(&mut renderer, &world, &spec, &few, SAMPLES).0.radiance();
        let [error, of_cpu] = [&found, &alone].map(|image| rmse(image, &expected).unwrap());
        assert!(error < 1.1 * of_cpu, "{name}: the error {error} of the GPU's, {of_cpu} of the CPU's");
        assert!(different(&found, &alone) > 100, "{name}: rounding decides which texels are chosen");
        let [mean, wanted] = [&found, &alone].map(|image| image.pixels().iter().copied().sum::<Vec3>());
        assert!(((mean - wanted) / wanted).abs().max_element() < 0.01, "{name}: {mean} for {wanted}");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn an_image_does_not_depend_on_what_was_rendered_before() {
    let [cornell, room] = ["cornell", "teapot-room"].map(|name| Arc::new(committed(name)));
    let mut used = renderer();
    let radiosity = Algorithm::Radiosity(COARSE);
    let image = |renderer: &mut Renderer, world: &Arc<World>| {
        render_by_renderer(renderer, world, &spec(world, SIZE, SIZE), &radiosity, SAMPLES).0
    };
    let first = image(&mut used, &cornell);
    assert!(first == image(&mut used, &cornell), "the light is kept");
    let room = image(&mut used, &room);
    assert!(different(&room.radiance(), &first.radiance()) > 1000, "each world has its own light");
    assert!(first == image(&mut used, &cornell) && first == image(&mut renderer(), &cornell));
}

#[test]
fn worlds_that_the_solver_would_be_wrong_about_are_refused() {
    let with_ball = {
        let mut scene = sunfleck_models::build("cornell").unwrap();
        let data = MeshData { shapes: vec![Shape::sphere(Vec3::ZERO, 0.1)], ..MeshData::default() };
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        let white = scene.add_material(Material::lambert("white", Vec3::splat(0.8))).unwrap();
        scene.add_node(Node::new("ball").with_mesh(mesh, vec![white])).unwrap();
        scene
    };
    let lights = "radiosity by the environment or by punctual lights";
    let alpha = "radiosity over surfaces with alpha, or thin glass";
    for (scene, what) in [
        (with_ball, "radiosity over shapes"),
        (with_point_light("cornell"), lights),
        (under_the_sky(sunfleck_models::build("cornell").unwrap()), lights),
        (transparent_scene(), alpha),
        (scene_with_panes(1), alpha),
    ] {
        let refused = PackedSurfaces::check(&World::commit(&scene).unwrap());
        assert_eq!(refused, Err(GpuError::Unsupported { what }));
    }
}
