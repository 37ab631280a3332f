//! What goes wrong is said in one sentence; nothing panics.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Outcome, Status, StopRules, ViewSpec, World};
use sunfleck_shaders::Kernel;
use sunfleck_shaders::passes::path::SHADE;

use super::PathRenderer;
use crate::mirror::Form;
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{AdapterChoice, Gpu, GpuError, SceneMirror};

fn gpu() -> Arc<Gpu> {
    Arc::new(Gpu::open(AdapterChoice::Best).unwrap())
}

fn room() -> (World, ViewSpec) {
    let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
    let spec = ViewSpec::new(&world.cameras()[0].clone(), 16, 16);
    (world, spec)
}

fn shoot(renderer: &PathRenderer, scene: &SceneMirror, spec: &ViewSpec) -> Result<Outcome, GpuError> {
    let mut film = Film::new(16, 16, AovSet::EMPTY);
    let stop = StopRules { samples: Some(2), ..StopRules::default() };
    let go_on = AtomicBool::new(false);
    renderer.render(scene, spec, &PathTracer::DEFAULT, &mut film, &stop, &go_on, &|_: &Status| ())
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_shader_that_is_none() {
    let gpu = gpu();
    let error = Pipeline::of_shader(&gpu, &SHADE).unwrap().bind(&gpu, &Resources::default()).unwrap_err();
    assert!(matches!(error, GpuError::Shader { shader: "path::shade", .. }), "{error}");
    for text in ["fn main() { nonsense }", "@compute @workgroup_size(1) fn other() {}"] {
        assert!(Kernel::of_text(text, &Form::of_everything().constants()).is_err(), "{text}");
    }
    assert_eq!(gpu.check(), Ok(()), "it goes on");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_film_that_no_gpu_holds() {
    let (gpu, (world, spec)) = (gpu(), room());
    let scene = SceneMirror::new(&gpu, &world).unwrap();
    let renderer = PathRenderer::new(&gpu, &scene).unwrap();
    let large = ViewSpec { width: 60_000, height: 60_000, ..spec };
    let error = shoot(&renderer, &scene, &large).unwrap_err();
    assert!(matches!(error, GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. }), "{error}");
    assert!(shoot(&renderer, &scene, &spec).is_ok(), "it goes on");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_device_that_is_gone() {
    let (gpu, (world, spec)) = (gpu(), room());
    let scene = SceneMirror::new(&gpu, &world).unwrap();
    let renderer = PathRenderer::new(&gpu, &scene).unwrap();
    gpu.device.destroy();
    let error = shoot(&renderer, &scene, &spec).unwrap_err();
    assert!(matches!(error, GpuError::Lost { .. }), "{error}");
    assert!(matches!(SceneMirror::new(&gpu, &world), Err(GpuError::Lost { .. })));
}
