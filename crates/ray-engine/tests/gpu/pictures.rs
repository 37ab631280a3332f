//! Images whose rays are traced in the uniform grid against the CPU's, pixel by pixel.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_gpu::{Gpu, GpuError, PathRenderer, SceneMirror, WhittedRenderer};
use sunfleck_image::{AovSet, Film, Picture};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::whitted::Whitted;
use sunfleck_integrators::{Algorithm, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render};
use sunfleck_math::Vec3;
use sunfleck_ray_engine::UniformGrid;
use sunfleck_scene::{Alpha, Scene, SceneEdit, Surface};

use crate::soup::gpu;

const SIZE: u32 = 48;
const STOP: StopRules = StopRules { samples: Some(4), time: None, noise: None };

/// Scenes, and the number of pixels that may differ because rounding changes a path.
const SCENES: [(&str, usize); 2] = [("cornell", 12), ("teapot-room", 60)];

fn committed(name: &str) -> (World, ViewSpec) {
    let world = World::commit(&sunfleck_models::build(name).unwrap()).unwrap();
    let spec = ViewSpec::new(&world.cameras().first().cloned().unwrap(), SIZE, SIZE);
    (world, spec)
}

fn film() -> Film {
    Film::new(SIZE, SIZE, AovSet::EMPTY)
}

fn on_cpu(world: &World, spec: ViewSpec, algorithm: &Algorithm) -> Picture {
    let (mut film, cancel) = (film(), AtomicBool::new(false));
    let (view, schedule) = (View::new(world, spec), Schedule::default());
    render(&view, algorithm, &mut film, 0, &STOP, &schedule, &cancel, &|_: &RenderProgress| ());
    film.radiance()
}

fn in_grid(gpu: &Arc<Gpu>, world: &World) -> (SceneMirror, UniformGrid) {
    (SceneMirror::new(gpu, world).unwrap(), UniformGrid::of_world(gpu, world.tlas()).unwrap())
}

/// Returns the number of pixels that differ by more than a fraction of their value and of the mean.
fn different(found: &Picture, expected: &Picture) -> usize {
    let count = expected.pixels().len();
    let mean = expected.pixels().iter().map(|v| v.abs()).sum::<Vec3>().element_sum() / (3 * count) as f32;
    assert!(mean > 0.0, "the image is black");
    let differs = |(a, b): &(&Vec3, &Vec3)| {
        let equal = (**a - **b).abs().max_element() <= 2e-3 * (b.abs().max_element() + mean);
        !equal
    };
    found.pixels().iter().zip(expected.pixels()).filter(differs).count()
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn path_tracing_in_a_grid() {
    let gpu = gpu();
    for (name, others) in SCENES {
        let (world, spec) = committed(name);
        let expected = on_cpu(&world, spec, &Algorithm::Path(PathTracer::DEFAULT));
        let (scene, grid) = in_grid(&gpu, &world);
        let renderer = PathRenderer::with_structure(&gpu, &scene, grid.structure()).unwrap();
        let (mut film, cancel) = (film(), AtomicBool::new(false));
        let look = |_: &RenderProgress| ();
        renderer.render(&scene, &spec, &PathTracer::DEFAULT, &mut film, &STOP, &cancel, &look).unwrap();
        let different = different(&film.radiance(), &expected);
        assert!(different <= others, "{name}: {different} pixels differ");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn classical_ray_tracing_in_a_grid() {
    let gpu = gpu();
    for (name, others) in SCENES {
        let (world, spec) = committed(name);
        let whitted = Whitted::DEFAULT;
        let expected = on_cpu(&world, spec, &Algorithm::Whitted(whitted));
        let (scene, grid) = in_grid(&gpu, &world);
        let renderer = WhittedRenderer::with_structure(&gpu, &scene, grid.structure()).unwrap();
        let ambient = whitted.ambient_light(Level::new(), &View::new(&world, spec));
        let (mut film, cancel) = (film(), AtomicBool::new(false));
        let look = |_: &RenderProgress| ();
        renderer.render(&scene, &spec, &whitted, ambient, &mut film, &STOP, &cancel, &look).unwrap();
        let different = different(&film.radiance(), &expected);
        assert!(different <= others, "{name}: {different} pixels differ");
    }
}

/// A scene whose diffuse surfaces are half-transparent.
fn half_transparent(name: &str) -> Scene {
    let mut scene = sunfleck_models::build(name).unwrap();
    let materials: Vec<_> = scene.materials().map(|(id, material)| (id, material.clone())).collect();
    for (id, mut material) in materials {
        if let Surface::Lambert { albedo } = &mut material.surface {
            albedo.factor.w = 0.7;
            material.alpha = Alpha::Blend;
        }
        scene.apply(SceneEdit::Material { id, material: Some(material) }).unwrap();
    }
    scene
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn surfaces_with_alpha_are_refused() {
    let world = World::commit(&half_transparent("cornell")).unwrap();
    let gpu = gpu();
    let (scene, grid) = in_grid(&gpu, &world);
    let refused = PathRenderer::with_structure(&gpu, &scene, grid.structure()).unwrap_err();
    assert!(matches!(refused, GpuError::Unsupported { .. }), "{refused}");
}
