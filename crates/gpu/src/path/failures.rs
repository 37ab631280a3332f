//! Tests that errors are reported as [`GpuError`] and nothing panics.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{RenderOutcome, RenderProgress, StopRules, ViewSpec, World};
use sunfleck_shaders::Kernel;
use sunfleck_shaders::passes::path::SHADE;

use super::PathRenderer;
use crate::mirror::SceneSpecialization;
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{AdapterChoice, Gpu, GpuError, SceneMirror};

fn gpu() -> Arc<Gpu> {
    Arc::new(Gpu::open(AdapterChoice::Best).unwrap())
}

fn cornell_box() -> (World, ViewSpec) {
    let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
    let spec = ViewSpec::new(&world.cameras()[0].clone(), 16, 16);
    (world, spec)
}

fn render(renderer: &PathRenderer, scene: &SceneMirror, spec: &ViewSpec) -> Result<RenderOutcome, GpuError> {
    let mut film = Film::new(16, 16, AovSet::EMPTY);
    let stop = StopRules { samples: Some(2), ..StopRules::default() };
    let cancel = AtomicBool::new(false);
    renderer.render(scene, spec, &PathTracer::DEFAULT, &mut film, &stop, &cancel, &|_: &RenderProgress| ())
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn invalid_shaders_are_refused() {
    let gpu = gpu();
    let error = Pipeline::of_shader(&gpu, &SHADE).unwrap().bind(&gpu, &Resources::default()).unwrap_err();
    assert!(matches!(error, GpuError::Shader { shader: "path::shade", .. }), "{error}");
    for text in ["fn main() { nonsense }", "@compute @workgroup_size(1) fn other() {}"] {
        assert!(Kernel::of_text(text, &SceneSpecialization::general().constants()).is_err(), "{text}");
    }
    assert_eq!(gpu.check(), Ok(()), "the device still works");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn oversized_films_are_refused() {
    let (gpu, (world, spec)) = (gpu(), cornell_box());
    let scene = SceneMirror::new(&gpu, &world).unwrap();
    let renderer = PathRenderer::new(&gpu, &scene).unwrap();
    let large = ViewSpec { width: 60_000, height: 60_000, ..spec };
    let error = render(&renderer, &scene, &large).unwrap_err();
    assert!(matches!(error, GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. }), "{error}");
    assert!(render(&renderer, &scene, &spec).is_ok(), "the device still works");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_lost_device_is_reported() {
    let (gpu, (world, spec)) = (gpu(), cornell_box());
    let scene = SceneMirror::new(&gpu, &world).unwrap();
    let renderer = PathRenderer::new(&gpu, &scene).unwrap();
    gpu.device.destroy();
    let error = render(&renderer, &scene, &spec).unwrap_err();
    assert!(matches!(error, GpuError::Lost { .. }), "{error}");
    assert!(matches!(SceneMirror::new(&gpu, &world), Err(GpuError::Lost { .. })));
}
