//! The path tracer on the GPU against the processor's, pixel by pixel: the same decisions from the same random numbers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_gpu::{Gpu, GpuError, PathRenderer, SceneMirror, Which};
use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Algorithm, Outcome, Schedule, Status, StopRules, View, ViewSpec, World, render};
use sunfleck_math::Vec3;

const SIZE: u32 = 48;
const SAMPLES: u32 = 4;

fn on_processor(world: &World, spec: ViewSpec) -> Film {
    let view = View::new(world, spec);
    let mut film = Film::new(spec.width, spec.height, AovSet::EMPTY);
    let stop = StopRules { samples: Some(SAMPLES), ..StopRules::default() };
    let path: Algorithm = "path".parse().unwrap();
    let go_on = AtomicBool::new(false);
    render(&view, &path, &mut film, 0, &stop, &Schedule::default(), &go_on, &|_: &Status| ());
    film
}

fn on_gpu(world: &World, spec: &ViewSpec) -> Film {
    let gpu = Arc::new(Gpu::open(Which::Best).unwrap());
    let scene = SceneMirror::new(&gpu, world).unwrap();
    let mut film = Film::new(spec.width, spec.height, AovSet::EMPTY);
    let renderer = PathRenderer::new(&gpu, &scene).unwrap();
    let outcome = shoot(&renderer, &scene, spec, &mut film).unwrap();
    let pixels = u64::from(spec.width * spec.height * SAMPLES);
    assert!(outcome.samples == SAMPLES && outcome.rays.intersect > pixels, "{outcome:?}");
    film
}

fn shoot(
    renderer: &PathRenderer,
    scene: &SceneMirror,
    spec: &ViewSpec,
    film: &mut Film,
) -> Result<Outcome, GpuError> {
    let stop = StopRules { samples: Some(SAMPLES), ..StopRules::default() };
    let go_on = AtomicBool::new(false);
    renderer.render(scene, spec, &PathTracer::DEFAULT, film, &stop, &go_on, &|_: &Status| ())
}

/// All but a few pixels are equal within a share of their brightness; a path that rounding sends another way makes the rest.
fn compare(name: &str, others: usize) {
    let world = World::commit(&sunfleck_models::build(name).unwrap()).unwrap();
    let camera = world.cameras().first().cloned().unwrap();
    let spec = ViewSpec::new(&camera, SIZE, SIZE);
    let (expected, found) = (on_processor(&world, spec).radiance(), on_gpu(&world, &spec).radiance());
    let mean = expected.pixels().iter().sum::<Vec3>().element_sum() / (3 * SIZE * SIZE) as f32;
    assert!(mean > 0.0, "{name} is black");
    let differs = |(a, b): &(&Vec3, &Vec3)| (**a - **b).abs().max_element() > 2e-3 * (b.max_element() + mean);
    let different = found.pixels().iter().zip(expected.pixels()).filter(differs).count();
    assert!(different <= others, "{name}: {different} of {} pixels differ", SIZE * SIZE);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn diffuse_rooms() {
    compare("cornell", 12);
    compare("conference", 24);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn mirrors_glass_metal_and_textures() {
    compare("teapot-room", 60);
    compare("office", 60);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn patterns_with_a_relief() {
    compare("erw6:procedural=1", 60);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn other_channels_are_refused() {
    let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
    let spec = ViewSpec::new(&world.cameras()[0].clone(), 8, 8);
    let gpu = Arc::new(Gpu::open(Which::Best).unwrap());
    let scene = SceneMirror::new(&gpu, &world).unwrap();
    let renderer = PathRenderer::new(&gpu, &scene).unwrap();
    let mut film = Film::new(8, 8, AovSet::ALL);
    let refused = shoot(&renderer, &scene, &spec, &mut film).unwrap_err();
    assert_eq!(refused, GpuError::Unsupported { what: "other channels than radiance" });
}
