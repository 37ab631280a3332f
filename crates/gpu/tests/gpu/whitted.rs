//! Whitted ray tracing on the GPU against the CPU, pixel by pixel.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_gpu::{AdapterChoice, Gpu, SceneMirror, WhittedRenderer};
use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::whitted::Whitted;
use sunfleck_integrators::{Algorithm, RenderProgress, View, ViewSpec, World};

use crate::path::{channels_are_equal, committed, different, on_cpu, spec, stop};
use crate::transparent::{scene_with_panes, transparent_scene};

const SIZE: u32 = 48;
const SAMPLES: u32 = 4;

fn compare(name: &str, world: &World, whitted: Whitted, others: usize) {
    compare_in(name, world, whitted, spec(world, SIZE, SIZE), others);
}

fn compare_in(name: &str, world: &World, whitted: Whitted, spec: ViewSpec, others: usize) {
    let (expected, on_cpu) = on_cpu(world, spec, &Algorithm::Whitted(whitted), SAMPLES);
    let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
    let scene = SceneMirror::new(&gpu, world).unwrap();
    let renderer = WhittedRenderer::new(&gpu, &scene).unwrap();
    let mut film = Film::new(SIZE, SIZE, spec.aovs);
    let ambient = whitted.ambient_light(Level::new(), &View::new(world, spec));
    let cancel = AtomicBool::new(false);
    let look = |_: &RenderProgress| ();
    let outcome =
        renderer.render(&scene, &spec, &whitted, ambient, &mut film, &stop(SAMPLES), &cancel, &look);
    let rays = outcome.unwrap().rays.total() as f64;
    let different = different(&film.radiance(), &expected.radiance());
    assert!(different <= others, "{name}: {different} of {} pixels differ", SIZE * SIZE);
    let wanted = on_cpu.rays.total() as f64;
    assert!((rays - wanted).abs() < 2e-3 * wanted, "{name}: {rays} rays, not {wanted}");
    if spec.aovs == AovSet::ALL {
        channels_are_equal(&film, &expected);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn aovs_are_recorded() {
    let world = committed("teapot-room");
    for max_depth in [1, 12] {
        let whitted = Whitted { max_depth, ..Whitted::DEFAULT };
        let spec = ViewSpec { aovs: AovSet::ALL, occlusion_radius: 0.4, ..spec(&world, SIZE, SIZE) };
        compare_in(&format!("teapot-room, {max_depth}"), &world, whitted, spec, 40);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn ambient_light() {
    compare("cornell", &committed("cornell"), Whitted::DEFAULT, 12);
    compare("conference", &committed("conference"), Whitted { ambient: 0.5, ..Whitted::DEFAULT }, 24);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn ray_trees() {
    for max_depth in [0, 1, 12, 24] {
        let whitted = Whitted { max_depth, ..Whitted::DEFAULT };
        compare(&format!("teapot-room, {max_depth}"), &committed("teapot-room"), whitted, 40);
    }
    for max_depth in [0, 1, 4] {
        let whitted = Whitted { max_depth, ..Whitted::DEFAULT };
        let panes = World::commit(&scene_with_panes(2)).unwrap();
        compare(&format!("panes, {max_depth}"), &panes, whitted, 40);
    }
    compare("transparent", &World::commit(&transparent_scene()).unwrap(), Whitted::DEFAULT, 60);
}
