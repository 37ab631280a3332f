//! A saved and reloaded scene is the same scene, and an image rendered from it has the same bits.

#![allow(clippy::unwrap_used, reason = "a failed test should stop")]

mod everything;
mod same;
mod scenes;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::{
    Algorithm, PlacedCamera, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render,
};
use sunfleck_io::{NoFiles, Report, load_bytes, save_bytes};
use sunfleck_math::Vec3;
use sunfleck_math::transform::look_at;
use sunfleck_scene::{Camera, Environment, Scene};

/// Saves and loads a scene. Returns the loaded scene and the report of the export.
fn saved_and_loaded(scene: &Scene, file: &str) -> (Scene, Report) {
    let saved = save_bytes(scene, Path::new(file)).unwrap();
    let loaded =
        load_bytes(Path::new(file), &saved.bytes, &NoFiles).unwrap_or_else(|error| panic!("{error}"));
    let warnings: Vec<String> = loaded.report.warnings().map(ToString::to_string).collect();
    assert!(warnings.is_empty(), "{file}: {warnings:?}");
    (loaded.scene, saved.report)
}

/// Renders a small image with the path tracer from the first camera; a scene without one is seen from the corner of its
/// bounds. A black environment is replaced by a white one.
fn image(scene: &Scene) -> Vec<[u32; 3]> {
    let mut scene = scene.clone();
    if *scene.environment() == Environment::Black {
        scene.set_environment(Environment::Constant { radiance: Vec3::ONE }).unwrap();
    }
    let world = World::commit(&scene).unwrap();
    let bounds = world.bounds();
    let from_corner = || PlacedCamera {
        name: String::new(),
        camera: Camera::perspective("corner", 1.0),
        // Away from the bounds along all axes, since flat scenes have no size along one
        world_from_view: look_at(bounds.center() + Vec3::splat(bounds.diagonal()), bounds.center(), Vec3::Y),
    };
    let camera = world.cameras().first().cloned().unwrap_or_else(from_corner);
    let view = View::new(&world, ViewSpec::new(&camera, 32, 18));
    let mut film = Film::new(32, 18, AovSet::EMPTY);
    let stop = StopRules { samples: Some(2), ..StopRules::default() };
    let (path, schedule) = (Algorithm::ALL[0], Schedule::default());
    render(&view, &path, &mut film, 0, &stop, &schedule, &AtomicBool::new(false), &|_: &RenderProgress| ());
    film.radiance().pixels().iter().map(|pixel| pixel.to_array().map(f32::to_bits)).collect()
}

/// Saves, loads and compares the scene and its image.
fn check(scene: &Scene, name: &str) {
    let (reloaded, _) = saved_and_loaded(scene, "t.glb");
    same::assert_same(&reloaded, scene, name);
    let before = image(scene);
    assert!(before.iter().any(|pixel| *pixel != before[0]), "{name}: the image is not uniform");
    assert!(image(&reloaded) == before, "{name}: the images differ");
}
