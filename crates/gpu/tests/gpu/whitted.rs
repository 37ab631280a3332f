//! Classical ray tracing on the GPU against the processor's, pixel by pixel.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_gpu::{AdapterChoice, Gpu, SceneMirror, WhittedRenderer};
use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::whitted::Whitted;
use sunfleck_integrators::{Algorithm, Status, View, ViewSpec, World};

use crate::path::{channels_are_equal, committed, different, on_processor, spec, stop};
use crate::pierced::pierced;

const SIZE: u32 = 48;
const SAMPLES: u32 = 4;

fn compare(name: &str, world: &World, whitted: Whitted, others: usize) {
    compare_in(name, world, whitted, spec(world, SIZE, SIZE), others);
}

fn compare_in(name: &str, world: &World, whitted: Whitted, spec: ViewSpec, others: usize) {
    let (expected, on_processor) = on_processor(world, spec, &Algorithm::Whitted(whitted), SAMPLES);
    let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
    let scene = SceneMirror::new(&gpu, world).unwrap();
    let renderer = WhittedRenderer::new(&gpu, &scene).unwrap();
    let mut film = Film::new(SIZE, SIZE, spec.aovs);
    let ambient = whitted.ambient_light(Level::new(), &View::new(world, spec));
    let go_on = AtomicBool::new(false);
    let look = |_: &Status| ();
    let outcome = renderer.render(&scene, &spec, &whitted, ambient, &mut film, &stop(SAMPLES), &go_on, &look);
    let rays = outcome.unwrap().rays.total() as f64;
    let different = different(&film.radiance(), &expected.radiance());
    assert!(different <= others, "{name}: {different} of {} pixels differ", SIZE * SIZE);
    let wanted = on_processor.rays.total() as f64;
    assert!((rays - wanted).abs() < 2e-3 * wanted, "{name}: {rays} rays, not {wanted}");
    if spec.aovs == AovSet::ALL {
        channels_are_equal(&film, &expected);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn other_channels() {
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
fn trees_of_rays() {
    for max_depth in [0, 1, 12, 24] {
        let whitted = Whitted { max_depth, ..Whitted::DEFAULT };
        compare(&format!("teapot-room, {max_depth}"), &committed("teapot-room"), whitted, 40);
    }
    compare("pierced", &World::commit(&pierced()).unwrap(), Whitted::DEFAULT, 60);
}
